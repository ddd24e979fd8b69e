//! The kinds of errors in a text, with their messages.

use super::limit::LimitExceeded;
use super::shorten::{displayed, quoted};
use crate::ast::Span;
use crate::ast::notation::MAX_REPETITIONS;

/// The kind of an error in a text. It displays as the message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Bytes are not UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// The text exceeds a limit of [`Limits`](crate::Limits).
    #[error(transparent)]
    LimitExceeded(LimitExceeded),
    /// The account of work of the call is exceeded, or the call is cancelled.
    #[error(transparent)]
    Stopped(grammask_work::Stopped),
    /// A quote without a closing quote.
    #[error("unclosed quote {quote}")]
    UnclosedText {
        /// The opening quote.
        quote: char,
    },
    /// `(*` without `*)`.
    #[error("unclosed comment")]
    UnclosedComment,
    /// A bracket that is open at the end of the rule.
    #[error("unclosed `{open}`{}", if *.more == 0 { String::new() } else { format!(" (and {more} more around it)") })]
    UnclosedGroup {
        /// The innermost open bracket.
        open: char,
        /// Number of open brackets around it.
        more: usize,
    },
    /// `('a']`
    #[error("`{found}` cannot close `{open}`")]
    MismatchedClose {
        /// The closing bracket.
        found: char,
        /// The innermost open bracket.
        open: char,
        /// Span of the open bracket.
        opened: Span,
    },
    /// A closing bracket without an open one.
    #[error("`{found}` does not close a bracket")]
    UnmatchedClose {
        /// The closing bracket.
        found: char,
    },
    /// `*)` outside of a comment.
    #[error("`*)` does not end a comment")]
    UnmatchedCommentEnd,
    /// An unknown escape.
    #[error("unknown escape `\\{}`", displayed(*.character))]
    UnknownEscape {
        /// The character after the backslash.
        character: char,
        /// True if it occurs in a regex.
        in_regex: bool,
    },
    /// An escape without its hexadecimal digits.
    #[error("incomplete escape: expected `{expected}`")]
    IncompleteEscape {
        /// The complete form.
        expected: &'static str,
    },
    /// A surrogate without the other half of its pair.
    #[error("lone surrogate U+{code:04X}")]
    LoneSurrogate {
        /// The code unit.
        code: u32,
    },
    /// A code point above U+10FFFF.
    #[error("the code point is above U+10FFFF")]
    CodePointTooLarge,
    /// A character with which no token begins.
    #[error("unexpected character {}", quoted(*.character))]
    StrayCharacter {
        /// The first of these characters.
        character: char,
    },
    /// A token where it is not allowed.
    #[error("unexpected {found}")]
    Unexpected {
        /// Description of the token.
        found: String,
    },
    /// `:=`, `:`, `->` or another definition sign of other notations.
    #[error("`{found}` does not define a rule")]
    WrongDefinition {
        /// The text in place of `::=`.
        found: &'static str,
    },
    /// A name at the beginning of a rule, without `::=`.
    #[error("expected `::=` after `{rule}`")]
    MissingDefinition {
        /// The name.
        rule: String,
    },
    /// A token other than a name between rules.
    #[error("expected a rule, found {found}")]
    ExpectedRule {
        /// Description of the token.
        found: String,
    },
    /// A rule without a semicolon.
    #[error("missing `;` at the end of {of}")]
    MissingSemicolon {
        /// Description of the rule or directive.
        of: String,
    },
    /// `A ::= ;`
    #[error("the rule `{rule}` has no body")]
    EmptyRule {
        /// Name of the rule.
        rule: String,
    },
    /// `'a' |`
    #[error("empty alternative")]
    EmptyAlternative,
    /// `()`
    #[error("empty group")]
    EmptyGroup,
    /// `~`, `&` or `,` without an operand after it.
    #[error("expected an operand after `{after}`")]
    MissingOperand {
        /// The operator.
        after: char,
    },
    /// `&` or `,` at the beginning of an alternative.
    #[error("expected an operand before `{before}`")]
    MissingLeftOperand {
        /// The operator.
        before: char,
    },
    /// `'a'*+`
    #[error("a second postfix")]
    SecondPostfix,
    /// A postfix at the beginning of an alternative.
    #[error("nothing to repeat")]
    NothingToRepeat,
    /// Braces with digits that are not bounds.
    #[error("malformed bounds")]
    MalformedBounds,
    /// `{3,2}`
    #[error("the bounds are reversed: {min} is greater than {max}")]
    BoundsReversed {
        /// The first number.
        min: u32,
        /// The second number.
        max: u32,
    },
    /// A bound above 10^9.
    #[error("a bound is at most {}", MAX_REPETITIONS)]
    BoundTooLarge,
    /// A number that is too large for its place.
    #[error("the number is greater than {maximum}")]
    NumberTooLarge {
        /// The greatest allowed number.
        maximum: u64,
    },
    /// `1st`
    #[error("an identifier cannot begin with a digit")]
    DigitFirst,
    /// `#` without a quoted pattern after it.
    #[error("expected a quoted pattern directly after `#{tag}`")]
    MissingPattern {
        /// The text between `#` and the quote.
        tag: String,
    },
    /// `#foo'..'`
    #[error("unknown kind of pattern `#{tag}`")]
    UnknownPattern {
        /// The text between `#` and the quote.
        tag: String,
    },
    /// `foo!`
    #[error("unknown operator `{name}!`")]
    UnknownOperator {
        /// The name before the `!`.
        name: String,
    },
    /// `except!` with wrong operands.
    #[error("expected {expected} in `except!`, found {found}")]
    MalformedExcept {
        /// Description of the expected token.
        expected: &'static str,
        /// Description of the token.
        found: String,
    },
    /// `json!` or `distinct!` without a parenthesis.
    #[error("expected `(` after `{name}!`, found {found}")]
    MissingParenthesis {
        /// The name, without the `!`.
        name: &'static str,
        /// Description of the token.
        found: String,
    },
    /// `multiple!` or a comparison with wrong operands.
    #[error("expected {expected} in `{name}!`, found {found}")]
    MalformedNumber {
        /// The name, without the `!`.
        name: &'static str,
        /// Description of the expected token.
        expected: &'static str,
        /// Description of the token.
        found: String,
    },
    /// `unordered!` with wrong operands.
    #[error("expected {expected} in `unordered!`, found {found}")]
    MalformedUnordered {
        /// Description of the expected token.
        expected: &'static str,
        /// Description of the token.
        found: String,
    },
    /// `multiple!(0)`
    #[error("`multiple!` takes a number greater than zero")]
    MultipleOfZero,
    /// A numeral with too many digits.
    #[error("the numeral has {digits} digits, more than {maximum}")]
    NumeralTooLong {
        /// Number of its digits.
        digits: usize,
        /// Maximum number of digits.
        maximum: usize,
    },
    /// A `->` from or to an item that does not exist.
    #[error("there is no item {index}: the items of this `unordered!` are 0 to {last}")]
    UnknownItem {
        /// The number in the text.
        index: u64,
        /// Number of the last item.
        last: u32,
    },
    /// `special!`, `marker!`, `substrs!` or `capture!` with wrong operands.
    #[error("expected {expected} in `{name}!`, found {found}")]
    MalformedList {
        /// The name, without the `!`.
        name: &'static str,
        /// Description of the expected token.
        expected: &'static str,
        /// Description of the token.
        found: String,
    },
    /// `schema!` without a JSON value in parentheses.
    #[error("expected {expected}")]
    MalformedSchema {
        /// Description of the expected part.
        expected: &'static str,
    },
    /// `<[9-7]>`
    #[error("the ids are reversed: {first} is greater than {last}")]
    IdsReversed {
        /// The first id.
        first: u32,
        /// The last id.
        last: u32,
    },
    /// `<[7-9]>` outside of `special!`.
    #[error("a range of ids is allowed in `special!` only")]
    IdsOutsideSpecial {
        /// The first id.
        first: u32,
        /// The last id.
        last: u32,
    },
    /// `<|` without `|>`, `<[` without a number and `]>`.
    #[error("malformed special token")]
    MalformedSpecial,
    /// `%foo`
    #[error("unknown directive `%{name}`")]
    UnknownDirective {
        /// The name after the `%`.
        name: String,
    },
    /// `%start` without a name.
    #[error("expected the name of a rule after `%start`, found {found}")]
    MissingStart {
        /// Description of the token.
        found: String,
    },
    /// A second `%start`.
    #[error("a second `%start`")]
    SecondStart {
        /// Span of the name in the first directive.
        first: Span,
    },
}
