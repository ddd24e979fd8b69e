//! Terminals that `%import` offers without a file.

/// Terminals of `common`, with regexes of the Rust crate.
///
/// `ESCAPED_STRING` may contain a line break, `NUMBER` may begin or end with its point, and
/// `SIGNED_NUMBER` may begin with `+`.
const COMMON: [(&str, &str); 27] = [
    ("CNAME", "[A-Za-z_][0-9A-Za-z_]*"),
    ("CPP_COMMENT", "//[^\\n]*"),
    ("CR", "\\r"),
    ("C_COMMENT", "/\\*(?:[^*]|\\*+[^*/])*\\*+/"),
    ("DECIMAL", "[0-9]+\\.[0-9]*|\\.[0-9]+"),
    ("DIGIT", "[0-9]"),
    ("ESCAPED_STRING", "\"(?:[^\"\\\\]|\\\\.)*\""),
    ("FLOAT", "(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+"),
    ("HEXDIGIT", "[0-9A-Fa-f]"),
    ("INT", "[0-9]+"),
    ("LCASE_LETTER", "[a-z]"),
    ("LETTER", "[A-Za-z]"),
    ("LF", "\\n"),
    ("NEWLINE", "(?:\\r?\\n)+"),
    ("NUMBER", "(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    ("SH_COMMENT", "#[^\\n]*"),
    ("SIGNED_FLOAT", "[+-]?(?:(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)"),
    ("SIGNED_INT", "[+-]?[0-9]+"),
    ("SIGNED_NUMBER", "[+-]?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?"),
    ("SQL_COMMENT", "--[^\\n]*"),
    ("UCASE_LETTER", "[A-Z]"),
    ("WORD", "[A-Za-z]+"),
    ("WS", "[ \\t\\n\\f\\r]+"),
    ("WS_INLINE", "[ \\t]+"),
    ("_EXP", "[eE][+-]?[0-9]+"),
    ("_STRING_ESC_INNER", "(?:.*[^\\\\\\n])?(?:\\\\\\\\)*"),
    ("_STRING_INNER", ".*"),
];

/// Terminals of `unicode`.
const UNICODE: [(&str, &str); 2] = [("WS", "[ \\t\\xa0\\f\\r\\n]+"), ("WS_INLINE", "[ \\t\\xa0]+")];

/// Terminals of `python`. Strings may have a prefix and contain escapes.
const PYTHON: [(&str, &str); 17] = [
    ("ASYNC", "async"),
    ("AWAIT", "await"),
    ("BIN_NUMBER", "0[bB](?:_?[01])+"),
    ("COMMENT", "#[^\\n]*"),
    ("DECIMAL", "(?:\\.[0-9](?:_?[0-9])*|[0-9](?:_?[0-9])*\\.(?:[0-9](?:_?[0-9])*)?)"),
    ("DEC_NUMBER", "[1-9](?:_?[0-9])*|0(?:_?0)*"),
    (
        "FLOAT_NUMBER",
        concat!(
            "[0-9](?:_?[0-9])*[eE][+-]?[0-9](?:_?[0-9])*|(?:\\.[0-9](?:_?[0-9])*|[0-9](?:_?",
            "[0-9])*\\.(?:[0-9](?:_?[0-9])*)?)(?:[eE][+-]?[0-9](?:_?[0-9])*)?",
        ),
    ),
    ("HEX_NUMBER", "0[xX](?:_?[0-9a-fA-F])+"),
    (
        "IMAG_NUMBER",
        concat!(
            "(?:[0-9](?:_?[0-9])*|[0-9](?:_?[0-9])*[eE][+-]?[0-9](?:_?[0-9])*|(?:\\.[0-9]",
            "(?:_?[0-9])*|[0-9](?:_?[0-9])*\\.(?:[0-9](?:_?[0-9])*)?)(?:[eE][+-]?[0-9](?:_?",
            "[0-9])*)?)[jJ]",
        ),
    ),
    (
        "LONG_STRING",
        concat!(
            "(?i:[ubf]?r?|r[ubf])(?s:\"\"\"(?:\"{0,2}(?:[^\"\\\\]|\\\\.))*\"\"\"|'''(?:'{0,",
            "2}(?:[^'\\\\]|\\\\.))*''')",
        ),
    ),
    ("NAME", "[^\\W\\d]\\w*"),
    ("OCT_NUMBER", "0[oO](?:_?[0-7])+"),
    ("SLASH", "/"),
    ("STRING", "(?i:[ubf]?r?|r[ubf])(?:\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\\\n]|\\\\.)*')"),
    ("_EXP", "[eE][+-]?[0-9](?:_?[0-9])*"),
    ("_NEWLINE", "(?:\\r?\\n[\\t ]*|#[^\\n]*)+"),
    ("_SPECIAL_DEC", "[0-9](?:_?[0-9])*"),
];

/// Returns the terminals of a grammar. `None` if it is not built in.
pub(crate) fn terminals(grammar: &str) -> Option<&'static [(&'static str, &'static str)]> {
    match grammar {
        "common" => Some(&COMMON),
        "python" => Some(&PYTHON),
        "unicode" => Some(&UNICODE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{COMMON, PYTHON, UNICODE};

    #[test]
    fn terminals_are_sorted_regexes() {
        assert!(COMMON.is_sorted() && PYTHON.is_sorted() && UNICODE.is_sorted());
        for (name, regex) in COMMON.iter().chain(&PYTHON).chain(&UNICODE) {
            assert!(regex_syntax::parse(regex).is_ok(), "{name}");
        }
    }
}
