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
/// The offset follows from the time digit by digit, and each digit is tied by a regex of its own, so that a few dozen alternatives stand
/// for all 2,880 pairs. What stands before the tied digits is said once, so that the alternatives are not carried along with it.
fn leap_second(languages: &mut Languages) -> LanguageId {
    let (plus, minus) = (r"\+", "-");
    let utc = languages.regex(&format!("23:59:60{FRACTION}[Zz]"));
    // East of Greenwich by full hours, the hour is the one before the offset.
    let full = (0..24).map(|hour| format!("{:02}:59:60{FRACTION}{plus}{hour:02}:00", (hour + 23) % 24));
    let full = languages.regex(&full.collect::<Vec<_>>().join("|"));
    // With minutes, the hour is that of the offset and the minute the one before: after a 9, the tens go on, too.
    let tens = (0..6).map(|a| (format!("{a}[0-8]"), a)).chain((0..5).map(|a| (format!("{a}9"), a + 1)));
    let east = [
        tie(plus, 0, (0..3).map(|a| (format!("{a}[0-9]"), a))),
        tie(plus, 1, (0..10).map(|a| (a.to_string(), a))),
        tie(plus, 3, tens),
        tie(plus, 4, (0..10).map(|a| (a.to_string(), (a + 1) % 10))),
    ];
    let east = tied(languages, plus, &east);
    // West of it, both are what is missing to 23:59.
    let tens =
        (0..3).map(|a| (format!("{a}[0-3]"), 2 - a)).chain((0..2).map(|a| (format!("{a}[4-9]"), 1 - a)));
    let west = [
        tie(minus, 0, tens),
        tie(minus, 1, (0..10).map(|a| (a.to_string(), (13 - a) % 10))),
        tie(minus, 3, (0..6).map(|a| (format!("{a}[0-9]"), 5 - a))),
        tie(minus, 4, (0..10).map(|a| (a.to_string(), 9 - a))),
    ];
    let west = tied(languages, minus, &west);
    languages.union([utc, full, east, west])
}

/// Ties the digit at a place of the offset to those from that place of the time on, by pairs of them.
fn tie(sign: &str, at: usize, pairs: impl Iterator<Item = (String, u32)>) -> String {
    const SHAPE: [&str; 6] = ["", "[0-9]", "[0-9]{2}", "[0-9]{2}:", "[0-9]{2}:[0-9]", "[0-9]{2}:[0-9]{2}"];
    const REST: [&str; 6] = ["[0-9]{2}:[0-9]{2}", "[0-9]:[0-9]{2}", ":[0-9]{2}", "[0-9]{2}", "[0-9]", ""];
    let before = SHAPE[at];
    let all: Vec<_> = pairs
        .map(|(time, digit)| {
            // A digit, and a class behind it where the pair holds two.
            let behind = REST[at + if time.len() > 1 { 2 } else { 1 }];
            format!("{time}{behind}:60{FRACTION}{sign}{before}{digit}{}", REST[at + 1])
        })
        .collect();
    format!("{before}(?:{})", all.join("|"))
}

/// The times of leap seconds with an offset of one sign that obey all ties.
fn tied(languages: &mut Languages, sign: &str, ties: &[String]) -> LanguageId {
    let mut all = vec![languages.regex(&format!("{HOUR}:{MINUTE}:60{FRACTION}{sign}{HOUR}:{MINUTE}"))];
    all.extend(ties.iter().map(|tie| languages.regex(tie)));
    languages.and(all)
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
