//! Links of documents to files and headings of the workspace.

use std::collections::{BTreeMap, BTreeSet};

use super::{Finding, TextFile};

/// Checks the links of all documents. Links to other hosts are not followed.
pub fn check(files: &[TextFile], all_paths: &BTreeSet<String>) -> Vec<Finding> {
    let anchors: BTreeMap<&str, BTreeSet<String>> = files
        .iter()
        .filter(|file| file.path.ends_with(".md"))
        .map(|file| (&*file.path, anchors(&file.content)))
        .collect();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        for (line, target) in links(&file.content) {
            if let Some(message) = fault(&file.path, &target, &anchors, all_paths) {
                findings.push(Finding { path: file.path.clone(), line, message });
            }
        }
    }
    findings
}

/// The fault of a link. Returns `None` if it leads somewhere, or out of the workspace.
fn fault(
    from: &str,
    target: &str,
    anchors: &BTreeMap<&str, BTreeSet<String>>,
    all_paths: &BTreeSet<String>,
) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let path = if path.is_empty() { from.to_owned() } else { resolve(from, path)? };
    let is_folder = || {
        all_paths.range(format!("{path}/")..).next().is_some_and(|next| next.starts_with(&format!("{path}/")))
    };
    if !path.is_empty() && !all_paths.contains(&path) && !is_folder() {
        return Some(format!("the link {target} leads to no file"));
    }
    let anchor = anchor?;
    let is_there = anchors.get(&*path).is_none_or(|anchors| anchors.contains(anchor));
    (!is_there).then(|| format!("the link {target} leads to no heading"))
}

/// A path relative to a file, from the root of the workspace. Returns `None` if it leads out of the
/// workspace.
fn resolve(from: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The targets of inline links outside of code, with their lines.
fn links(content: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose_lines(content) {
        let mut rest = line;
        let mut is_code = false;
        while let Some(at) = rest.find(['`', ']']) {
            let after = &rest[at + 1..];
            if rest[at..].starts_with('`') {
                is_code = !is_code;
            } else if !is_code
                && let Some(target) = after.strip_prefix('(').and_then(|rest| rest.split_once(')'))
            {
                found.push((number, target.0.split(' ').next().unwrap_or_default().to_owned()));
            }
            rest = after;
        }
    }
    found
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(content: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (_, line) in prose_lines(content) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let slug: String = title
            .trim()
            .chars()
            .filter(|char| char.is_alphanumeric() || " -_".contains(*char))
            .map(|char| if char == ' ' { '-' } else { char })
            .flat_map(char::to_lowercase)
            .collect();
        let mut name = slug.clone();
        let mut count = 0;
        while !found.insert(name) {
            count += 1;
            name = format!("{slug}-{count}");
        }
    }
    found
}

/// The lines outside of fenced code, numbered from 1.
fn prose_lines(content: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_in_fence = false;
    content.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_in_fence ^= is_fence;
        (!is_in_fence && !is_fence).then_some((index + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_missing_files_and_headings_are_found() {
        let file =
            |path: &str, content: &str| TextFile { path: path.to_owned(), content: content.to_owned() };
        let files = [
            file(
                "docs/a.md",
                "[x](b.md) [y](b.md#one-two) `[z](no)` [u](https://x.org)\n```\n[v](no)\n```\n[c](../docs) [r](../README.md#top)\n\
                 [1](no.md) [2](b.md#three) [3](#no)\n",
            ),
            file("docs/b.md", "# One, *two*\n"),
            file("README.md", "## Top\n"),
        ];
        let paths = files.iter().map(|file| file.path.clone()).collect();
        let found: Vec<String> = check(&files, &paths).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "docs/a.md:6: the link no.md leads to no file",
                "docs/a.md:6: the link b.md#three leads to no heading",
                "docs/a.md:6: the link #no leads to no heading",
            ]
        );
    }
}
