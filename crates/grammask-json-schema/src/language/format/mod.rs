//! The formats of the standard as sets of texts, each by the document that the standard names for it.

mod host;
mod resource;
mod time;

#[cfg(test)]
mod tests;

use crate::config::Draft;
use crate::language::{LanguageId, Languages};

/// The texts of a format; none where the name stands for no format here, and so asks for nothing.
///
/// Known are the formats of draft 2020-12, section 7.3, in every draft: schemas of older drafts use them, too, and mean the same.
/// Two are said elsewhere: the texts of `regex` are no regular set and have rules of their own, and those of `idn-hostname`, which depend on decoded
/// Punycode and on Unicode normal forms, are refused.
///
/// `is_wide`: the texts that may be of the format, where it cannot be said which ones are; see [`is_rough`].
pub(crate) fn format(
    languages: &mut Languages,
    name: &str,
    draft: Draft,
    is_wide: bool,
) -> Option<LanguageId> {
    Some(match name {
        "date-time" => time::date_time(languages),
        "date" => time::date(languages),
        "time" => time::time(languages),
        "duration" => time::duration(languages),
        "email" => host::email(languages),
        "idn-email" => host::idn_email(languages),
        "hostname" => host::hostname(languages, !is_wide && is_rough(name, draft)),
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

/// The names that stand for a format here: those of [`format`], and two that are not regular sets of their own.
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

/// Whether a name stands for a format here.
pub(crate) fn is_known(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Whether the texts of a format are not all that it has: of host names with labels in Punycode, from draft 7 on, only some are right, which depends on
/// what they are when they are decoded. No regular set knows that, so they are left out; and where names of hosts are excluded, so are they.
pub(crate) fn is_rough(name: &str, draft: Draft) -> bool {
    name == "hostname" && draft >= Draft::Draft7
}
