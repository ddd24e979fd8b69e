//! The formats of the standard as sets of texts, each by the document that the standard names for it.

mod host;
mod resource;
mod time;

#[cfg(test)]
mod tests;

use crate::config::Draft;
use crate::languages::{LanguageId, Languages};

/// The texts of a format; none where the name stands for no format here, and so asks for nothing.
///
/// Known are the formats of draft 2020-12, section 7.3, in every draft: schemas of older drafts use them, too, and mean the same.
/// Two are said elsewhere: the texts of `regex` are no regular set and have rules of their own, and those of `idn-hostname`, which depend on decoded
/// Punycode and on Unicode normal forms, are refused.
pub(crate) fn format(languages: &mut Languages, name: &str, draft: Draft) -> Option<LanguageId> {
    Some(match name {
        "date-time" => time::date_time(languages),
        "date" => time::date(languages),
        "time" => time::time(languages),
        "duration" => time::duration(languages),
        "email" => host::email(languages),
        "idn-email" => host::idn_email(languages),
        "hostname" => host::hostname(languages, draft),
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
