//! Rules about Rust files: length, header, names, and what library code must not do.
//!
//! Comments, literals and tests are removed before code is searched, so that a comment may mention a rule.

use super::lexer::code_alone;
use super::{Finding, dependencies};

/// Maximum lines of a file. A longer one is asking to be two.
const MAX_LINES: usize = 600;

/// Names that say nothing about their contents.
const EMPTY_NAMES: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc", "types"];

/// Words that occur nowhere, not even in tests.
const UNFINISHED: &[&str] = &["todo!", "unimplemented!", "dbg!", "#[ignore"];

/// Words for files, environment, clock, output and threads, which library crates do not use.
const OUTSIDE_WORDS: &[&str] = &[
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "std::thread",
    "thread::spawn",
    "thread::sleep",
    "Instant",
    "SystemTime",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "stdout()",
    "stderr()",
    "stdin()",
];

/// Exceptions, which the docs of the item justify.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("crates/grammask/src/grammar/stats.rs", "Instant"),
    ("crates/grammask-mask/src/masks/warm_up.rs", "std::thread"),
    ("crates/grammask-cache/src/shared.rs", "std::thread"),
];

/// Modules of `std` that library crates do not import by `use std::{..}`.
const OUTSIDE_MODULES: &[&str] = &["fs", "env", "net", "process", "thread"];

/// Checks the names of a file and its folders.
pub fn check_name(path: &str) -> Option<Finding> {
    let is_ours = path.ends_with(".rs");
    let empty = path
        .split('/')
        .map(|part| part.strip_suffix(".rs").unwrap_or(part))
        .find(|p| EMPTY_NAMES.contains(p));
    empty
        .filter(|_| is_ours)
        .map(|name| Finding::of_file(path, format!("{name} says nothing about what is in there")))
}

/// Checks a Rust file.
pub fn check(path: &str, content: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines = content.lines().count();
    if lines > MAX_LINES {
        findings.push(Finding::of_file(path, format!("{lines} lines, {MAX_LINES} are the limit")));
    }
    if !content.starts_with("//!") {
        findings.push(Finding::of_file(path, "does not begin with a //! that says what it is for"));
    }
    let code = code_alone(content);
    for (at, word) in occurrences(&code, UNFINISHED) {
        findings.push(at_byte(path, &code, at, format!("{word} does not stay")));
    }
    for name in EMPTY_NAMES {
        for (at, _) in occurrences(&code, &[&format!("mod {name}")]) {
            findings.push(at_byte(
                path,
                &code,
                at,
                format!("mod {name} says nothing about what is in there"),
            ));
        }
    }
    if is_library_code(path) {
        let code = without_tests(&code);
        let found = occurrences(&code, OUTSIDE_WORDS).into_iter();
        for (at, word) in found.filter(|&(_, word)| !EXCEPTIONS.contains(&(path, word))) {
            findings.push(at_byte(path, &code, at, format!("{word} has no place in a library crate")));
        }
        for (at, module) in grouped_imports(&code) {
            findings.push(at_byte(path, &code, at, format!("std::{module} has no place in a library crate")));
        }
    }
    findings
}

/// Returns `true` if the file belongs to the library of a library crate, and not to its tests.
fn is_library_code(path: &str) -> bool {
    let mut parts = path.split('/');
    if parts.next() != Some("crates") || !parts.next().is_some_and(dependencies::is_library) {
        return false;
    }
    parts.next() == Some("src") && !path.ends_with("/tests.rs") && !parts.any(|part| part == "tests")
}

fn at_byte(path: &str, code: &str, at: usize, message: String) -> Finding {
    let line = code.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
    Finding { path: path.to_owned(), line, message }
}

/// Returns where the words occur as words: `print!` is not in `eprint!`, nor `mod types` in `mod types_of_x`.
fn occurrences<'a>(code: &str, words: &[&'a str]) -> Vec<(usize, &'a str)> {
    let is_name = |byte: Option<&u8>| byte.is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphanumeric());
    let bytes = code.as_bytes();
    let mut found = Vec::new();
    for word in words {
        for (at, _) in code.match_indices(word) {
            let end = at + word.len();
            let starts = !is_name(word.as_bytes().first()) || at == 0 || !is_name(bytes.get(at - 1));
            let ends = !is_name(bytes.get(end - 1)) || !is_name(bytes.get(end));
            if starts && ends {
                found.push((at, *word));
            }
        }
    }
    found
}

/// Returns the denied modules of a `use std::{fs, io};` with their byte offsets.
fn grouped_imports(code: &str) -> Vec<(usize, &'static str)> {
    let mut found = Vec::new();
    for (start, opening) in code.match_indices("std::{") {
        let start = start + opening.len();
        let mut depth = 0;
        let mut name_starts = true;
        for (at, char) in code[start..].char_indices() {
            match char {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => name_starts = true,
                _ if char.is_whitespace() => {}
                _ if depth == 0 && name_starts => {
                    name_starts = false;
                    let name: &str = code[start + at..]
                        .split(|c: char| !c.is_alphanumeric() && c != '_')
                        .next()
                        .unwrap_or("");
                    found.extend(
                        OUTSIDE_MODULES
                            .iter()
                            .find(|module| **module == name)
                            .map(|module| (start + at, *module)),
                    );
                }
                _ => {}
            }
        }
    }
    found
}

