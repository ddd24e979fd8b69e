//! The errors of the parser: a kind with its place, gathered so that a text reports all of them at once.

use std::fmt;

use crate::ast::Span;
use crate::diagnostic::{Diagnostic, Report};

/// What is wrong in a text. The message is the `Display` of the kind.
///
/// More kinds may come, so a `match` needs a last arm.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Bytes that are no UTF-8.
    #[error("invalid UTF-8")]
    InvalidUtf8,
    /// A limit of [`Config`](crate::Config) is reached.
    #[error("limit {limit} exceeded: {value} is more than {maximum}")]
    LimitExceeded {
        /// The field of [`Config`](crate::Config).
        limit: &'static str,
        /// What the configuration allows.
        maximum: usize,
        /// What the text has, as far as it was read.
        value: usize,
    },
    /// A quote that nothing closes.
    #[error("unclosed quote {quote}")]
    UnclosedText {
        /// The opening quote.
        quote: char,
    },
    /// `(*` without `*)`.
    #[error("unclosed comment")]
    UnclosedComment,
    /// A bracket that is still open where the rule ends.
    #[error("unclosed `{open}`{}", if *.more == 0 { String::new() } else { format!(" (and {more} more around it)") })]
    UnclosedGroup {
        /// The innermost open bracket.
        open: char,
        /// How many more are open around it.
        more: usize,
    },
    /// `('a']`
    #[error("`{found}` cannot close `{open}`")]
    MismatchedClose {
        /// The closing bracket.
        found: char,
        /// The innermost open bracket.
        open: char,
        /// Where that one stands.
        opened: Span,
    },
    /// A closing bracket where none is open.
    #[error("`{found}` closes nothing")]
    UnmatchedClose {
        /// The closing bracket.
        found: char,
    },
    /// `*)` outside of a comment.
    #[error("`*)` ends no comment")]
    UnmatchedCommentEnd,
    /// An escape that does not exist.
    #[error("unknown escape `\\{}`", shown(*.character))]
    UnknownEscape {
        /// What follows the backslash.
        character: char,
        /// Whether it stands in a regex.
        in_regex: bool,
    },
    /// An escape without its hexadecimal digits.
    #[error("incomplete escape: expected `{expected}`")]
    IncompleteEscape {
        /// The full form.
        expected: &'static str,
    },
    /// Half of a surrogate pair.
    #[error("lone surrogate U+{code:04X}")]
    LoneSurrogate {
        /// The code unit.
        code: u32,
    },
    /// A number above U+10FFFF.
    #[error("no such code point: an escape ends at U+10FFFF")]
    CodePointTooLarge,
    /// A character that begins nothing.
    #[error("unexpected character {}", quoted(*.character))]
    StrayCharacter {
        /// The first of them.
        character: char,
    },
    /// A token in a place where it means nothing.
    #[error("unexpected {found}")]
    Unexpected {
        /// The token, as a reader would call it.
        found: String,
    },
    /// `:=`, `:`, `->` and their like.
    #[error("`{found}` does not define a rule")]
    WrongDefinition {
        /// What stands in place of `::=`.
        found: &'static str,
    },
    /// A name at the beginning of a rule that nothing follows.
    #[error("expected `::=` after `{rule}`")]
    MissingDefinition {
        /// The name.
        rule: String,
    },
    /// Something else than a rule between the rules.
    #[error("expected a rule, found {found}")]
    ExpectedRule {
        /// The token, as a reader would call it.
        found: String,
    },
    /// A rule that runs into the next one or into the end of the text.
    #[error("missing `;` at the end of {of}")]
    MissingSemicolon {
        /// The rule or directive, as a reader would call it.
        of: String,
    },
    /// `A ::= ;`
    #[error("the rule `{rule}` has no body")]
    EmptyRule {
        /// The rule's name.
        rule: String,
    },
    /// `'a' |`
    #[error("empty alternative")]
    EmptyAlternative,
    /// `()`
    #[error("empty group")]
    EmptyGroup,
    /// `~`, `&` or `,` without what it takes.
    #[error("nothing follows `{after}`")]
    MissingOperand {
        /// The operator.
        after: char,
    },
    /// `&` or `,` at the beginning of an alternative.
    #[error("nothing stands before `{before}`")]
    MissingLeft {
        /// The operator.
        before: char,
    },
    /// `'a'*+`
    #[error("a second postfix")]
    SecondPostfix,
    /// A postfix at the beginning of an alternative.
    #[error("nothing to repeat")]
    NothingToRepeat,
    /// Braces with digits that are no bounds.
    #[error("malformed bounds")]
    MalformedBounds,
    /// `{3,2}`
    #[error("the bounds {min} and {max} are the wrong way round")]
    BoundsReversed {
        /// The first number.
        min: u32,
        /// The second number.
        max: u32,
    },
    /// A bound above 10^9.
    #[error("a bound is at most {}", MAX_BOUND)]
    BoundTooLarge,
    /// A number that fits nowhere.
    #[error("the number is greater than {maximum}")]
    NumberTooLarge {
        /// The greatest number that is allowed here.
        maximum: u64,
    },
    /// `1st`
    #[error("an identifier cannot begin with a digit")]
    DigitFirst,
    /// `#` without a quoted pattern behind it.
    #[error("expected a quoted pattern directly behind `#{tag}`")]
    MissingPattern {
        /// What stands between `#` and the quote.
        tag: String,
    },
    /// `#foo'..'`
    #[error("unknown kind of pattern `#{tag}`")]
    UnknownPattern {
        /// What stands between `#` and the quote.
        tag: String,
    },
    /// `foo!`
    #[error("unknown operator `{name}!`")]
    UnknownBang {
        /// What stands before the `!`.
        name: String,
    },
    /// `except!` with something wrong in it.
    #[error("expected {expected} in `except!`, found {found}")]
    MalformedExcept {
        /// What should stand there.
        expected: &'static str,
        /// The token, as a reader would call it.
        found: String,
    },
    /// `json!` or `distinct!` without a parenthesis.
    #[error("expected `(` after `{name}!`, found {found}")]
    NoParenthesis {
        /// The name, without the `!`.
        name: &'static str,
        /// The token, as a reader would call it.
        found: String,
    },
    /// `multiple!`, `atleast!` or its like with something wrong in it.
    #[error("expected {expected} in `{name}!`, found {found}")]
    MalformedMultiple {
        /// The name, without the `!`.
        name: &'static str,
        /// What should stand there.
        expected: &'static str,
        /// The token, as a reader would call it.
        found: String,
    },
    /// `unordered!` with something wrong in it.
    #[error("expected {expected} in `unordered!`, found {found}")]
    MalformedUnordered {
        /// What should stand there.
        expected: &'static str,
        /// The token, as a reader would call it.
        found: String,
    },
    /// `multiple!(0)`
    #[error("`multiple!` takes a number greater than zero")]
    MultipleOfZero,
    /// A numeral with more digits than may be.
    #[error("the numeral has {digits} digits, more than {most}")]
    NumeralTooLong {
        /// How many it has.
        digits: usize,
        /// How many it may have.
        most: usize,
    },
    /// A `->` from or to an item that is not there.
    #[error("there is no item {index}: the items of this `unordered!` are 0 to {last}")]
    NoSuchItem {
        /// What stands there.
        index: u64,
        /// The last item.
        last: u32,
    },
    /// `<|` without `|>`, `<[` without a number and `]>`.
    #[error("malformed special token")]
    MalformedSpecial,
    /// `%foo`
    #[error("unknown directive `%{name}`")]
    UnknownDirective {
        /// What stands behind the `%`.
        name: String,
    },
    /// `%start` without a name.
    #[error("expected the name of a rule after `%start`, found {found}")]
    MissingStart {
        /// The token, as a reader would call it.
        found: String,
    },
    /// A second `%start`.
    #[error("a second `%start`")]
    SecondStart {
        /// The first one.
        first: Span,
    },
}

