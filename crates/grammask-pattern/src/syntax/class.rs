//! Character classes in the syntax of the Rust `regex` crate: those that ECMA-262 names, and lists of ranges.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::node::Node;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// Members of `\d`, as inside of brackets.
pub(crate) const DIGITS: &str = "0-9";
/// Members of `\w`.
pub(crate) const WORD: &str = "0-9A-Za-z_";
/// Members of `\s`: white space and line terminators of ECMA-262, and the category Zs.
pub(crate) const SPACE: &str =
    r"\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
/// The class of `.`.
pub(crate) const DOT: &str = r"[^\n\r\u{2028}\u{2029}]";
/// Every character.
pub(crate) const ANY: &str = "(?s:.)";
/// No character.
pub(crate) const NONE: &str = "[a&&b]";

/// The binary properties of ECMA-262 that are supported.
const BINARY_PROPERTIES: &[&str] = &[
    "ASCII",
    "ASCII_Hex_Digit",
    "AHex",
    "Alphabetic",
    "Alpha",
    "Any",
    "Assigned",
    "Bidi_Control",
    "Bidi_C",
    "Case_Ignorable",
    "CI",
    "Cased",
    "Changes_When_Casefolded",
    "CWCF",
    "Changes_When_Casemapped",
    "CWCM",
    "Changes_When_Lowercased",
    "CWL",
    "Changes_When_Titlecased",
    "CWT",
    "Changes_When_Uppercased",
    "CWU",
    "Dash",
    "Default_Ignorable_Code_Point",
    "DI",
    "Deprecated",
    "Dep",
    "Diacritic",
    "Dia",
    "Emoji",
    "Emoji_Component",
    "EComp",
    "Emoji_Modifier",
    "EMod",
    "Emoji_Modifier_Base",
    "EBase",
    "Emoji_Presentation",
    "EPres",
    "Extended_Pictographic",
    "ExtPict",
    "Extender",
    "Ext",
    "Grapheme_Base",
    "Gr_Base",
    "Grapheme_Extend",
    "Gr_Ext",
    "Hex_Digit",
    "Hex",
    "ID_Continue",
    "IDC",
    "ID_Start",
    "IDS",
    "Ideographic",
    "Ideo",
    "Join_Control",
    "Join_C",
    "Logical_Order_Exception",
    "LOE",
    "Lowercase",
    "Lower",
    "Math",
    "Noncharacter_Code_Point",
    "NChar",
    "Pattern_Syntax",
    "Pat_Syn",
    "Pattern_White_Space",
    "Pat_WS",
    "Quotation_Mark",
    "QMark",
    "Radical",
    "Regional_Indicator",
    "RI",
    "Sentence_Terminal",
    "STerm",
    "Soft_Dotted",
    "SD",
    "Terminal_Punctuation",
    "Term",
    "Unified_Ideograph",
    "UIdeo",
    "Uppercase",
    "Upper",
    "Variation_Selector",
    "VS",
    "White_Space",
    "space",
    "XID_Continue",
    "XIDC",
    "XID_Start",
    "XIDS",
];

/// Returns the class of `\p{name}`. Returns `None` if there is no such property.
pub(crate) fn property(name: &str, negated: bool) -> Option<String> {
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '=') {
        return None;
    }
    let inner = match name.split_once('=') {
        Some(("General_Category" | "gc", value)) => format!("gc={value}"),
        Some(("Script" | "sc", value)) => format!("sc={value}"),
        Some(("Script_Extensions" | "scx", value)) => format!("scx={value}"),
        Some(_) => return None,
        None if BINARY_PROPERTIES.contains(&name) => name.to_owned(),
        None => format!("gc={name}"),
    };
    let class = format!("{}{{{inner}}}", if negated { r"\P" } else { r"\p" });
    regex_syntax::parse(&class).ok()?;
    // The short form, where it is unambiguous.
    let short = format!("{}{{{name}}}", if negated { r"\P" } else { r"\p" });
    let same = !name.contains('=') && regex_syntax::parse(&short).ok() == regex_syntax::parse(&class).ok();
    Some(if same { short } else { class })
}

/// Appends a character, escaped for use in and out of brackets.
pub(crate) fn push_char(c: char, out: &mut String) {
    match c {
        '\n' => out.push_str(r"\n"),
        '\r' => out.push_str(r"\r"),
        '\t' => out.push_str(r"\t"),
        c if regex_syntax::is_meta_character(c) => out.extend(['\\', c]),
        ' ' => out.push(c),
        c if c.is_control()
            || c.is_whitespace()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{feff}') =>
        {
            out.push_str(&format!(r"\u{{{:x}}}", u32::from(c)));
        }
        c => out.push(c),
    }
}

