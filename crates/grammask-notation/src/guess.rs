//! Guesses the notation of a text, for hints about grammars that are read in the wrong one.

use std::fmt;

/// A notation as a guess.
///
/// ```
/// use grammask_notation::Guess;
///
/// assert_eq!(Guess::of("root ::= \"a\" | [b-z]\n"), Some(Guess::Gbnf));
/// assert_eq!(Guess::of("start: \"a\" | B\nB: /b+/\n"), Some(Guess::Lark));
/// assert_eq!(Guess::of("{\"type\": \"object\"}"), Some(Guess::JsonSchema));
/// assert_eq!(Guess::of("start ::= 'a';"), Some(Guess::Kbnf));
/// assert_eq!(Guess::of("hello"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guess {
    /// KBNF.
    Kbnf,
    /// GBNF of llama.cpp.
    Gbnf,
    /// EBNF of XGrammar.
    Ebnf,
    /// Lark.
    Lark,
    /// A JSON Schema.
    JsonSchema,
    /// Structural tags.
    Tags,
    /// A regular expression: never guessed.
    Regex,
    /// A list of texts.
    Choice,
}

/// Bytes at the beginning of a text that are looked at.
const MAX_GUESSED_BYTES: usize = 1 << 16;

impl Guess {
    /// Returns the notation that a text looks like, by its first 64 KiB.
    pub fn of(text: &str) -> Option<Self> {
        let text = text[..text.floor_char_boundary(MAX_GUESSED_BYTES)].trim_start();
        let is_lark =
            |line: &str| is_lark_rule(line) || line.starts_with("%import") || line.starts_with("%ignore");
        if text.starts_with('{') {
            let is_tags = text.contains("\"structural_tag\"")
                || text.contains("\"structures\"") && text.contains("\"triggers\"");
            return Some(if is_tags { Self::Tags } else { Self::JsonSchema });
        }
        if text.starts_with("[\"") {
            return Some(Self::Choice);
        }
        if text.starts_with("%llguidance") || text.starts_with("%grammar_options") {
            return Some(Self::Lark);
        }
        let rules = text.lines().filter(|line| is_ebnf_rule(line)).count();
        if rules > 0 {
            let has_semicolon = |line: &str| line.trim_end().ends_with(';');
            if text.starts_with("%start") || text.lines().any(has_semicolon) {
                return Some(Self::Kbnf);
            }
            // Both programs begin with `root`. Without it, the text may as well be KBNF with errors.
            if !text.lines().any(|line| is_ebnf_rule(line) && after_root(line)) {
                return None;
            }
            let macros = ["TagDispatch(", "Regex(", "Substring(", "Token(", "(="];
            let is_ebnf = macros.iter().any(|name| text.contains(name));
            return Some(if is_ebnf { Self::Ebnf } else { Self::Gbnf });
        }
        text.lines().any(is_lark).then_some(Self::Lark)
    }

    /// Returns the name of the notation: `gbnf`.
    pub const fn notation(self) -> &'static str {
        match self {
            Self::Kbnf => "kbnf",
            Self::Gbnf => "gbnf",
            Self::Ebnf => "ebnf",
            Self::Lark => "lark",
            Self::JsonSchema => "json-schema",
            Self::Tags => "tags",
            Self::Regex => "regex",
            Self::Choice => "choice",
        }
    }
}

/// Displays as the name in a sentence: `GBNF`.
impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kbnf => "KBNF",
            Self::Gbnf => "GBNF",
            Self::Ebnf => "EBNF of XGrammar",
            Self::Lark => "Lark",
            Self::JsonSchema => "a JSON Schema",
            Self::Tags => "structural tags",
            Self::Regex => "a regular expression",
            Self::Choice => "a list of texts",
        })
    }
}

/// Returns the rest of a line after a name at its beginning.
fn after_name(line: &str) -> Option<&str> {
    let rest =
        line.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.'));
    (rest.len() < line.len()).then_some(rest)
}

/// Returns true for a line that begins with the name `root`.
fn after_root(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix("root");
    rest.is_some_and(|rest| after_name(rest).is_none())
}

/// Returns true for a line that begins with `name ::=`.
fn is_ebnf_rule(line: &str) -> bool {
    after_name(line.trim_start()).is_some_and(|rest| rest.trim_start().starts_with("::="))
}

/// Returns true for a line that begins the rule `start` of Lark.
fn is_lark_rule(line: &str) -> bool {
    let Some(rest) = line.trim_start_matches(['?', '!']).strip_prefix("start") else { return false };
    let rest = match rest.strip_prefix('[') {
        Some(options) => options.split_once(']').map_or(rest, |(_, rest)| rest),
        None => rest,
    };
    rest.trim_start().strip_prefix(':').is_some_and(|body| !body.starts_with([':', '=']))
}

#[cfg(test)]
mod tests {
    use super::Guess;

    #[test]
    fn pasted_grammars_are_recognized() {
        let cases = [
            ("# comment\nroot ::= \"a\"\n", Some(Guess::Gbnf)),
            ("root ::= TagDispatch((\"<f>\", a))\na ::= \"b\"\n", Some(Guess::Ebnf)),
            ("%llguidance {}\nstart: \"a\"", Some(Guess::Lark)),
            ("?start: a\na[lazy]: /b/\n", Some(Guess::Lark)),
            ("{\"format\": {}, \"type\": \"structural_tag\"}", Some(Guess::Tags)),
            ("{\"structures\": [], \"triggers\": []}", Some(Guess::Tags)),
            (" {\"$ref\": \"#/$defs/a\"}", Some(Guess::JsonSchema)),
            ("[\"a\", \"b\"]", Some(Guess::Choice)),
            ("%start a;\na ::= 'b';", Some(Guess::Kbnf)),
            ("a := 'b'", None),
            ("start ::= 'b'", None),
            ("", None),
            ("x::y", None),
            ("a: b", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Guess::of(text), expected, "{text}");
        }
    }
}
