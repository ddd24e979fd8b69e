//! Identifiers of resources and of parts of documents: RFC 3986, 3987, 4122, 6570 and 6901, and relative JSON
//! pointers.

use super::host::ipv6_regex;
use crate::language::{LanguageId, Languages};

const UNRESERVED: &str = r"0-9A-Za-z._~\-";
const DELIMITERS: &str = r"!$&'()*+,;=";
const PERCENT: &str = "%[0-9A-Fa-f]{2}";
/// Characters that RFC 3987 adds to the unreserved ones, and to those of queries.
const BEYOND: &str = r"\u{a0}-\u{d7ff}\u{f900}-\u{fdcf}\u{fdf0}-\u{ffef}\u{10000}-\u{1fffd}\u{20000}-\u{2fffd}\u{30000}-\u{3fffd}\u{40000}-\u{4fffd}\u{50000}-\u{5fffd}\u{60000}-\u{6fffd}\u{70000}-\u{7fffd}\u{80000}-\u{8fffd}\u{90000}-\u{9fffd}\u{a0000}-\u{afffd}\u{b0000}-\u{bfffd}\u{c0000}-\u{cfffd}\u{d0000}-\u{dfffd}\u{e1000}-\u{efffd}";
const PRIVATE: &str = r"\u{e000}-\u{f8ff}\u{f0000}-\u{ffffd}\u{100000}-\u{10fffd}";

const SCHEME: &str = "[A-Za-z][0-9A-Za-z+.-]*:";

/// The parts of an identifier, as regexes.
struct Parts {
    /// Two slashes, an authority, and the path after it.
    network: String,
    /// A path from the root.
    absolute: String,
    /// A path that starts with a segment.
    rootless: String,
    /// A path that starts with a segment without a colon.
    no_scheme: String,
    /// An optional query and an optional fragment.
    tail: String,
}

impl Parts {
    fn new(beyond: &str, private: &str) -> Self {
        let some = |more: &str| format!("(?:[{UNRESERVED}{beyond}{DELIMITERS}{more}]|{PERCENT})");
        let (plain, part) = (some(""), some(":@"));
        let user = some(":");
        let without_colon = some("@");
        let query = some(&format!(":@/?{private}"));
        let fragment = some(":@/?");
        let future = format!(r"[Vv][0-9A-Fa-f]+\.[{UNRESERVED}{DELIMITERS}:]+");
        let host = format!(r"(?:\[(?:{}|{future})\]|{plain}*)", ipv6_regex());
        let segments = format!("(?:/{part}*)*");
        Self {
            network: format!("//(?:{user}*@)?{host}(?::[0-9]*)?{segments}"),
            absolute: format!("/(?:{part}+{segments})?"),
            rootless: format!("{part}+{segments}"),
            no_scheme: format!("{without_colon}+{segments}"),
            tail: format!(r"(?:\?{query}*)?(?:#{fragment}*)?"),
        }
    }

    fn whole(&self) -> String {
        let Self { network, absolute, rootless, tail, .. } = self;
        format!("{SCHEME}(?:{network}|{absolute}|{rootless}|){tail}")
    }

    fn reference(&self) -> String {
        let Self { network, absolute, rootless, no_scheme, tail } = self;
        format!("(?:(?:{SCHEME})?(?:{network}|{absolute})|{SCHEME}(?:{rootless})?|(?:{no_scheme})?){tail}")
    }
}

pub(super) fn uri(languages: &mut Languages) -> LanguageId {
    languages.regex(&Parts::new("", "").whole())
}

pub(super) fn uri_reference(languages: &mut Languages) -> LanguageId {
    languages.regex(&Parts::new("", "").reference())
}

pub(super) fn iri(languages: &mut Languages) -> LanguageId {
    languages.regex(&Parts::new(BEYOND, PRIVATE).whole())
}

pub(super) fn iri_reference(languages: &mut Languages) -> LanguageId {
    languages.regex(&Parts::new(BEYOND, PRIVATE).reference())
}

/// Returns the templates of RFC 6570. Its erratum 6937 allows the apostrophe.
pub(super) fn uri_template(languages: &mut Languages) -> LanguageId {
    let literal = format!(r"(?:[!#$&-;=?-\[\]_a-z~{BEYOND}{PRIVATE}]|{PERCENT})");
    let character = format!("(?:[0-9A-Za-z_]|{PERCENT})");
    let variable = format!(r"{character}(?:\.?{character})*(?::[1-9][0-9]{{0,3}}|\*)?");
    let expression = format!(r"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}}");
    languages.regex(&format!("(?:{literal}|{expression})*"))
}

const POINTER: &str = "(?:/(?:[^~/]|~[01])*)*";

pub(super) fn json_pointer(languages: &mut Languages) -> LanguageId {
    languages.regex(POINTER)
}

pub(super) fn relative_json_pointer(languages: &mut Languages) -> LanguageId {
    languages.regex(&format!("(?:0|[1-9][0-9]*)(?:#|{POINTER})"))
}

pub(super) fn uuid(languages: &mut Languages) -> LanguageId {
    languages.regex("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
}