/// Returns the code, without comments and literals, with every item under `#[cfg(test)]` replaced by blanks.
fn without_tests(code: &str) -> String {
    let mut out = code.to_owned();
    let starts: Vec<usize> = code.match_indices("#[cfg(test)]").map(|(at, _)| at).collect();
    for start in starts {
        let end = item_end(code.as_bytes(), start);
        let blank: String =
            code[start..end].chars().map(|char| if char == '\n' { '\n' } else { ' ' }).collect();
        // One blank a character can be shorter than the bytes. Names of items are ASCII, so this is rare.
        let padded = format!("{blank:<width$}", width = end - start);
        out.replace_range(start..end, &padded);
    }
    out
}

/// Returns the end of the item at `start`: its first `;` or closing brace outside of brackets.
fn item_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().skip(start) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && *byte == b'}' {
                    return at + 1;
                }
            }
            b';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIBRARY: &str = "crates/grammask-trie/src/trie.rs";

    fn found(path: &str, code: &str) -> Vec<(usize, String)> {
        check(path, &format!("//! Head.\n{code}"))
            .into_iter()
            .map(|finding| (finding.line, finding.message))
            .collect()
    }

    #[test]
    fn a_long_file_is_found() {
        assert_eq!(check(LIBRARY, &format!("//! Head.\n{}", "\n".repeat(MAX_LINES - 1))), []);
        let findings = check(LIBRARY, &format!("//! Head.\n{}", "\n".repeat(MAX_LINES)));
        assert_eq!(findings[0].message, "601 lines, 600 are the limit");
    }

    #[test]
    fn a_missing_header_is_found() {
        let findings = check(LIBRARY, "use std::fmt;\n");
        assert_eq!(findings[0].message, "does not begin with a //! that says what it is for");
    }

    #[test]
    fn empty_names_are_found() {
        assert!(check_name("crates/grammask/src/utils.rs").is_some());
        assert!(check_name("crates/grammask/tests/common/mod.rs").is_some());
        assert!(check_name("crates/grammask/src/matcher.rs").is_none());
        assert!(check_name("fixtures/common/x.txt").is_none());
        assert_eq!(found(LIBRARY, "mod types;\nmod types_of_x;").len(), 1);
    }

    #[test]
    fn unfinished_code_is_found_in_tests_too() {
        let code = "#[cfg(test)]\nmod tests {\n  #[ignore]\n  fn f() { todo!() }\n}\n";
        let lines: Vec<usize> =
            found("crates/grammask-cli/src/main.rs", code).into_iter().map(|found| found.0).collect();
        assert_eq!(lines, [5, 4]);
    }

    #[test]
    fn an_exception_is_one_for_one_file_and_one_word() {
        let (path, word) = EXCEPTIONS[0];
        assert_eq!(found(path, &format!("use std::time::{word};\n")), []);
        assert_eq!(found(LIBRARY, &format!("use std::time::{word};\n")).len(), 1);
        assert_eq!(found(path, "use std::time::SystemTime;\n").len(), 1);
    }

    #[test]
    fn library_code_does_not_reach_outside() {
        let code =
            "fn f() { std::fs::read(\"x\"); println!(); }\nuse std::{env, io::{self, Read}, fs as files};\n";
        let messages: Vec<String> = found(LIBRARY, code).into_iter().map(|found| found.1).collect();
        assert_eq!(
            messages,
            [
                "std::fs has no place in a library crate",
                "println! has no place in a library crate",
                "std::env has no place in a library crate",
                "std::fs has no place in a library crate",
            ]
        );
        for tool in
            ["crates/grammask-cli/src/main.rs", "crates/grammask-trie/tests/files.rs", "xtask/src/main.rs"]
        {
            assert_eq!(found(tool, code), [], "{tool}");
        }
    }

    #[test]
    fn comments_texts_and_tests_are_passed_over() {
        let code = r##"
// println! /* todo!
/* println! /* nested */ todo!() */
fn f<'a>(x: &'a str) -> char { let _ = ("todo!()", r#"dbg!(" "#, b"println!", '"', '\'', "\" dbg!"); 'x' }
#[cfg(test)]
mod tests { fn f() { println!("{}", '}'); } }
#[cfg(test)]
use std::fs;
"##;
        assert_eq!(found(LIBRARY, code), []);
        assert_eq!(found(LIBRARY, &format!("{code}fn g() {{ print!() }}")).len(), 1);
    }
}