/// The greatest number of digits of the numeral in `multiple!`.
pub const MAX_DIGITS: usize = 40;

/// The greatest number of digits of the numeral in `atleast!` and its like.
pub const MAX_BOUND_DIGITS: usize = 10_000;

/// The greatest bound of a repetition.
pub const MAX_BOUND: u32 = 1_000_000_000;

/// An error and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    kind: ErrorKind,
    span: Span,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, span: Span) -> Self {
        Self { kind, span }
    }

    /// What is wrong.
    pub const fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// Where it is wrong, in bytes. An empty span stands between two characters.
    pub const fn span(&self) -> Span {
        self.span
    }

    /// What to write instead, where that is known.
    pub fn hint(&self) -> Option<String> {
        hint(&self.kind)
    }

    /// The error in the form that the renderer takes.
    pub fn diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::new(self.kind.to_string(), self.span);
        diagnostic.hint = self.hint();
        match &self.kind {
            ErrorKind::MismatchedClose { open, opened, .. } => {
                diagnostic.with_note(*opened, format!("`{open}` is opened here"))
            }
            ErrorKind::SecondStart { first } => diagnostic.with_note(*first, "the first one is here"),
            _ => diagnostic,
        }
    }
}

/// All errors of a text, in the order of their places.
///
/// # Example
///
/// ```
/// let text = "start ::= 'a' | ;\nB ::= ('b';\n";
/// let errors = grammask_syntax::parse(text, &grammask_syntax::Config::default()).unwrap_err();
/// assert_eq!(errors.len(), 2);
/// assert!(errors.render(text, "g.kbnf").to_string().starts_with("g.kbnf:1:17: error: empty alternative\n"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Errors {
    errors: Vec<Error>,
    omitted: usize,
}