/// Appends the code points `low..=high` as inside of brackets. Surrogates are not characters, and are
/// skipped.
pub(crate) fn push_range(low: u32, high: u32, out: &mut String) {
    let low = if (0xD800..0xE000).contains(&low) { 0xE000 } else { low };
    let high = if (0xD800..0xE000).contains(&high) { 0xD7FF } else { high };
    let (Some(first), Some(last)) = (char::from_u32(low), char::from_u32(high)) else { return };
    if first > last {
        return;
    }
    push_char(first, out);
    if first < last {
        if high - low > 1 {
            out.push('-');
        }
        push_char(last, out);
    }
}

/// Returns a class from what is inside of its brackets.
pub(crate) fn bracketed(items: &str, negated: bool) -> String {
    match (items.is_empty(), negated) {
        (true, true) => ANY.to_owned(),
        (true, false) => NONE.to_owned(),
        (false, true) => format!("[^{items}]"),
        (false, false) => format!("[{items}]"),
    }
}

/// Returns the class of all characters that differ in case only from one of a class, or of all others.
pub(crate) fn fold(class: &str, negated: bool) -> String {
    let mut set = characters(class);
    // Fails only without the tables of Unicode.
    let _ = set.try_case_fold_simple();
    if negated {
        set.negate();
    }
    to_class(&set)
}

/// Returns the node of all characters that differ in case only from one.
pub(crate) fn folded_char(c: char) -> Node {
    let mut set = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
    let _ = set.try_case_fold_simple();
    if set.iter().map(|range| range.len()).sum::<usize>() == 1 {
        Node::Char(c)
    } else {
        Node::Class(to_class(&set))
    }
}

/// Returns the characters that Python's flag `i` does not distinguish from those of a set: by their simple
/// lower case, or the upper case of that.
pub(crate) fn python_fold(set: &ClassUnicode, ascii: bool) -> ClassUnicode {
    static GROUPS: OnceLock<Vec<Vec<char>>> = OnceLock::new();
    let mut all = set.clone();
    if ascii {
        for (lower, upper) in ('a'..='z').zip('A'..='Z') {
            let contains = |c: char| set.iter().any(|range| (range.start()..=range.end()).contains(&c));
            if contains(lower) || contains(upper) {
                all.push(ClassUnicodeRange::new(lower, lower));
                all.push(ClassUnicodeRange::new(upper, upper));
            }
        }
        return all;
    }
    let groups = GROUPS.get_or_init(|| {
        let mut groups: BTreeMap<String, Vec<char>> = BTreeMap::new();
        for c in '\0'..=char::MAX {
            // Only U+0130 has a lower case of two characters; the first is the simple one.
            let lower = c.to_lowercase().next().unwrap_or(c);
            let mut upper = lower.to_uppercase();
            if lower != c || upper.len() > 1 || upper.next() != Some(c) {
                groups.entry(lower.to_uppercase().collect()).or_default().push(c);
            }
        }
        // A character that is its own upper case belongs to the group of that.
        for (upper, group) in &mut groups {
            let mut chars = upper.chars();
            if let (Some(c), None) = (chars.next(), chars.next())
                && !group.contains(&c)
            {
                group.push(c);
            }
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    });
    for group in groups {
        let contains = |c: &char| {
            set.ranges()
                .binary_search_by(|range| {
                    if range.end() < *c {
                        std::cmp::Ordering::Less
                    } else if range.start() > *c {
                        std::cmp::Ordering::Greater
                    } else {
                        std::cmp::Ordering::Equal
                    }
                })
                .is_ok()
        };
        if group.iter().any(contains) {
            group.iter().for_each(|&c| all.push(ClassUnicodeRange::new(c, c)));
        }
    }
    all
}

/// Names of POSIX classes.
const POSIX_CLASSES: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space",
    "upper", "word", "xdigit",
];

/// Returns true if a text starts with a POSIX class such as `:alpha:]`, after its bracket.
pub(crate) fn starts_posix_class(text: &str) -> bool {
    let Some(text) = text.strip_prefix(':') else { return false };
    let text = text.strip_prefix('^').unwrap_or(text);
    POSIX_CLASSES.iter().any(|name| text.strip_prefix(name).is_some_and(|rest| rest.starts_with(":]")))
}

/// Returns the characters of a class.
pub(crate) fn characters(class: &str) -> ClassUnicode {
    match regex_syntax::parse(class).map(|hir| hir.into_kind()) {
        Ok(HirKind::Class(Class::Unicode(set))) => set,
        Ok(HirKind::Literal(literal)) => {
            let text = String::from_utf8_lossy(&literal.0).into_owned();
            ClassUnicode::new(text.chars().map(|c| ClassUnicodeRange::new(c, c)))
        }
        _ => ClassUnicode::empty(),
    }
}

/// Returns a class of these characters.
pub(crate) fn to_class(set: &ClassUnicode) -> String {
    let whole = set.ranges().last().is_some_and(|range| range.end() == char::MAX);
    let mut shown = set.clone();
    if whole {
        shown.negate();
    }
    let mut items = String::new();
    for range in shown.ranges() {
        push_range(range.start().into(), range.end().into(), &mut items);
    }
    bracketed(&items, whole)
}
