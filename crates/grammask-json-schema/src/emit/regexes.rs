//! The regular expressions of ECMA-262, as rules for strings with `format: "regex"`.
//!
//! Groups nest, so the expressions are not a regular language. Everything between two parentheses is one
//! regular part.

use grammask_syntax::{ExprId, ExprKind};

use super::Emitter;
use crate::language::LanguageId;
use crate::value::RegexStrings;

/// Start of a group: plain, non-capturing, look-ahead, or with a name.
const OPEN: &str =
    r"\((?:\?[:=!]|\?<(?:[\p{ID_Start}$_]|UNICODE)(?:[\p{ID_Continue}$_\u{200c}\u{200d}]|UNICODE)*>)?";
/// Start of a look-behind, which must not be repeated.
const OPEN_LOOK_BEHIND: &str = r"\(\?<[=!]";
/// An escaped code point.
const UNICODE: &str = r"\\u(?:[0-9A-Fa-f]{4}|\{0*(?:10[0-9A-Fa-f]{4}|[0-9A-Fa-f]{1,5})\})";
/// An escape of letters or digits, in classes and outside.
const ESCAPE: &str =
    r"(?:\\(?:[dDwWsStnvfr0-9]|c[A-Za-z]|x[0-9A-Fa-f]{2}|[pP]\{[A-Za-z_]+(?:=[0-9A-Za-z_]+)?\})|UNICODE)";
/// An escaped punctuation mark: a literal.
const MARK: &str = r"\\[^0-9A-Za-z]";
/// A literal character, except for those that may occur in a quantifier.
const LITERAL: &str = r"[^\^$\\*+?()\[{|0-9,}]";
/// An assertion, which matches between characters.
const ASSERTION: &str = r"(?:[\^$|]|\\[bB])";
/// A prefix of the numbers in a quantifier.
const NUMBERS: &str = r"(?:[0-9]+(?:,[0-9]*)?)?";

impl Emitter<'_, '_> {
    /// Returns the contents of strings that are regular expressions.
    pub(super) fn regexes(&mut self, which: RegexStrings) -> ExprId {
        let [all, group] = match self.regex_rules.clone() {
            Some(names) => names,
            None => self.write_regex_rules(),
        };
        if which == RegexStrings::All {
            return self.reference(&all);
        }
        let languages = &mut self.cx.languages;
        let (first, some) = (languages.regex(&body()), languages.length(1, None));
        let first = languages.and([first, some]);
        let first = self.contents(first);
        let longer = self.longer(&all, &group);
        self.alternatives(vec![first, longer])
    }

    /// Returns the concatenation of an expression, a group, and a part without groups.
    fn longer(&mut self, all: &str, group: &str) -> ExprId {
        let parts = vec![self.reference(all), self.reference(group), self.spelled(&body())];
        self.sequence(parts)
    }

    /// Adds the rules for regular expressions and for their groups, and returns the names of both.
    fn write_regex_rules(&mut self) -> [String; 2] {
        let [all, group] = ["regular_expression", "group"].map(|wish| {
            let mut name = wish.to_owned();
            while !self.used_names.insert(name.as_str().into()) {
                name.push('_');
            }
            name
        });
        self.regex_rules = Some([all.clone(), group.clone()]);
        let quantifier = quantifier();
        // Parts without groups, with groups between them.
        let first = self.spelled(&body());
        let longer = self.longer(&all, &group);
        let alternatives = self.alternatives(vec![first, longer]);
        self.rule(&all, alternatives);
        let groups = [
            (OPEN.replace("UNICODE", UNICODE), format!(r"\){quantifier}?")),
            (OPEN_LOOK_BEHIND.to_owned(), r"\)".to_owned()),
        ]
        .map(|(open, close)| {
            let parts = vec![self.spelled(&open), self.reference(&all), self.spelled(&close)];
            self.sequence(parts)
        });
        let groups = self.alternatives(groups.to_vec());
        self.rule(&group, groups);
        [all, group]
    }

    fn reference(&mut self, name: &str) -> ExprId {
        self.push(ExprKind::Nonterminal(name.into()))
    }

    fn spelled(&mut self, pattern: &str) -> ExprId {
        let contents = self.cx.languages.regex(pattern);
        self.contents(contents)
    }

    fn contents(&mut self, contents: LanguageId) -> ExprId {
        let spelled = self.cx.languages.spelled(contents);
        self.cx.languages.write(spelled, &mut self.ast)
    }
}

/// Returns the regex of a part without groups. A brace is a literal character unless it starts a quantifier.
pub(crate) fn body() -> String {
    let (quantifier, escape) = (quantifier(), ESCAPE.replace("UNICODE", UNICODE));
    let atom = format!("(?:{LITERAL}|{escape}|{MARK}|\\\\k<[^>]+>|{})", class());
    let braces = format!(r"\{{(?:{NUMBERS}\{{)*");
    let after_brace = format!("(?:[,}}]|{NUMBERS}{atom}|[0-9]+,[0-9]*,)");
    let repeated = format!("(?:{atom}|[0-9,}}]|{braces}{after_brace})");
    format!(
        "(?:{repeated}{quantifier}?|{braces}{NUMBERS}{quantifier}|(?:{braces}{NUMBERS})?{ASSERTION})*(?:{braces}{NUMBERS})?"
    )
}

