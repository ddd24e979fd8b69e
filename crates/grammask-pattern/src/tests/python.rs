//! Patterns of Python against the module `re` of Python 3.11, where it is installed.

use std::fmt::Write as _;
use std::process::Command;

use super::{pick, store, texts};
use crate::language::Languages;
use crate::{Cause, Config, Dialect, atomic, search, syntax};

/// Prints one line for each pattern: `invalid`, or a digit for each text, 1 if the pattern matches in it.
const SCRIPT: &str = "
import re, sys, warnings
warnings.simplefilter('ignore')
patterns, texts = eval(sys.stdin.read())
for pattern in patterns:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, ValueError):
        print('invalid')
        continue
    print(''.join('1' if compiled.search(text) else '0' for text in texts))
";

/// Returns the lines that Python prints. Returns `None` if there is no Python 3.11.
fn ask_python(patterns: &[String], texts: &[String]) -> Option<Vec<String>> {
    let file = std::env::temp_dir().join(format!("grammask-pattern-{}.txt", std::process::id()));
    let mut input = String::from("(");
    for list in [patterns, texts] {
        input.push('[');
        for text in list {
            input.push('\'');
            for c in text.chars() {
                let _ = write!(input, "\\U{:08x}", u32::from(c));
            }
            input.push_str("',");
        }
        input.push_str("],");
    }
    input.push(')');
    std::fs::write(&file, input).ok()?;
    let input = std::fs::File::open(&file).ok()?;
    let output = Command::new("python3.11").args(["-c", SCRIPT]).stdin(input).output();
    let _ = std::fs::remove_file(&file);
    let output = output.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.lines().map(str::to_owned).collect())
}

/// Compares patterns with Python on texts. Returns the number of compared patterns.
fn compare(patterns: &[String], texts: &[String]) -> Option<usize> {
    let answers = ask_python(patterns, texts)?;
    assert_eq!(answers.len(), patterns.len());
    let config = Config { dialect: Dialect::Python, ..Config::default() };
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (source, answer) in patterns.iter().zip(answers) {
        let mut store = store();
        let mut languages = Languages::new(&config, &mut store);
        let found = syntax::parse(source, &config).and_then(|(parsed, _)| {
            languages.set_word(parsed.word);
            let node = atomic::resolve(parsed.node, &mut languages)?;
            search::search(&mut languages, node, source.len())
        });
        match found {
            Ok(_) if answer == "invalid" => wrong.push(format!("{source:?}: valid")),
            Ok(id) => {
                compared += 1;
                let differs =
                    |(text, expected): &(&String, char)| languages.contains(id, text) != Ok(*expected == '1');
                wrong.extend(
                    texts
                        .iter()
                        .zip(answer.chars())
                        .find(differs)
                        .map(|(text, _)| format!("{source:?} on {text:?}")),
                );
            }
            Err(error) if error.cause == Cause::Invalid && answer != "invalid" => {
                wrong.push(format!("{source:?}: {error}"));
            }
            Err(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {}: {:#?}", wrong.len(), patterns.len(), &wrong[..wrong.len().min(40)]);
    Some(compared)
}

#[test]
fn random_patterns_match_where_python_does() {
    let mut state = 7u64;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let mut patterns = Vec::new();
    for _ in 0..3_000 {
        let mut source = String::new();
        if next(6) == 0 {
            source.push_str(pick(&mut next, &["(?m)", "(?s)", "(?x)", "(?i)", "(?a)", "(?ai)"]));
        }
        random(&mut next, 3, &mut source);
        patterns.push(source);
    }
    if let Some(compared) = compare(&patterns, &texts("a1-\n", 4)) {
        assert!(compared > 1_000, "{compared}");
    }
}

/// Appends a random pattern.
fn random(next: &mut dyn FnMut(u64) -> u64, depth: u32, out: &mut String) {
    for i in 0..=next(3) {
        if i > 0 && next(4) == 0 {
            out.push('|');
        }
        match next(if depth == 0 { 9 } else { 14 }) {
            0..=2 => out.push_str(pick(next, &["a", "1", "-", ".", " ", "A"])),
            3 => out.push_str(pick(
                next,
                &["[a1]", "[^a]", "[]a]", "[a-]", r"[\w-]", r"[^\d\n]", "[1-a]", "[[a]"],
            )),
            4 => out.push_str(pick(
                next,
                &[r"\w", r"\d", r"\s", r"\W", r"\x61", r"\061", r"\101", r"\1", r"\-", r"\z"],
            )),
            5 | 6 => out.push_str(pick(next, &["^", "$", r"\b", r"\B", r"\A", r"\Z", "(?#a)"])),
            7 => {
                out.push_str(pick(
                    next,
                    &["*", "+", "?", "{2}", "{,2}", "{1,}", "{a", "{}", "*?", "a{1,2}?"],
                ));
            }
            8 => out.push_str(pick(next, &["a*+", "[a1]++", "a{1,2}+", ".?+"])),
            kind => {
                let open = match kind {
                    9 => pick(next, &["(", "(?:", "(?P<n>"]),
                    10 => pick(next, &["(?=", "(?!"]),
                    11 => pick(next, &["(?<=", "(?<!"]),
                    12 => pick(next, &["(?i:", "(?s:", "(?m:", "(?-i:", "(?a:", "(?x:"]),
                    _ => "(?>",
                };
                out.push_str(open);
                random(next, depth - 1, out);
                out.push(')');
                out.push_str(pick(next, &["", "", "", "*", "+", "?", "{2}", "*+", "??"]));
            }
        }
    }
}

#[test]
fn classes_contain_the_characters_that_python_finds() {
    let patterns = [
        r"^\d$",
        r"^\w$",
        r"^\s$",
        r"^\W$",
        "(?i)^k$",
        "(?i)^[a-z]$",
        "(?i)^[^s]$",
        "(?i)^i$",
        "(?i)^ß$",
        "(?i)^µ$",
        "(?i)^Σ$",
        "(?i)^[Α-Ω]$",
        "(?ai)^[a-z]$",
        r"(?i)^[\W]$",
        "(?i)^ſ$",
        r"(?a)^\w$",
        r"(?a)^\s$",
        "(?i)^ǅ$",
        "(?i)^[à-þ]$",
    ];
    let patterns: Vec<String> = patterns.iter().map(|&source| source.to_owned()).collect();
    // Characters that Unicode 14, that of Python 3.11, has.
    let old = regex_syntax::parse(r"\p{age=14.0}").expect("a class");
    let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(old)) = old.kind() else {
        panic!("not a class");
    };
    let chars = old.ranges().iter().flat_map(|range| range.start()..=range.end());
    let texts: Vec<String> =
        chars.filter(|&c| c < '\u{3000}' || u32::from(c) % 97 == 0).map(String::from).collect();
    assert!(texts.len() > 10_000, "{}", texts.len());
    compare(&patterns, &texts);
}
