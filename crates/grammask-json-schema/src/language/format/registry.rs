//! Formats outside of the standard: the OpenAPI format registry, and names that schema generators write.

use super::{host, resource, time};
use crate::language::number::Decimal;
use crate::language::{LanguageId, Languages};

/// Formats of integers, with the least and the greatest value.
const INTEGERS: [(&str, &str, &str); 12] = [
    ("int8", "-128", "127"),
    ("int16", "-32768", "32767"),
    ("int32", "-2147483648", "2147483647"),
    ("int64", "-9223372036854775808", "9223372036854775807"),
    ("int128", "-170141183460469231731687303715884105728", "170141183460469231731687303715884105727"),
    ("int", "-9223372036854775808", "9223372036854775807"),
    ("uint8", "0", "255"),
    ("uint16", "0", "65535"),
    ("uint32", "0", "4294967295"),
    ("uint64", "0", "18446744073709551615"),
    ("uint128", "0", "340282366920938463463374607431768211455"),
    ("uint", "0", "18446744073709551615"),
];

/// The greatest number of 32 bits in IEEE 754, and of 64 bits.
const MAX_FLOAT: &str = "3.4028234663852886e38";
const MAX_DOUBLE: &str = "1.7976931348623157e308";

const HEX: &str = "[0-9A-Fa-f]";

/// The numbers of a format.
pub(crate) struct NumberFormat {
    /// True if they are integers.
    pub is_integer: bool,
    pub least: Decimal,
    pub most: Decimal,
}

/// Returns the numbers of a format. Returns `None` if the name is unknown, or is not about numbers.
///
/// # Source
/// The OpenAPI Format Registry, <https://spec.openapis.org/registry/format/>, and the names of schemars.
pub(crate) fn numbers(name: &str) -> Option<NumberFormat> {
    let (is_integer, least, most) = match INTEGERS.iter().find(|&&(known, ..)| known == name) {
        Some(&(_, least, most)) => (true, least.to_owned(), most),
        None => {
            let most = match name {
                "float" => MAX_FLOAT,
                "double" => MAX_DOUBLE,
                _ => return None,
            };
            (false, format!("-{most}"), most)
        }
    };
    let [least, most] = [&*least, most].map(|text| Decimal::parse_unlimited(text).ok());
    Some(NumberFormat { is_integer, least: least?, most: most? })
}

/// Returns the texts of a format. Returns `None` if the name is unknown, or is not about strings.
///
/// # Source
/// The OpenAPI Format Registry; RFC 4648 for `byte` and `base64url`, RFC 9562 for UUIDs, ITU-T E.164; the
/// documents of pydantic, zod and schemars for the others.
pub(crate) fn texts(languages: &mut Languages, name: &str) -> Option<LanguageId> {
    if let Some(version) = name.strip_prefix("uuid").filter(|rest| matches!(rest.as_bytes(), [b'1'..=b'8'])) {
        let pattern = format!("{HEX}{{8}}-{HEX}{{4}}-{version}{HEX}{{3}}-[89ABab]{HEX}{{3}}-{HEX}{{12}}");
        return Some(languages.regex(&pattern));
    }
    Some(match name {
        "byte" | "base64" => {
            languages.regex("(?:[0-9A-Za-z+/]{4})*(?:[0-9A-Za-z+/]{2}==|[0-9A-Za-z+/]{3}=)?")
        }
        "base64url" => {
            languages.regex(r"(?:[0-9A-Za-z_\-]{4})*(?:[0-9A-Za-z_\-]{2}(?:==)?|[0-9A-Za-z_\-]{3}=?)?")
        }
        "char" => languages.regex("(?s:.)"),
        "ip" | "ipvanyaddress" => {
            let parts = [host::ipv4(languages), host::ipv6(languages)];
            languages.union(parts)
        }
        "ipv4network" | "ipv4interface" => {
            network(languages, &host::ipv4_regex(), "[0-9]|[12][0-9]|3[0-2]", true)
        }
        "cidrv4" => network(languages, &host::ipv4_regex(), "[0-9]|[12][0-9]|3[0-2]", false),
        "ipv6network" | "ipv6interface" => network(languages, &host::ipv6_regex(), IPV6_PREFIX_BITS, true),
        "cidrv6" => network(languages, &host::ipv6_regex(), IPV6_PREFIX_BITS, false),
        "mac" => languages.regex(&format!("{HEX}{{2}}(?:(?::{HEX}{{2}}){{5}}|(?:-{HEX}{{2}}){{5}})")),
        "ulid" => languages.regex("[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}"),
        "e164" => languages.regex(r"\+[1-9][0-9]{1,14}"),
        "url" => resource::uri(languages),
        "date-time-local" | "partial-date-time" => time::local_date_time(languages),
        "time-local" | "partial-time" => time::local_time(languages),
        _ => return None,
    })
}

