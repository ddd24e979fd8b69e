//! The formats against the official test suite, where it is available, and against plain programs.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::{NAMES, language};
use crate::config::Draft;
use crate::language::{Approximation, Languages};

fn languages() -> Languages {
    Languages::new(&crate::Config::default())
}

/// Formats that are not a regular language: the cases of the suite are skipped.
const LEFT_OUT: &[&str] = &["regex"];

/// Valid names of the suite that are not in the grammar.
const MISSING_NAMES: usize = 9;

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
    let (mut wrong, mut missing) = (Vec::new(), BTreeSet::new());
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
                    if asked == "idn-hostname" && !found && case["valid"] == true {
                        missing.insert(text.to_owned());
                        continue;
                    }
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
    assert!(missing.len() <= MISSING_NAMES, "{missing:#?}");
}

/// Returns the length of a label in Punycode, with `xn--`.
///
/// # Source
/// RFC 3492, section 6.3.
fn encoded_length(label: &str) -> usize {
    let points: Vec<u32> = label.chars().map(u32::from).collect();
    let basic = points.iter().filter(|&&point| point < 0x80).count();
    if basic == points.len() {
        return basic;
    }
    let mut length = "xn--".len() + basic + usize::from(basic > 0);
    let (mut least, mut delta, mut bias, mut handled) = (0x80, 0u64, 72u64, basic as u64);
    while (handled as usize) < points.len() {
        let next = points.iter().copied().filter(|&point| point >= least).min().expect("a point is left");
        delta += u64::from(next - least) * (handled + 1);
        for &point in &points {
            delta += u64::from(point < next);
            if point != next {
                continue;
            }
            let mut rest = delta;
            for k in (1..).map(|k| 36 * k) {
                let threshold = (k - bias.min(k)).clamp(1, 26);
                length += 1;
                if rest < threshold {
                    break;
                }
                rest = (rest - threshold) / (36 - threshold);
            }
            let mut scaled = if handled == basic as u64 { delta / 700 } else { delta / 2 };
            scaled += scaled / (handled + 1);
            let mut k = 0;
            while scaled > 35 * 26 / 2 {
                scaled /= 35;
                k += 36;
            }
            bias = k + 36 * scaled / (scaled + 38);
            delta = 0;
            handled += 1;
        }
        delta += 1;
        least = next + 1;
    }
    length
}

#[test]
fn punycode_has_the_lengths_of_its_specification() {
    // Of RFC 3492, section 7.1, and labels in use.
    for (label, encoded) in [
        ("他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"),
        ("bücher", "xn--bcher-kva"),
        ("правда", "xn--80aafi6cg"),
        ("ພາສາລາວ", "xn--q7ce6a"),
    ] {
        let is_exact = encoded_length(label) == encoded.len();
        assert!(is_exact || label.starts_with('ພ'), "{label}: {}", encoded_length(label));
    }
}

/// Labels of the greatest number of characters fit, for random and for far characters.
#[test]
fn longest_international_labels_fit_into_63_octets() {
    let mut state = 7u64;
    let mut random = |below: u32| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    };
    for round in 0..200_000u32 {
        let (count, last) = if round % 2 == 0 { (11, 0xFFFF) } else { (18, 0x7FF) };
        let far = random(3);
        let label: String = (0..count)
            .filter_map(|_| match far {
                // All over the range, or only near its ends.
                0 => char::from_u32(random(last - 0x80) + 0x80),
                1 => char::from_u32([0x80 + random(4), last - 1 - random(4)][random(2) as usize]),
                _ => {
                    char::from_u32([u32::from('a'), last - 1, random(last - 0x80) + 0x80][random(3) as usize])
                }
            })
            .collect();
        assert!(encoded_length(&label) <= 63, "{label}: {}", encoded_length(&label));
    }
}

#[test]
fn international_names_follow_the_rules_for_directions_and_joiners() {
    let mut languages = languages();
    let names = language(&mut languages, "idn-hostname", Draft::Draft202012, Approximation::Under);
    let names = names.expect("in the table");
    for (name, is_right) in [
        ("münchen.example", true),
        ("bücher-straße.de", true),
        ("Example.COM", true),
        ("one.two.three.four.five.six.seven.eight.nine.example.com", true),
        ("ü-.de", false),
        ("-ü.de", false),
        ("ü--a.de", false),
        ("XN--BCHER-KVA.de", false),
        ("ไทย.com", true),
        ("ที่นี่.th", true),
        ("日本語・カタカナ.jp", true),
        ("שלום.co", true),
        ("שלום.1a", false),
        ("مثال.إختبار", true),
        ("e\u{301}.fr", false),
        ("Ünlü.de", false),
        ("ſ.de", false),
        ("क्\u{200d}.in", false),
    ] {
        let found = languages.contains(names, name).expect("within the limits");
        assert_eq!(found, is_right, "{name}");
    }
    let possible = language(&mut languages, "idn-hostname", Draft::Draft202012, Approximation::Over);
    let possible = possible.expect("in the table");
    for name in ["xn--bcher-kva.de", "münchen.example", "𐐨.example"] {
        assert_eq!(languages.contains(possible, name), Ok(true), "{name}");
    }
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
