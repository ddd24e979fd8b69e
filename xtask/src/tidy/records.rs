//! Decisions: `docs/decisions/NNNN-title.md`, one decision a file, with a status and a date.

use super::Finding;

/// Lines of a decision. A longer one is a diary.
const MAX_LINES: usize = 60;

/// The folder of the decisions.
const FOLDER: &str = "docs/decisions/";

/// The file that lists the decisions.
const INDEX: &str = "README.md";

/// Checks a file, if it is a decision.
pub fn check(path: &str, content: &str) -> Vec<Finding> {
    let Some(name) = path.strip_prefix(FOLDER).filter(|name| *name != INDEX) else { return Vec::new() };
    let mut findings = Vec::new();
    let mut find = |message: String| findings.push(Finding::of_file(path, message));
    if !is_name(name) {
        find("a decision is called NNNN-title.md".to_owned());
    }
    let lines = content.lines().count();
    if lines > MAX_LINES {
        find(format!("{lines} lines, {MAX_LINES} are the limit for a decision"));
    }
    if field(content, "Status").is_none_or(|status| !status.starts_with(char::is_alphabetic)) {
        find("a decision has a line `Status: ...`".to_owned());
    }
    if field(content, "Date").is_none_or(|date| !is_date(date)) {
        find("a decision has a line `Date: YYYY-MM-DD`".to_owned());
    }
    findings
}

/// Whether a name is four digits, a hyphen, and words of lower case.
fn is_name(name: &str) -> bool {
    let Some((number, title)) = name.strip_suffix(".md").and_then(|name| name.split_once('-')) else {
        return false;
    };
    let is_title_char = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
    number.len() == 4
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && !title.is_empty()
        && title.chars().all(is_title_char)
}

/// The value in the first line `Name: value`, which may be an item of a list, and in bold.
fn field<'c>(content: &'c str, name: &str) -> Option<&'c str> {
    content.lines().find_map(|line| {
        let line = line.trim_start_matches(['-', '*', ' ']);
        let value = line.strip_prefix(name)?.trim_start_matches('*').strip_prefix(':')?;
        Some(value.trim_start_matches(['*', ' ']).trim_end())
    })
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10
        && bytes[..10].iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, content: &str) -> Vec<String> {
        check(path, content).into_iter().map(|finding| finding.message).collect()
    }

    #[test]
    fn decision_with_status_and_date_is_fine() {
        for head in
            ["Status: accepted\nDate: 2026-11-27", "- **Status**: superseded by 0003\n- **Date:** 2026-01-02"]
        {
            assert_eq!(messages("docs/decisions/0002-lazy-sets.md", &format!("# T\n\n{head}\n")), [""; 0]);
        }
        assert_eq!(messages("docs/decisions/README.md", ""), [""; 0]);
        assert_eq!(messages("docs/kbnf.md", ""), [""; 0]);
    }

    #[test]
    fn incomplete_decisions_are_found() {
        assert_eq!(
            messages("docs/decisions/2-Lazy.md", &"Date: soon\n".repeat(61)),
            [
                "a decision is called NNNN-title.md",
                "61 lines, 60 are the limit for a decision",
                "a decision has a line `Status: ...`",
                "a decision has a line `Date: YYYY-MM-DD`",
            ]
        );
    }
}
