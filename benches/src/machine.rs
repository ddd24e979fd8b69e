//! Where and on what a comparison was run.

use std::process::Command;

use serde::Serialize;

/// What the numbers depend on.
#[derive(Clone, Debug, Serialize)]
pub struct Machine {
    /// The commit, with a plus sign when files were changed since.
    pub commit: String,
    /// The processor's name.
    pub processor: String,
    /// How many threads could run at once.
    pub cores: usize,
    /// The operating system and architecture.
    pub system: String,
    /// The compiler.
    pub compiler: String,
}

impl Machine {
    /// This machine.
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

/// Bytes of memory that the process holds, where the system tells.
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

/// What a command prints; none when it prints nothing or fails.
fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).current_dir(crate::case::root()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
