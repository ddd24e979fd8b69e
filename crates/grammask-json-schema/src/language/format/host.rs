//! Names and addresses of hosts and mailboxes: RFC 1123, 2673, 4291, 5321 and 6531.

use crate::language::{LanguageId, Languages};

/// A number from 0 to 255 without leading zeros.
const OCTET: &str = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
/// One of the eight parts of an IPv6 address.
const HEX: &str = "[0-9A-Fa-f]{1,4}";
/// A label of a host name.
const LABEL: &str = "[0-9A-Za-z](?:[0-9A-Za-z-]{0,61}[0-9A-Za-z])?";
/// Length of the longest host name, in characters.
const NAME: u32 = 253;
/// Length of the longest local part of a mailbox, in characters.
const LOCAL: u32 = 64;
/// Characters outside of ASCII in a local part; in a label, letters, marks and digits only.
const BEYOND: &str = r"\u{80}-\u{10ffff}";
const BEYOND_LABEL: &str = r"[\u{80}-\u{10ffff}&&[\p{L}\p{M}\p{Nd}]]";

pub(super) fn ipv4_regex() -> String {
    format!(r"{OCTET}(?:\.{OCTET}){{3}}")
}

pub(super) fn ipv4(languages: &mut Languages) -> LanguageId {
    languages.regex(&ipv4_regex())
}

/// Returns the forms of an IPv6 address, by the number of parts before `::`, as in the grammar of RFC 3986.
pub(super) fn ipv6_regex() -> String {
    let last = format!("(?:{HEX}:{HEX}|{})", ipv4_regex());
    let mut forms = vec![format!("(?:{HEX}:){{6}}{last}")];
    for after in (0..=5).rev() {
        let before = match 5 - after {
            0 => String::new(),
            1 => format!("(?:{HEX})?"),
            more => format!("(?:(?:{HEX}:){{0,{}}}{HEX})?", more - 1),
        };
        let middle = match after {
            0 => String::new(),
            1 => format!("{HEX}:"),
            more => format!("(?:{HEX}:){{{more}}}"),
        };
        forms.push(format!("{before}::{middle}{last}"));
    }
    forms.push(format!("(?:(?:{HEX}:){{0,5}}{HEX})?::{HEX}"));
    forms.push(format!("(?:(?:{HEX}:){{0,6}}{HEX})?::"));
    format!("(?:{})", forms.join("|"))
}

pub(super) fn ipv6(languages: &mut Languages) -> LanguageId {
    languages.regex(&ipv6_regex())
}

/// Returns the IPv6 addresses of a mailbox: in RFC 5321, `::` replaces at least two parts.
fn mailbox_ipv6_regex() -> String {
    let ipv4 = ipv4_regex();
    let before = |count: u32| match count {
        0 => String::new(),
        _ => format!("{HEX}(?::{HEX}){{{}}}", count - 1),
    };
    let mut forms = vec![format!("(?:{HEX}:){{7}}{HEX}"), format!("(?:{HEX}:){{6}}{ipv4}")];
    forms.extend((0..=5).map(|count| format!("{}::(?:{HEX}(?::{HEX}){{0,{}}})?", before(count), 5 - count)));
    forms.push(format!("{}::", before(6)));
    forms.extend((0..=4).map(|count| format!("{}::(?:{HEX}:){{0,{}}}{ipv4}", before(count), 4 - count)));
    format!("(?:{})", forms.join("|"))
}

/// Returns the host names of RFC 1123. With `is_plain`, those without labels in Punycode.
pub(super) fn hostname(languages: &mut Languages, is_plain: bool) -> LanguageId {
    let label = if is_plain { plain_label() } else { LABEL.to_owned() };
    let names = languages.regex(&format!(r"{label}(?:\.{label})*"));
    let short = languages.length(1, Some(NAME));
    languages.and([names, short])
}

/// Returns a label that does not start with `xn--`, as alternatives by the length of the common prefix.
///
/// A complement would be shorter, but its intersection with the length takes a long search for a text.
pub(super) fn plain_label() -> String {
    let (edge, inner) = ("[0-9A-Za-z]", "[0-9A-Za-z-]");
    let other = format!("[0-9A-WYZa-wyz](?:{inner}{{0,61}}{edge})?");
    let x = format!("[Xx](?:[0-9A-MO-Za-mo-z-]{inner}{{0,60}}{edge}|[0-9A-MO-Za-mo-z])?");
    let xn = format!("[Xx][Nn](?:{edge}(?:{inner}{{0,59}}{edge})?|-{edge}(?:{inner}{{0,58}}{edge})?)?");
    format!("(?:{other}|{x}|{xn})")
}

pub(super) fn email(languages: &mut Languages) -> LanguageId {
    mailbox(languages, "", LABEL)
}

/// Returns the mailboxes of RFC 6531: all characters outside of ASCII in the local part; letters, marks and
/// digits in the domain.
pub(super) fn idn_email(languages: &mut Languages) -> LanguageId {
    let edge = format!("[0-9A-Za-z{BEYOND_LABEL}]");
    let inner = format!("[0-9A-Za-z{BEYOND_LABEL}-]");
    mailbox(languages, BEYOND, &format!("{edge}(?:{inner}{{0,61}}{edge})?"))
}

fn mailbox(languages: &mut Languages, beyond: &str, label: &str) -> LanguageId {
    let atom = format!("[0-9A-Za-z!#$%&'*+/=?^_`{{|}}~{beyond}-]+");
    let quoted = format!(r#""(?:[ !#-\[\]-~{beyond}]|\\[ -~])*""#);
    let local = languages.regex(&format!(r"{atom}(?:\.{atom})*|{quoted}"));
    let short = languages.length(1, Some(LOCAL));
    let local = languages.and([local, short]);
    let domain = languages.regex(&format!(r"{label}(?:\.{label})*"));
    let short = languages.length(1, Some(NAME));
    let domain = languages.and([domain, short]);
    let literal =
        languages.regex(&format!(r"\[(?:{}|[Ii][Pp][Vv]6:{})\]", ipv4_regex(), mailbox_ipv6_regex()));
    let domain = languages.union([domain, literal]);
    let at = languages.text("@");
    languages.sequence([local, at, domain])
}