impl Errors {
    /// The errors that were kept, at least one.
    pub fn as_slice(&self) -> &[Error] {
        &self.errors
    }

    /// Goes through the errors that were kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.errors.iter()
    }

    /// The number of all errors, also of those beyond [`Config::max_errors`](crate::Config::max_errors).
    pub const fn len(&self) -> usize {
        self.errors.len() + self.omitted
    }

    /// Never true: whoever has errors has at least one.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many errors were counted but not kept.
    pub const fn omitted(&self) -> usize {
        self.omitted
    }

    /// The errors in the form that the renderer takes.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.errors.iter().map(Error::diagnostic).collect()
    }

    /// The errors for a reader: place, source line, caret and hint of each. `text` is what was parsed, text or bytes.
    pub fn render<'a>(&self, text: &'a (impl AsRef<[u8]> + ?Sized), file_name: &'a str) -> Report<'a> {
        Report::new(text, file_name, self.diagnostics()).with_omitted(self.omitted)
    }
}

impl<'a> IntoIterator for &'a Errors {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}at byte {}: {error}", error.span.start)?;
        }
        if self.omitted > 0 {
            write!(f, "\nand {} more", self.omitted)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

/// Gathers errors while a text is read; keeps `max_errors` of them and counts the others.
#[derive(Debug)]
pub(crate) struct ErrorSink {
    errors: Vec<Error>,
    omitted: usize,
    max_errors: usize,
    /// What is no text, in order: whatever is wrong there is wrong because of that.
    unreadable: Vec<Span>,
}

/// A moment to which an [`ErrorSink`] can be taken back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    errors: usize,
    omitted: usize,
}

impl ErrorSink {
    pub(crate) fn new(max_errors: usize) -> Self {
        Self { errors: Vec::new(), omitted: 0, max_errors: max_errors.max(1), unreadable: Vec::new() }
    }

    /// Reports bytes that are no UTF-8, and from now on nothing else there. They come in order, before all else.
    pub(crate) fn push_unreadable(&mut self, span: Span) {
        self.push(ErrorKind::InvalidUtf8, span);
        self.unreadable.push(span);
    }

    pub(crate) fn push(&mut self, kind: ErrorKind, span: Span) {
        let next = self.unreadable.partition_point(|unreadable| unreadable.end <= span.start);
        if self.unreadable.get(next).is_some_and(|unreadable| unreadable.start < span.end.max(span.start + 1))
        {
            return;
        }
        if self.errors.len() < self.max_errors {
            self.errors.push(Error::new(kind, span));
        } else {
            self.omitted += 1;
        }
    }

    /// Whether errors were only counted.
    pub(crate) const fn has_omitted(&self) -> bool {
        self.omitted > 0
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { errors: self.errors.len(), omitted: self.omitted }
    }

    pub(crate) fn rewind(&mut self, mark: Mark) {
        self.errors.truncate(mark.errors);
        self.omitted = mark.omitted;
    }

    /// `None` where nothing was wrong.
    pub(crate) fn finish(mut self) -> Option<Errors> {
        if self.errors.is_empty() {
            return None;
        }
        self.errors.sort_by_key(|error| error.span);
        Some(Errors { errors: self.errors, omitted: self.omitted })
    }
}

