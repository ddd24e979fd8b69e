//! The formats against the official test suite, where it is available, and against plain programs.

use std::path::PathBuf;

use super::{NAMES, language};
use crate::config::Draft;
use crate::language::{Approximation, Languages};

fn languages() -> Languages {
    Languages::new(&crate::Config::default())
}

/// Formats that are not a regular language: the cases of the suite are skipped.
const LEFT_OUT: &[&str] = &["regex", "idn-hostname"];

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn official_suite_cases_have_the_stated_verdict() {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("GRAMMASK_SHARED").map_or(beside, PathBuf::from);
    let suite = shared.join("json-schema-test-suite/tests");
    if !suite.is_dir() {
        eprintln!("skipped: no test suite at {}", suite.display());
        return;
    }
    let drafts = [
        ("draft4", Draft::Draft4),
        ("draft6", Draft::Draft6),
        ("draft7", Draft::Draft7),
        ("draft2019-09", Draft::Draft201909),
        ("draft2020-12", Draft::Draft202012),
    ];
    let mut wrong = Vec::new();
    for (name, draft) in drafts {
        let folder = suite.join(name).join("optional/format");
        let mut files: Vec<_> =
            std::fs::read_dir(&folder).expect("a folder").map(|file| file.expect("a file").path()).collect();
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a readable file");
            let groups: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            for group in groups.as_array().expect("a list of groups") {
                let Some(asked) = group["schema"]["format"].as_str() else { continue };
                let mut languages = languages();
                let Some(id) = language(&mut languages, asked, draft, Approximation::Under) else { continue };
                for case in group["tests"].as_array().expect("a list of cases") {
                    let Some(text) = case["data"].as_str() else { continue };
                    let found = languages
                        .contains(id, text)
                        .unwrap_or_else(|error| panic!("{asked} {text:?}: {error}"));
                    let description = case["description"].as_str().unwrap_or_default();
                    // Labels in Punycode are left out, valid ones included.
                    let encoded = asked == "hostname" && draft >= Draft::Draft7 && text.contains("xn--");
                    if found != (case["valid"] == true && !encoded) {
                        wrong.push(format!(
                            "{name} {asked} {text:?} should be {}: {description}",
                            case["valid"]
                        ));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn unknown_formats_have_no_language() {
    for name in LEFT_OUT.iter().chain(&["", "color", "int32", "Date"]) {
        assert_eq!(
            language(&mut languages(), name, Draft::Draft202012, Approximation::Under),
            None,
            "{name}"
        );
    }
}

#[test]
fn dates_are_days_of_the_calendar() {
    let mut languages = languages();
    let id =
        language(&mut languages, "date", Draft::Draft202012, Approximation::Under).expect("in the table");
    let leap = |year: u32| (year.is_multiple_of(4) && !year.is_multiple_of(100)) || year.is_multiple_of(400);
    for year in (0..2500).chain([9996, 9999]) {
        for month in [0, 1, 2, 4, 12, 13] {
            for day in [0, 1, 28, 29, 30, 31, 32] {
                let days = match month {
                    2 => 28 + u32::from(leap(year)),
                    4 => 30,
                    1 | 12 => 31,
                    _ => 0,
                };
                let text = format!("{year:04}-{month:02}-{day:02}");
                let found = languages.contains(id, &text).expect("within the limits");
                assert_eq!(found, (1..=days).contains(&day), "{text}");
            }
        }
    }
}

#[test]
fn leap_seconds_end_the_day_in_utc() {
    let mut languages = languages();
    let id =
        language(&mut languages, "time", Draft::Draft202012, Approximation::Under).expect("in the table");
    for local in (0..1440).step_by(7).chain([1439]) {
        for offset in (0..1440).step_by(13).chain([1, 30, 59, 60, 61, 1439]) {
            for (sign, utc) in [('+', (local + 1440 - offset) % 1440), ('-', (local + offset) % 1440)] {
                let time = format!("{:02}:{:02}", local / 60, local % 60);
                let text = format!("{time}:60.5{sign}{:02}:{:02}", offset / 60, offset % 60);
                assert_eq!(languages.contains(id, &text).expect("within the limits"), utc == 1439, "{text}");
            }
        }
    }
}

#[test]
fn double_colon_in_a_mailbox_replaces_at_least_two_parts() {
    let mut languages = languages();
    let mail =
        language(&mut languages, "email", Draft::Draft202012, Approximation::Under).expect("in the table");
    for (address, is_right) in [
        ("::1", true),
        ("::", true),
        ("1:2:3:4:5:6::", true),
        ("::1:2:3:4:5:6", true),
        ("1:2:3::4:5:6", true),
        ("1:2:3:4:5:6:7:8", true),
        ("1:2:3:4:5:6:7::", false),
        ("1:2:3::4:5:6:7", false),
        ("1:2:3:4:5:6:7", false),
        ("1:2:3:4:5:6:1.2.3.4", true),
        ("1:2::3:4:1.2.3.4", true),
        ("1:2::3:4:5:1.2.3.4", false),
        ("::1.2.3.4", true),
    ] {
        let found = languages.contains(mail, &std::format!("a@[IPv6:{address}]")).expect("within the limits");
        assert_eq!(found, is_right, "{address}");
    }
}

#[test]
fn names_are_the_formats_with_a_language() {
    for name in NAMES {
        let found = language(&mut languages(), name, Draft::Draft202012, Approximation::Under);
        assert_eq!(found.is_some(), !LEFT_OUT.contains(&name), "{name}");
    }
}
