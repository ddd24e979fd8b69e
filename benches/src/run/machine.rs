//! The machine and the commit of a run.

use std::process::Command;

use serde::Serialize;

/// Facts on which the numbers depend.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The commit, with a plus sign if files were changed since.
    pub commit: String,
    /// Name of the processor.
    pub processor: String,
    /// Number of threads that can run at once.
    pub cores: usize,
    /// The operating system and architecture.
    pub system: String,
    /// The compiler.
    pub compiler: String,
}

impl Machine {
    /// Describes this machine.
    pub fn here() -> Self {
        let commit = output("git", &["rev-parse", "--short", "HEAD"]).unwrap_or_else(|| "unknown".to_owned());
        let is_changed = output("git", &["status", "--porcelain", "--untracked-files=no"]).is_some();
        Self {
            commit: if is_changed { format!("{commit}+") } else { commit },
            processor: processor().unwrap_or_else(|| "unknown".to_owned()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            compiler: output("rustc", &["--version"]).unwrap_or_else(|| "unknown".to_owned()),
        }
    }
}

/// Returns the resident bytes of the process. Returns `None` where the system does not say.
pub fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

fn processor() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// Returns the output of a command. Returns `None` if it prints nothing or fails.
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(command).args(arguments).current_dir(crate::input::case::root()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