fn hint(kind: &ErrorKind) -> Option<String> {
    let hint = match kind {
        ErrorKind::UnclosedText { .. } => {
            "a text may run over several lines; an earlier quote may be the one too many"
        }
        ErrorKind::UnclosedComment => {
            "`(*` always begins a comment, which the next `*)` ends; comments do not nest"
        }
        ErrorKind::UnmatchedCommentEnd => "comments do not nest: the first `*)` ends one, whatever it holds",
        ErrorKind::UnclosedGroup { open, .. } | ErrorKind::MismatchedClose { open, .. } => {
            return Some(format!("`{open}` is closed by `{}`", closing(*open)));
        }
        ErrorKind::UnknownEscape { character, in_regex: true } if character.is_ascii_graphic() => {
            return Some(format!("in a regex, a backslash is written `\\\\`: `\\\\{character}`"));
        }
        ErrorKind::UnknownEscape { .. } => {
            r#"the escapes are \b \f \n \r \t \v \\ \' \" \/ \0 to \377 \xHH \uHHHH \UHHHHHHHH \u{H...}"#
        }
        ErrorKind::LoneSurrogate { code } if *code < 0xDC00 => {
            r"a pair is written `\uD83D\uDE00`, a code point `\u{1F600}`"
        }
        ErrorKind::LoneSurrogate { .. } => {
            r"this is the second half of a pair, and needs its first half, \uD800 to \uDBFF, before it"
        }
        ErrorKind::StrayCharacter { character: '/' } => "comments are written (* like this *)",
        ErrorKind::StrayCharacter { character } if *character == '-' || character.is_alphanumeric() => {
            "an identifier is made of the letters A-Z and a-z, digits and `_`; everything else is quoted"
        }
        ErrorKind::StrayCharacter { character: '‘' | '’' | '“' | '”' | '`' | '´' } => {
            "texts stand in ' or \""
        }
        ErrorKind::WrongDefinition { .. } => "a rule is written `name ::= body;` or `name = body;`",
        ErrorKind::ExpectedRule { .. } | ErrorKind::MissingDefinition { .. } => {
            "a rule is written `name ::= body;`"
        }
        ErrorKind::EmptyRule { .. } | ErrorKind::EmptyAlternative | ErrorKind::EmptyGroup => {
            "the empty string is written ''"
        }
        ErrorKind::SecondPostfix => "one postfix per part; put parentheses around the first: `('a'*)+`",
        ErrorKind::NothingToRepeat => "`?`, `*`, `+` and bounds stand behind what they repeat",
        ErrorKind::MalformedBounds => "bounds are written `{2}`, `{2,}` or `{2,5}`",
        ErrorKind::BoundsReversed { min, max } => return Some(format!("write `{{{max},{min}}}`")),
        ErrorKind::BoundTooLarge => "`{2,}` repeats without end",
        ErrorKind::MissingPattern { .. } => "write `#'pattern'`; the quote follows without a space",
        ErrorKind::UnknownPattern { .. } => "there are `#'..'`, `#e'..'`, `#ex'..'` and `#substrs'..'`",
        ErrorKind::UnknownBang { .. } => {
            "there are `except!`, `json!`, `unordered!`, `distinct!`, `multiple!`, `atleast!`, `above!`, `atmost!`, `below!` and `equal!`"
        }
        ErrorKind::MalformedExcept { expected: "a text or a nonterminal", .. } => {
            "several texts are given by the name of a rule that lists them; a regex is excluded by `#ex'..'`"
        }
        ErrorKind::MalformedExcept { .. } => "write `except!('text')` or `except!(name, 100)`",
        ErrorKind::MalformedUnordered { .. } => {
            "write `unordered!(a, b?, c*; separator; {1,4}; 0 -> 1)`, where all but the items may be left out"
        }
        ErrorKind::NoSuchItem { .. } => "items are counted from 0",
        ErrorKind::NoParenthesis { name: "distinct", .. } => {
            "write `unordered!(distinct!(#'pattern'); separator)`"
        }
        ErrorKind::NoParenthesis { .. } => "write `json!('text')` or `json!(#'pattern')`",
        ErrorKind::MalformedMultiple { name: "multiple", .. } | ErrorKind::MultipleOfZero => {
            "write `multiple!(7)` or `multiple!(0.25)`"
        }
        ErrorKind::MalformedMultiple { name, .. } => {
            return Some(format!("write `{name}!(7)` or `{name}!(0.25)`, without sign"));
        }
        ErrorKind::MalformedSpecial => {
            "special tokens are written `<|name|>` (no white space or `<` in the name) or `<[id]>`"
        }
        ErrorKind::UnknownDirective { .. } => "there is only `%start name;`",
        ErrorKind::MissingStart { .. } => "write `%start name;`",
        _ => return None,
    };
    Some(hint.to_owned())
}

fn closing(open: char) -> char {
    match open {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}

/// A name for a message: cut where it is too long for one.
pub(crate) fn shorten(name: &str) -> String {
    const LENGTH: usize = 60;
    let cut = name.floor_char_boundary(LENGTH);
    format!("{}{}", &name[..cut], if cut < name.len() { "…" } else { "" })
}

/// A character for a message: as it is, or as U+XXXX where it would not be seen.
fn shown(character: char) -> String {
    if character == ' ' || (!character.is_whitespace() && !crate::print::is_invisible(character)) {
        character.to_string()
    } else {
        format!("U+{:04X}", u32::from(character))
    }
}

fn quoted(character: char) -> String {
    let shown = shown(character);
    if shown.starts_with("U+") { shown } else { format!("`{shown}`") }
}
