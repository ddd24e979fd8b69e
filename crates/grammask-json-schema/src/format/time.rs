//! Dates, times and durations: RFC 3339, section 5.6 with the restrictions of 5.7, and appendix A.

use crate::languages::{LanguageId, Languages};

/// A date that every year has, without its year.
const MONTH_DAY: &str = "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))";
/// A leap year.
const LEAP_YEAR: &str = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const HOUR: &str = "(?:[01][0-9]|2[0-3])";
const MINUTE: &str = "[0-5][0-9]";
/// What may stand behind the seconds.
const FRACTION: &str = r"(?:\.[0-9]+)?";

pub(super) fn date(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("[0-9]{{4}}-{MONTH_DAY}|{LEAP_YEAR}-02-29"))
}

pub(super) fn date_time(languages: &mut Languages) -> LanguageId {
    let parts = [date(languages), languages.regex("[Tt]"), time(languages)];
    languages.sequence(parts)
}

pub(super) fn time(languages: &mut Languages) -> LanguageId {
    let usual = format!("{HOUR}:{MINUTE}:{MINUTE}{FRACTION}(?:[Zz]|[+-]{HOUR}:{MINUTE})");
    let parts = [languages.regex(&usual), leap_second(languages)];
    languages.union(parts)
}

/// The times of a leap second: it is 23:59:60 in UTC.
///
/// The offset follows from the time digit by digit, and each digit is tied by a set of its own, so that a few dozen alternatives stand
/// for all 2,880 pairs. What the alternatives share stands outside of them or is one set, for the sake of the time that it takes to read.
fn leap_second(languages: &mut Languages) -> LanguageId {
    let utc = languages.regex(&format!("23:59:60{FRACTION}[Zz]"));
    // East of Greenwich by full hours, the hour is the one before the offset.
    let hours = (0..24).map(|hour| (format!("{:02}", (hour + 23) % 24), format!("{hour:02}")));
    let middle = languages.regex(&format!(r":59:60{FRACTION}\+"));
    let full = [pairs(languages, hours, middle), languages.text(":00")];
    let full = languages.sequence(full);
    // With minutes, the hour is that of the offset and the minute the one before: after a 9, the tens go on, too.
    let tens = (0..6).map(|a| (format!("{a}[0-8]"), a)).chain((0..5).map(|a| (format!("{a}9"), a + 1)));
    let east = [
        tie(languages, r"\+", 0, (0..3).map(|a| (a.to_string(), a))),
        tie(languages, r"\+", 1, (0..10).map(|a| (a.to_string(), a))),
        tie(languages, r"\+", 3, tens),
        tie(languages, r"\+", 4, (0..10).map(|a| (a.to_string(), (a + 1) % 10))),
    ];
    let east = tied(languages, r"\+", east);
    // West of it, both are what is missing to 23:59.
    let tens =
        (0..3).map(|a| (format!("{a}[0-3]"), 2 - a)).chain((0..2).map(|a| (format!("{a}[4-9]"), 1 - a)));
    let west = [
        tie(languages, "-", 0, tens),
        tie(languages, "-", 1, (0..10).map(|a| (a.to_string(), (13 - a) % 10))),
        tie(languages, "-", 3, (0..6).map(|a| (a.to_string(), 5 - a))),
        tie(languages, "-", 4, (0..10).map(|a| (a.to_string(), 9 - a))),
    ];
    let west = tied(languages, "-", west);
    languages.union([utc, full, east, west])
}

/// Pairs of texts, with the same between them. The first of a pair may be a regex.
fn pairs(
    languages: &mut Languages,
    pairs: impl Iterator<Item = (String, String)>,
    middle: LanguageId,
) -> LanguageId {
    let mut all = Vec::new();
    for (first, second) in pairs {
        let first = if first.contains('[') { languages.regex(&first) } else { languages.text(&first) };
        let second = languages.text(&second);
        all.push(languages.sequence([first, middle, second]));
    }
    languages.union(all)
}

/// Ties the digit at a place of the offset to those from that place of the time on.
fn tie(
    languages: &mut Languages,
    sign: &str,
    at: usize,
    digits: impl Iterator<Item = (String, u32)>,
) -> LanguageId {
    // What stands before a place of `HH:MM`, and from it on.
    const BEFORE: [&str; 6] = ["", "[0-9]", "[0-9]{2}", "[0-9]{2}:", "[0-9]{2}:[0-9]", "[0-9]{2}:[0-9]{2}"];
    const REST: [&str; 6] = ["[0-9]{2}:[0-9]{2}", "[0-9]:[0-9]{2}", ":[0-9]{2}", "[0-9]{2}", "[0-9]", ""];
    let mut digits = digits.map(|(time, digit)| (time, digit.to_string())).peekable();
    // One digit of the time, or one and a choice of the next.
    let two = digits.peek().is_some_and(|(time, _)| time.len() > 1);
    let behind = REST[at + if two { 2 } else { 1 }];
    let middle = languages.regex(&format!("{behind}:60{FRACTION}{sign}{}", BEFORE[at]));
    let mut parts = vec![pairs(languages, digits, middle)];
    if at > 0 {
        parts.insert(0, languages.regex(BEFORE[at]));
    }
    if at < 4 {
        parts.push(languages.regex(REST[at + 1]));
    }
    languages.sequence(parts)
}

/// The times of leap seconds with an offset of one sign that obey all ties.
fn tied(languages: &mut Languages, sign: &str, ties: [LanguageId; 4]) -> LanguageId {
    let shape = languages.regex(&format!("{HOUR}:{MINUTE}:60{FRACTION}{sign}{HOUR}:{MINUTE}"));
    languages.and([shape].into_iter().chain(ties))
}

pub(super) fn duration(languages: &mut Languages) -> LanguageId {
    let number = "[0-9]+";
    let second = format!("{number}S");
    let minute = format!("{number}M(?:{second})?");
    let hour = format!("{number}H(?:{minute})?");
    let time = format!("T(?:{hour}|{minute}|{second})");
    let day = format!("{number}D");
    let month = format!("{number}M(?:{day})?");
    let year = format!("{number}Y(?:{month})?");
    languages.regex(&format!("P(?:(?:{year}|{month}|{day})(?:{time})?|{time}|{number}W)"))
}
