//! Character classes in the syntax of the Rust `regex` crate: those that ECMA-262 names, and lists of ranges.

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
