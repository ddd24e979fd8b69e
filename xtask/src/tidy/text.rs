//! Rules about text files: no long snapshot, no unreviewed snapshot, and no path of one machine.

use super::Finding;

/// Maximum lines of a snapshot. A longer one is not reviewed with care.
const MAX_SNAPSHOT_LINES: usize = 200;

/// Folders that exist on one machine only.
const MACHINE_FOLDERS: &[&str] = &["home", "root", "tmp", "work", "Users"];

/// Checks a text file.
pub fn check(path: &str, content: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if path.ends_with(".snap.new") || path.ends_with(".pending-snap") {
        findings.push(Finding::of_file(path, "a snapshot that is not reviewed"));
    }
    if path.ends_with(".snap") {
        let lines = snapshot_body(content).lines().count();
        if lines > MAX_SNAPSHOT_LINES {
            findings.push(Finding::of_file(
                path,
                format!("{lines} lines, {MAX_SNAPSHOT_LINES} are the limit for a snapshot"),
            ));
        }
    }
    for (number, line) in content.lines().enumerate() {
        if let Some(folder) = machine_folder(line) {
            let message = format!("/{folder}/… is a path of one machine");
            findings.push(Finding { path: path.to_owned(), line: number + 1, message });
        }
    }
    findings
}

/// Returns the text after the header that insta writes between two lines of dashes.
fn snapshot_body(content: &str) -> &str {
    content
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(content, |(_, body)| body)
}

/// Returns the folder of a machine that begins an absolute path. A longer path or a URL does not count.
fn machine_folder(line: &str) -> Option<&'static str> {
    for (at, _) in line.match_indices('/') {
        let starts_path =
            !line[..at].ends_with(|char: char| char.is_alphanumeric() || "./_-*}>)".contains(char));
        if !starts_path {
            continue;
        }
        let name = line[at + 1..].split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
        if let Some(folder) = MACHINE_FOLDERS.iter().find(|folder| **folder == name)
            && line[at + 1 + name.len()..].starts_with('/')
        {
            return Some(folder);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_snapshot_is_found() {
        let snapshot = |lines| format!("---\nsource: x.rs\n---\n{}", "x\n".repeat(lines));
        assert_eq!(check("a/x.snap", &snapshot(200)), []);
        assert_eq!(
            check("a/x.snap", &snapshot(201))[0].message,
            "201 lines, 200 are the limit for a snapshot"
        );
        assert_eq!(check("a/x.txt", &snapshot(201)), []);
    }

    #[test]
    fn a_snapshot_without_review_is_found() {
        assert_eq!(check("a/x.snap.new", "").len(), 1);
    }

    #[test]
    fn machine_paths_are_found() {
        let slash = '/';
        for path in ["home/me/x", "root/.cargo", "tmp/x", "Users/me/x"] {
            let line = format!("see {slash}{path}");
            assert_eq!(check("x.md", &line).len(), 1, "{line}");
        }
        for line in [
            "https://x.org/home/me",
            "a/tmp/b",
            "/usr/bin/env",
            "the folder /tmp",
            "../work/x",
            "/homestead/x",
        ] {
            assert_eq!(check("x.md", line), [], "{line}");
        }
    }
}
