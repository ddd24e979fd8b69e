//! Folders with more files than a reader can keep apart.

use std::collections::BTreeMap;

use super::{Rule, Violation};

/// Rust files directly in a folder of `src`.
const MAX_FILES: usize = 12;

/// Checks the paths of all files.
pub fn check<'p>(paths: impl Iterator<Item = &'p str>) -> Vec<Violation> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in paths.filter(|path| path.ends_with(".rs")) {
        if let Some((folder, _)) = path.rsplit_once('/')
            && folder.split('/').any(|part| part == "src")
        {
            *counts.entry(folder).or_default() += 1;
        }
    }
    let crowded = counts.into_iter().filter(|(_, count)| *count > MAX_FILES);
    crowded
        .map(|(folder, count)| {
            let message = format!("{count} Rust files, {MAX_FILES} are the limit for a folder");
            Violation::new(folder, 0, Rule::Folder, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowded_folders_are_found() {
        let paths = |count: usize, folder: &str| -> Vec<String> {
            (0..count).map(|number| format!("{folder}/f{number}.rs")).collect()
        };
        let mut all = paths(13, "crates/x/src");
        all.extend(paths(12, "crates/x/src/y"));
        all.extend(paths(40, "crates/x/tests"));
        let found = check(all.iter().map(String::as_str));
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].finding.to_string(),
            "crates/x/src: 13 Rust files, 12 are the limit for a folder"
        );
    }
}
