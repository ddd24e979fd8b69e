//! The formats of the standard as languages, each defined by the specification to which the standard refers.

mod host;
mod idn;
mod idna_table;
pub(crate) mod registry;
mod resource;
mod time;

#[cfg(test)]
mod tests;

use crate::config::Draft;
use crate::language::{Approximation, LanguageId, Languages};

/// Returns the texts of a format. Returns `None` if the name is unknown or the format is not a regular
/// language.
///
/// The formats are those of draft 2020-12, section 7.3, for every draft: schemas of older drafts use them,
/// and mean the same. `regex` has no language: it is not regular and has rules of its own.
pub(crate) fn language(
    languages: &mut Languages,
    name: &str,
    draft: Draft,
    approximation: Approximation,
) -> Option<LanguageId> {
    Some(match name {
        "date-time" => time::date_time(languages),
        "date" => time::date(languages),
        "time" => time::time(languages),
        "duration" => time::duration(languages),
        "email" => host::email(languages),
        "idn-email" => host::idn_email(languages),
        "hostname" => {
            host::hostname(languages, approximation == Approximation::Under && is_approximate(name, draft))
        }
        "idn-hostname" if approximation == Approximation::Over => idn::possible(languages),
        "idn-hostname" => idn::idn_hostname(languages),
        "ipv4" => host::ipv4(languages),
        "ipv6" => host::ipv6(languages),
        "uri" => resource::uri(languages),
        "uri-reference" => resource::uri_reference(languages),
        "iri" => resource::iri(languages),
        "iri-reference" => resource::iri_reference(languages),
        "uri-template" => resource::uri_template(languages),
        "json-pointer" => resource::json_pointer(languages),
        "relative-json-pointer" => resource::relative_json_pointer(languages),
        "uuid" => resource::uuid(languages),
        _ => return None,
    })
}

/// Returns the texts beside those of a format that
/// [`Config::naive_times`](crate::Config::naive_times) allows. Returns `None` if it allows no others.
pub(crate) fn naive(languages: &mut Languages, name: &str) -> Option<LanguageId> {
    Some(match name {
        "date-time" => time::local_date_time(languages),
        "time" => time::local_time(languages),
        "duration" => time::signed_duration(languages),
        _ => return None,
    })
}

/// Names of the formats that are asserted: those of [`language`], and `regex`.
const NAMES: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];

/// Returns true if the format is asserted.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Returns true if the language of a format is not exact.
///
/// From draft 7 on, a host name may have labels in Punycode. Which of them are valid depends on the decoded
/// text, so [`Approximation::Under`] leaves all of them out, and [`Approximation::Over`] takes all of them.
/// International host names have two approximations as well, in every draft: some of their rules are not
/// regular.
pub(crate) fn is_approximate(name: &str, draft: Draft) -> bool {
    name == "idn-hostname" || name == "hostname" && draft >= Draft::Draft7
}
