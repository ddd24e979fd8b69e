//! The texts that are regular expressions of ECMA-262, as rules: groups nest, so they are no regular set. All that stands between
//! two brackets of groups is one regular part.

use grammask_syntax::{ExprId, ExprKind};

use super::Emitter;
use crate::value::Expressions;

/// The beginning of a group: plain, without number, a look ahead, or with a name.
const OPEN: &str =
    r"\((?:\?[:=!]|\?<(?:[\p{ID_Start}$_]|UNICODE)(?:[\p{ID_Continue}$_\u{200c}\u{200d}]|UNICODE)*>)?";
/// The beginning of a look behind, which may not be repeated.
const OPEN_BEHIND: &str = r"\(\?<[=!]";
/// An escaped code point.
const UNICODE: &str = r"\\u(?:[0-9A-Fa-f]{4}|\{0*(?:10[0-9A-Fa-f]{4}|[0-9A-Fa-f]{1,5})\})";
/// What follows a backslash, in classes and outside, apart from marks that stand for themselves.
const ESCAPE: &str =
    r"(?:\\(?:[dDwWsStnvfr0-9]|c[A-Za-z]|x[0-9A-Fa-f]{2}|[pP]\{[A-Za-z_]+(?:=[0-9A-Za-z_]+)?\})|UNICODE)";
/// A mark that stands for itself behind a backslash.
const MARK: &str = r"\\[^0-9A-Za-z]";
/// What stands for itself, apart from what may continue the numbers of a quantifier.
const LITERAL: &str = r"[^\^$\\*+?()\[{|0-9,}]";
/// What matches between characters.
const ASSERTION: &str = r"(?:[\^$|]|\\[bB])";
/// The beginning of the numbers of a quantifier.
const NUMBERS: &str = r"(?:[0-9]+(?:,[0-9]*)?)?";

impl Emitter<'_, '_> {
    /// Regular expressions, as they stand between the quotes of a string.
    pub(super) fn expressions(&mut self, which: Expressions) -> ExprId {
        let [all, group] = match self.expressions.clone() {
            Some(names) => names,
            None => self.expression_rules(),
        };
        if which == Expressions::All {
            return self.reference(&all);
        }
        let (body, some) = (body(), self.regex("(?s:.)+"));
        let first = self.regex(&body);
        let first = self.push(ExprKind::And(vec![first, some].into()));
        let first = self.push(ExprKind::Json(first));
        let longer = self.longer(&all, &group);
        self.alternatives(vec![first, longer])
    }

    /// An expression, a group, and what stands behind.
    fn longer(&mut self, all: &str, group: &str) -> ExprId {
        let parts = vec![self.reference(all), self.reference(group), self.spelled(&body())];
        self.sequence(parts)
    }

    fn expression_rules(&mut self) -> [String; 2] {
        let [all, group] = ["regular_expression", "group"].map(|wish| {
            let mut name = wish.to_owned();
            while !self.taken.insert(name.as_str().into()) {
                name.push('_');
            }
            name
        });
        self.expressions = Some([all.clone(), group.clone()]);
        let quantifier = quantifier();
        // Parts with groups between them.
        let first = self.spelled(&body());
        let longer = self.longer(&all, &group);
        let alternatives = self.alternatives(vec![first, longer]);
        self.rule(&all, alternatives);
        let groups = [
            (OPEN.replace("UNICODE", UNICODE), format!(r"\){quantifier}?")),
            (OPEN_BEHIND.to_owned(), r"\)".to_owned()),
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
        let contents = self.regex(pattern);
        self.push(ExprKind::Json(contents))
    }
}

/// What may stand between the brackets of groups. A brace is a character as long as what follows is no quantifier.
fn body() -> String {
    let (quantifier, escape) = (quantifier(), ESCAPE.replace("UNICODE", UNICODE));
    let atom = format!("(?:{LITERAL}|{escape}|{MARK}|\\\\k<[^>]+>|{})", class());
    let braces = format!(r"\{{(?:{NUMBERS}\{{)*");
    let behind = format!("(?:[,}}]|{NUMBERS}{atom}|[0-9]+,[0-9]*,)");
    let repeated = format!("(?:{atom}|[0-9,}}]|{braces}{behind})");
    format!(
        "(?:{repeated}{quantifier}?|{braces}{NUMBERS}{quantifier}|(?:{braces}{NUMBERS})?{ASSERTION})*(?:{braces}{NUMBERS})?"
    )
}

/// How often. Numbers of one and two digits are in order; of longer ones, the second is not the shorter.
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
        let longer = if length == 10 { "," } else { "" };
        bounds.push(format!("[1-9][0-9]{{{}}},[1-9][0-9]{{{}{longer}}}", length - 1, length - 1));
    }
    format!(r"(?:(?:[*+?]|\{{0*(?:{})\}})\??)", bounds.join("|"))
}

/// A class in brackets. A hyphen behind a member makes a range; the first of its two members comes before the second, as far as ASCII goes. A hyphen at the
/// beginning, behind a range and at the end is a member.
///
/// A member by itself and one that begins a range are told apart behind it: what may follow is a hyphen and what depends on the member, or what follows
/// any. That makes many states, but each of two parts.
fn class() -> String {
    let escape = format!(r"(?:{}|\\b)", ESCAPE.replace("UNICODE", UNICODE));
    let single = format!(r"(?:[^\]\\-]|{escape}|{MARK})");
    let end = format!(r"(?:[^\]\\]|{escape}|{MARK})");
    let hyphens = format!("(?:--(?:{}|{escape}))*-?", from(0x2d));
    let mut ranges = vec![
        format!("{escape}-{end}"),
        format!("{single}-{escape}"),
        // What is not ASCII, and controls.
        format!(r"\\?[\x00-\x1f\x7f]-{end}"),
        r"\\?[^\x00-\x7f]-\\?[^\x00-\x7f]".to_owned(),
    ];
    // A bracket, a hyphen and a backslash are members behind a backslash only, and letters and digits never.
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

/// The end of a range that begins with an ASCII character.
fn from(low: u8) -> String {
    format!(r"(?:[\x{low:02x}-\u{{10ffff}}&&[^\]\\]]|\\[\x{low:02x}-\u{{10ffff}}&&[^0-9A-Za-z]])")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Languages;

    /// Whether a text without groups is an expression.
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