/// Returns the regex of a quantifier. In `{m,n}`, `n` is not smaller than `m` if `m` has up to two digits.
/// Otherwise `n` has at least as many digits as `m`.
fn quantifier() -> String {
    let mut bounds = vec!["[0-9]+,?".to_owned()];
    for least in 0..100u32 {
        let (tens, ones) = (least / 10, least % 10);
        let same = if tens > 0 { format!("{tens}[{ones}-9]") } else { format!("[{ones}-9]") };
        let more = match tens {
            0 => String::from("|[1-9][0-9]+"),
            9 => String::from("|[1-9][0-9]{2,}"),
            tens => format!("|[{}-9][0-9]|[1-9][0-9]{{2,}}", tens + 1),
        };
        bounds.push(format!("{least},(?:{same}{more})"));
    }
    for length in 3..=10 {
        bounds.push(format!("[1-9][0-9]{{{}}},[1-9][0-9]{{{},}}", length - 1, length - 1));
    }
    format!(r"(?:(?:[*+?]|\{{0*(?:{})\}})\??)", bounds.join("|"))
}

/// Returns the regex of a class in brackets.
///
/// A hyphen after a member starts a range. The first character of a range is not greater than the last, if
/// both are ASCII. A hyphen at the start, after a range, or at the end is a member.
///
/// A character may be a single member, or the start of a range if a hyphen follows. After it, the automaton
/// is in a state for both cases, so it has one such state for each first character of a range.
fn class() -> String {
    let escape = format!(r"(?:{}|\\b)", ESCAPE.replace("UNICODE", UNICODE));
    let single = format!(r"(?:[^\]\\-]|{escape}|{MARK})");
    let end = format!(r"(?:[^\]\\]|{escape}|{MARK})");
    let hyphens = format!("(?:--(?:{}|{escape}))*-?", from(0x2d));
    let mut ranges = vec![
        format!("{escape}-{end}"),
        format!("{single}-{escape}"),
        // Characters outside of ASCII, and control characters.
        format!(r"\\?[\x00-\x1f\x7f]-{end}"),
        r"\\?[^\x00-\x7f]-\\?[^\x00-\x7f]".to_owned(),
    ];
    // A bracket, a hyphen and a backslash are members after a backslash only; letters and digits never are.
    let mut marks = Vec::new();
    for low in 0x20..0x7fu8 {
        let range = format!(r"\x{low:02x}-{}", from(low));
        if !low.is_ascii_alphanumeric() {
            marks.push(range.clone());
        }
        if !matches!(low, b'-' | b']' | b'\\') {
            ranges.push(range);
        }
    }
    ranges.push(format!(r"\\(?:{})", marks.join("|")));
    format!(r"\[\^?{hyphens}(?:{single}|(?:{}){hyphens})*-?\]", ranges.join("|"))
}

/// Returns the regex of the end of a range that starts with an ASCII character.
fn from(low: u8) -> String {
    format!(r"(?:[\x{low:02x}-\u{{10ffff}}&&[^\]\\]]|\\[\x{low:02x}-\u{{10ffff}}&&[^0-9A-Za-z]])")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Languages;

    /// Returns true if a text is an expression without groups.
    fn is_body(text: &str) -> bool {
        let mut languages = Languages::new(&crate::Config::default());
        let language = languages.regex(&body());
        languages.contains(language, text).expect("within limits")
    }

    #[test]
    fn expressions_without_groups() {
        for text in [
            "",
            "a|b",
            "^a+$",
            "[a-z]{2,3}?",
            "[]",
            "[^]",
            r"\cA",
            r"\d{3}",
            "a{",
            "a{,2}",
            "{}",
            "a{2,x",
            "x{12,34}",
            "[a-]",
            "[-a]",
            "[--9]",
            "[a-z-9]",
            r"[\w-.]",
            "]",
            "}",
            r"\.",
            r"\u{1F600}",
            "x{100,200}",
            "x{100,1000}",
            "x{999,12345678901}",
            "{{2}",
            "a{2{3}",
            "é*",
        ] {
            assert!(is_body(text), "{text} is one");
        }
        for text in [
            "*",
            "\\",
            "[a",
            "a{2,1}",
            "{2}",
            "a{2}{3}",
            "a**",
            "^*",
            "[z-a]",
            r"\a",
            "[b--]",
            "a{12,3}",
            "a{100,99}",
            "a{34,33}",
            r"\u{110000}",
            "a|*",
            r"\b+",
            "[a--]",
        ] {
            assert!(!is_body(text), "{text} is none");
        }
    }
}