/// Number of bits of a prefix of IPv6.
const IPV6_PREFIX_BITS: &str = "[0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]";

/// Returns the addresses with a number of bits after a slash, which may be absent if `is_optional`.
fn network(languages: &mut Languages, address: &str, bits: &str, is_optional: bool) -> LanguageId {
    let optional = if is_optional { "?" } else { "" };
    languages.regex(&format!("(?:{address})(?:/(?:{bits})){optional}"))
}

/// Returns true for formats that restrict nothing: they say how a text is shown or used.
pub(crate) fn is_hint(name: &str) -> bool {
    matches!(name, "password" | "binary" | "html" | "commonmark" | "multiline" | "textarea" | "markdown")
}

/// Returns true if [`numbers`] or [`texts`] knows a name.
pub(crate) fn is_known(languages: &mut Languages, name: &str) -> bool {
    is_hint(name) || numbers(name).is_some() || texts(languages, name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_the_documented_forms() {
        let mut languages = Languages::new(&crate::Config::default());
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("byte", &["", "YUdrPQ==", "YWI=", "YWJj"], &["YQ", "a", "YW_=", "YQ==="]),
            ("base64url", &["", "YUdrPQ==", "YQ", "YWI", "a_-b"], &["a", "a+/b", "YQ="]),
            ("char", &["a", "é", "\n"], &["", "ab"]),
            (
                "uuid4",
                &["547464e5-7903-4f4c-958a-7b755bed6c7f"],
                &["547464e5-7903-1f4c-958a-7b755bed6c7f", "x"],
            ),
            ("uuid7", &["018f3b3c-3b3c-7b3c-8b3c-3b3c3b3c3b3c"], &["018f3b3c-3b3c-7b3c-0b3c-3b3c3b3c3b3c"]),
            ("ip", &["1.2.3.4", "::1"], &["1.2.3", "256.1.1.1"]),
            ("ipvanyaddress", &["1.2.3.4"], &["host"]),
            ("ipv4network", &["10.0.0.0/8", "10.0.0.0"], &["10.0.0.0/33"]),
            ("ipv6network", &["2001:db8::/32", "::1"], &["::/129", "::/"]),
            ("cidrv4", &["10.0.0.0/32"], &["10.0.0.0"]),
            ("cidrv6", &["::/0"], &["::"]),
            ("mac", &["00:1A:2b:3c:4d:5e", "00-1A-2b-3c-4d-5e"], &["00:1A-2b:3c:4d:5e", "00:1A:2b:3c:4d"]),
            (
                "ulid",
                &["01ARZ3NDEKTSV4RRFFQ69G5FAV"],
                &["81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FA"],
            ),
            ("e164", &["+4915112345678"], &["+0123", "4915"]),
            ("url", &["http://a.b/c"], &["a b"]),
            ("date-time-local", &["2024-02-29T01:02:03", "2024-02-29T01:02:03.5"], &["2024-02-29T01:02:03Z"]),
            ("partial-date-time", &["2024-02-29T01:02:03"], &["2023-02-29T01:02:03"]),
            ("time-local", &["01:02:03", "23:59:59.999"], &["24:00:00", "01:02:03Z", "01:02"]),
        ];
        for (name, right, wrong) in cases {
            let language = texts(&mut languages, name).unwrap_or_else(|| panic!("{name}"));
            for (list, expected) in [(right, true), (wrong, false)] {
                for text in *list {
                    assert_eq!(languages.contains(language, text), Ok(expected), "{name}: {text}");
                }
            }
        }
        assert!(
            ["decimal", "uuid", "uuid9", "uuid44", "", "path"]
                .iter()
                .all(|name| texts(&mut languages, name).is_none())
        );
    }

    #[test]
    fn numbers_have_the_range_of_their_type() {
        for (name, least, most) in INTEGERS {
            let found = numbers(name).expect("in the table");
            assert!(found.is_integer && found.least.to_string() == *least && found.most.to_string() == *most);
        }
        let [float, double] = ["float", "double"].map(|name| numbers(name).expect("known").most.to_string());
        assert_eq!((float.parse(), double.parse()), (Ok(f32::MAX), Ok(f64::MAX)));
        assert!(!numbers("double").expect("known").is_integer && numbers("uuid4").is_none());
    }
}
