//! Dates, times and durations: RFC 3339, section 5.6 with the restrictions of 5.7, and appendix A.

use crate::language::{LanguageId, Languages};

/// Month and day of a date that every year has.
const MONTH_DAY: &str = "(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))";
/// A year from 0001 on.
const YEAR_FROM_1: &str = "(?:[0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)";
/// A leap year.
const LEAP_YEAR: &str = "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
/// A leap year from 0001 on.
const LEAP_YEAR_FROM_1: &str =
    "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:0[48]|[2468][048]|[13579][26])00)";
const HOUR: &str = "(?:[01][0-9]|2[0-3])";
const MINUTE: &str = "[0-5][0-9]";
/// Fraction of a second.
const FRACTION: &str = r"(?:\.[0-9]+)?";

pub(super) fn date(languages: &mut Languages) -> LanguageId {
    let all = languages.regex(&format!("[0-9]{{4}}-{MONTH_DAY}|{LEAP_YEAR}-02-29"));
    languages.offer_common(all, common_date);
    all
}

/// Returns the dates from the year 1 on.
fn common_date(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("{YEAR_FROM_1}-{MONTH_DAY}|{LEAP_YEAR_FROM_1}-02-29"))
}

pub(super) fn date_time(languages: &mut Languages) -> LanguageId {
    let time = time(languages);
    date_with(languages, time, common_time)
}

/// Returns the dates with a time of day, without an offset from UTC.
pub(super) fn local_date_time(languages: &mut Languages) -> LanguageId {
    let time = local_time(languages);
    date_with(languages, time, local_time)
}

/// Returns the dates with one of these times. `common` returns those of the times that parsers agree on.
fn date_with(
    languages: &mut Languages,
    time: LanguageId,
    common: fn(&mut Languages) -> LanguageId,
) -> LanguageId {
    let parts = [date(languages), languages.regex("[Tt]"), time];
    let all = languages.sequence(parts);
    languages.offer_common(all, |languages| {
        let parts = [common_date(languages), languages.text("T"), common(languages)];
        languages.sequence(parts)
    });
    all
}

/// Returns the times of day, without an offset from UTC.
pub(super) fn local_time(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("{HOUR}:{MINUTE}:{MINUTE}{FRACTION}"))
}

pub(super) fn time(languages: &mut Languages) -> LanguageId {
    let usual = format!("{HOUR}:{MINUTE}:{MINUTE}{FRACTION}(?:[Zz]|[+-]{HOUR}:{MINUTE})");
    let usual = languages.regex(&usual);
    languages.offer_common(usual, common_time);
    let mut parts = vec![usual];
    parts.extend(leap_seconds(languages));
    languages.union(parts)
}

/// Returns the times without leap seconds, with `Z` in capitals.
fn common_time(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("{HOUR}:{MINUTE}:{MINUTE}{FRACTION}(?:Z|[+-]{HOUR}:{MINUTE})"))
}

/// Returns the times of a leap second, which is 23:59:60 in UTC, by kinds of offsets.
///
/// The hour and the minute of the offset each follow from those of the time. So the intersection of a
/// language of 24 pairs and one of 60 pairs represents all 2,880 combinations. Pairs share prefixes digit by
/// digit to keep the expression small.
fn leap_seconds(languages: &mut Languages) -> [LanguageId; 4] {
    let utc = languages.regex(&format!("23:59:60{FRACTION}[Zz]"));
    // With an offset of h full hours to the east, 23:59:60 in UTC is the local time h-1:59:60, with h-1
    // modulo 24.
    let middle = languages.regex(&format!(r":59:60{FRACTION}\+"));
    let full = [pairs(languages, (0..24).map(|hour| (hour, (hour + 1) % 24)), middle), languages.text(":00")];
    let full = languages.sequence(full);
    // With an offset of h hours and m > 0 minutes to the east, the local time is h:m-1:60.
    let east = offset(
        languages,
        r"\+",
        (0..24).map(|hour| (hour, hour)),
        (0..59).map(|minute| (minute, minute + 1)),
    );
    // With an offset of h hours and m minutes to the west, the local time is 23-h:59-m:60.
    let west = offset(
        languages,
        "-",
        (0..24).map(|hour| (hour, 23 - hour)),
        (0..60).map(|minute| (minute, 59 - minute)),
    );
    let all = [utc, full, east, west];
    for part in all {
        languages.offer_common(part, |_| LanguageId::NONE);
    }
    all
}

/// Returns the leap seconds whose local hour and hour of the offset are one of `hours`, and whose local
/// minute and minute of the offset are one of `minutes`.
fn offset(
    languages: &mut Languages,
    sign: &str,
    hours: impl Iterator<Item = (u32, u32)>,
    minutes: impl Iterator<Item = (u32, u32)>,
) -> LanguageId {
    let middle = languages.regex(&format!(":{MINUTE}:60{FRACTION}{sign}"));
    let hours = [pairs(languages, hours, middle), languages.regex(&format!(":{MINUTE}"))];
    let middle = languages.regex(&format!(":60{FRACTION}{sign}{HOUR}:"));
    let minutes = [languages.regex(&format!("{HOUR}:")), pairs(languages, minutes, middle)];
    let both = [languages.sequence(hours), languages.sequence(minutes)];
    languages.and(both)
}

/// Returns pairs of two-digit numbers with `middle` between them, in ascending order of the first.
fn pairs(
    languages: &mut Languages,
    pairs: impl Iterator<Item = (u32, u32)>,
    middle: LanguageId,
) -> LanguageId {
    let mut tens = vec![Vec::new(); 6];
    for (first, second) in pairs {
        let parts =
            [languages.text(&(first % 10).to_string()), middle, languages.text(&format!("{second:02}"))];
        tens[first as usize / 10].push(languages.sequence(parts));
    }
    let mut all = Vec::new();
    for (digit, ones) in tens.into_iter().enumerate() {
        let parts = [languages.text(&digit.to_string()), languages.union(ones)];
        all.push(languages.sequence(parts));
    }
    languages.union(all)
}

pub(super) fn duration(languages: &mut Languages) -> LanguageId {
    languages.regex(&durations(""))
}

/// Returns the durations with an optional sign, whose seconds may have a fraction.
pub(super) fn signed_duration(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("[+-]?(?:{})", durations(r"(?:\.[0-9]+)?")))
}

/// Returns the regex of durations. `fraction` follows the seconds.
fn durations(fraction: &str) -> String {
    let number = "[0-9]+";
    let second = format!("{number}{fraction}S");
    let minute = format!("{number}M(?:{second})?");
    let hour = format!("{number}H(?:{minute})?");
    let time = format!("T(?:{hour}|{minute}|{second})");
    let day = format!("{number}D");
    let month = format!("{number}M(?:{day})?");
    let year = format!("{number}Y(?:{month})?");
    format!("P(?:(?:{year}|{month}|{day})(?:{time})?|{time}|{number}W)")
}
