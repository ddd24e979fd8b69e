//! Recovers the usable part of a text with errors. Later stages check it, and must find only errors that are
//! not consequences of the errors of the parser.
//!
//! For example, of `a ::= 'x' b | ; c-d ::= e;` the rule `a` is usable as `b`, because an empty alternative
//! does not change the other names. Of the second rule only the name is usable, because `-` may belong to it.

use std::collections::{BTreeMap, BTreeSet};

use grammask_work::narrow;

use crate::ast::{Ast, Expr, ExprId, ExprKind, Name, Rule, Span};
use crate::error::{Error, ErrorKind, Errors};

/// The usable part of a text with errors: the result of [`parse_or_recover`](crate::parse_or_recover).
///
/// The part of a rule in [`ast`](Self::ast) depends on its errors:
///
/// - A rule without errors is complete.
/// - Some errors do not affect the other parts of a rule, such as an empty alternative, wrong bounds, a wrong
///   escape or an unclosed bracket. Then the body is the list of its nonterminals, patterns and `except!` as
///   alternatives, without those that touch an error. It says which names the rule uses, but not its
///   language.
/// - Other errors may change names or comments, such as a stray character. Then the body is the empty text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery {
    /// The usable part: a tree with the invariants of [`Ast`].
    pub ast: Ast,
    /// True if the text may have a `%start` that `ast` lacks.
    pub start_is_unknown: bool,
    /// The errors of the text.
    pub errors: Errors,
    /// Nonterminals whose rules may be missing or wrong in `ast`.
    incomplete: BTreeSet<String>,
    /// By length: texts that may be the beginning or the end of a name with an error inside.
    pieces: BTreeMap<usize, BTreeSet<String>>,
    /// True if errors were only counted, so that their spans are unknown.
    has_omitted: bool,
}

impl Recovery {
    /// Returns the recovery of a text without usable parts.
    pub(crate) const fn nothing(errors: Errors) -> Self {
        let ast = Ast { rules: Vec::new(), exprs: Vec::new(), start: None, allows_empty: false };
        Self {
            ast,
            start_is_unknown: true,
            errors,
            incomplete: BTreeSet::new(),
            pieces: BTreeMap::new(),
            has_omitted: true,
        }
    }

    /// Returns true if a nonterminal may have other rules than in [`ast`](Self::ast). That is the case if one
    /// of its rules has an error, lies in a part that was not read, or has an error in its name (`sta(rt ::=
    /// 'x';`).
    ///
    /// # Complexity
    /// O(n * l) for a name of n bytes and l different lengths of the names next to errors.
    pub fn is_incomplete(&self, nonterminal: &str) -> bool {
        let length = nonterminal.len();
        let has_piece = |(&of, pieces): (&usize, &BTreeSet<String>)| {
            let is_piece = |part: Option<&str>| part.is_some_and(|part| pieces.contains(part));
            is_piece(nonterminal.get(..of)) || is_piece(nonterminal.get(length - of..))
        };
        self.has_omitted
            || self.incomplete.contains(nonterminal)
            || self.pieces.range(..=length).any(has_piece)
    }
}

/// Log of the parser for the recovery of a text with errors.
#[derive(Debug, Default)]
pub(crate) struct RecoveryLog {
    /// For each rule, the index of its first expression, and true if it ends with a semicolon.
    pub(crate) rules: Vec<(usize, bool)>,
    /// Names of rules whose bodies were not read.
    pub(crate) names: Vec<Name>,
    /// Spans that were skipped between rules.
    pub(crate) skipped: Vec<Span>,
    /// True if a directive has an error.
    pub(crate) start_is_wrong: bool,
    /// Number of rules before the first error that was only counted, and whose span is unknown.
    pub(crate) known: usize,
    /// Spans of the comments: a comment that begins too early hides rules.
    pub(crate) comments: Vec<Span>,
    /// Span of the end of the text that was not read, after an unclosed quote or comment.
    pub(crate) unread: Span,
    /// True if a quote is unclosed.
    pub(crate) quote_is_open: bool,
}

/// The usable part of a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Usable {
    Whole,
    Parts,
    Name,
}

impl RecoveryLog {
    /// Builds the usable part of a tree.
    pub(crate) fn recover(self, text: &str, ast: Ast, errors: Errors) -> Recovery {
        let all = ErrorSpans::new(errors.iter());
        let is_grave = |error: &Error| !leaves_parts(error.kind()) || splits_word(text, error);
        let grave = ErrorSpans::new(errors.iter().filter(|error| is_grave(error)));
        let in_names: Vec<Error> = errors
            .iter()
            .filter(|error| is_grave(error) || is_in_word(text, error.span()))
            .cloned()
            .collect();
        let near_names = ErrorSpans::new(in_names.iter());
        let spans = in_names.iter().map(Error::span).chain(self.skipped.iter().copied());
        let pieces = spans.flat_map(|span| [span.start, span.end]).filter_map(|at| word_at(text, at));
        let mut by_length: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for piece in pieces {
            by_length.entry(piece.len()).or_default().insert(piece.to_owned());
        }
        let usable = |index: usize, span: Span, is_closed: bool| {
            let is_unsure = index >= self.known || self.quote_is_open && !ends_its_line(text, span);
            if is_unsure || grave.touches(span) {
                Usable::Name
            } else if all.touches(span) || !is_closed {
                Usable::Parts
            } else {
                Usable::Whole
            }
        };
        let mut unsure = self.skipped;
        unsure.push(self.unread);
        unsure.extend(self.comments);
        let mut incomplete = BTreeSet::new();
        let Ast { start, allows_empty, rules, exprs } = ast;
        let mut copier = Copier { source: exprs, ast: Ast { start, allows_empty, ..Ast::default() } };
        for (index, (rule, (first, is_closed))) in rules.into_iter().zip(self.rules).enumerate() {
            let usable = usable(index, rule.span, is_closed);
            if usable != Usable::Whole {
                incomplete.insert(rule.name.text.clone());
            }
            match usable {
                Usable::Whole => copier.whole(rule, first),
                Usable::Parts => {
                    copier.parts(rule, first, &all, |span| near_names.borders(span) || is_glued(text, span));
                }
                Usable::Name => {
                    unsure.push(rule.span);
                    copier.name(rule.name, rule.span);
                }
            }
        }
        for name in self.names {
            incomplete.insert(name.text.clone());
            let span = name.span;
            copier.name(name, span);
        }
        let mut start_is_unknown = self.start_is_wrong;
        for span in unsure {
            let piece = &text[span.range()];
            start_is_unknown |= piece.contains("%start");
            incomplete.extend(perhaps_defined(piece).map(str::to_owned));
        }
        let has_omitted = errors.omitted() > 0;
        Recovery { ast: copier.ast, start_is_unknown, errors, incomplete, pieces: by_length, has_omitted }
    }
}

/// Moves rules from one tree to another one.
struct Copier {
    source: Vec<Expr>,
    ast: Ast,
}

impl Copier {
    /// Moves a rule with all its expressions. They have the indices from `first` to that of the body.
    fn whole(&mut self, rule: Rule, first: usize) {
        let base = self.ast.exprs.len();
        let moved = |id: ExprId| ExprId(narrow(id.index() - first + base));
        for expr in &mut self.source[first..=rule.body.index()] {
            let mut kind = std::mem::replace(&mut expr.kind, ExprKind::Text(String::new().into()));
            kind.children_mut().iter_mut().for_each(|child| *child = moved(*child));
            self.ast.exprs.push(Expr { kind, span: expr.span });
        }
        self.ast.rules.push(Rule { body: moved(rule.body), ..rule });
    }

    /// Moves a rule with only those parts that name something: nonterminals, patterns, `except!` and numbers.
    /// `is_half` returns true if the nonterminal with this span may be a piece of the name that was meant.
    fn parts(&mut self, rule: Rule, first: usize, errors: &ErrorSpans, is_half: impl Fn(Span) -> bool) {
        let base = narrow(self.ast.exprs.len());
        let own = self.source.get_mut(first..).unwrap_or_default();
        let count = own.iter().take_while(|expr| expr.span.start < rule.span.end).count();
        for Expr { kind, span } in &mut own[..count] {
            let names_something = matches!(
                kind,
                ExprKind::Nonterminal(_)
                    | ExprKind::Regex(_)
                    | ExprKind::PrefixMinimal(_)
                    | ExprKind::NotContaining(_)
                    | ExprKind::Except { .. }
                    | ExprKind::Multiple(_)
                    | ExprKind::Compared(..)
            );
            let is_half = matches!(kind, ExprKind::Nonterminal(_)) && is_half(*span);
            if names_something && !is_half && !errors.overlaps(*span) {
                let kind = std::mem::replace(kind, ExprKind::Text(String::new().into()));
                self.ast.push(kind, *span);
            }
        }
        let parts: Vec<ExprId> = (base..narrow(self.ast.exprs.len())).map(ExprId).collect();
        let body = match parts[..] {
            [] => return self.name(rule.name, rule.span),
            [part] => part,
            _ => self.ast.push(ExprKind::Alternatives(parts.into()), rule.span),
        };
        self.ast.rules.push(Rule { body, ..rule });
    }

    /// Adds a rule with the empty text as its body.
    fn name(&mut self, name: Name, span: Span) {
        let here = Span::new(name.span.end, name.span.end);
        let body = self.ast.push(ExprKind::Text(String::new().into()), here);
        self.ast.rules.push(Rule { name, body, span });
    }
}

/// The spans of errors, for tests of overlap with other spans.
struct ErrorSpans {
    /// Starts of the spans, ascending.
    starts: Vec<usize>,
    /// For each span, the maximum end of it and all spans before it.
    ends: Vec<usize>,
}

impl ErrorSpans {
    fn new<'e>(errors: impl Iterator<Item = &'e Error>) -> Self {
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for error in errors {
            let Span { start, end } = error.span();
            starts.push(start);
            ends.push(ends.last().copied().unwrap_or(0).max(end));
        }
        Self { starts, ends }
    }

    /// Returns the maximum end of the spans with `holds(start)`, which must hold for a prefix of the spans.
    fn max_end(&self, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let count = self.starts.partition_point(|&start| holds(start));
        Some(self.ends[count.checked_sub(1)?])
    }

    /// Returns true if an error lies inside a span or at its end, where something may be missing.
    fn touches(&self, span: Span) -> bool {
        self.max_end(|start| start <= span.end).is_some_and(|end| end > span.start)
    }

    /// Returns true if an error lies inside a span or at one of its ends.
    fn borders(&self, span: Span) -> bool {
        self.max_end(|start| start <= span.end).is_some_and(|end| end >= span.start)
    }

    /// Returns true if an error lies inside a span, even between two bytes.
    fn overlaps(&self, span: Span) -> bool {
        self.max_end(|start| start < span.end).is_some_and(|end| end > span.start)
    }
}

/// Returns true if the names and patterns of a rule are right apart from the place of such an error in it.
/// Returns false for kinds that are not listed.
const fn leaves_parts(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::UnclosedGroup { .. }
            | ErrorKind::MismatchedClose { .. }
            | ErrorKind::UnmatchedClose { .. }
            | ErrorKind::UnknownEscape { .. }
            | ErrorKind::IncompleteEscape { .. }
            | ErrorKind::LoneSurrogate { .. }
            | ErrorKind::CodePointTooLarge
            | ErrorKind::WrongDefinition { .. }
            | ErrorKind::MissingSemicolon { .. }
            | ErrorKind::EmptyRule { .. }
            | ErrorKind::EmptyAlternative
            | ErrorKind::EmptyGroup
            | ErrorKind::MissingOperand { .. }
            | ErrorKind::MissingLeftOperand { .. }
            | ErrorKind::SecondPostfix
            | ErrorKind::NothingToRepeat
            | ErrorKind::MalformedBounds
            | ErrorKind::BoundsReversed { .. }
            | ErrorKind::BoundTooLarge
            | ErrorKind::NumberTooLarge { .. }
            | ErrorKind::UnknownOperator { .. }
            | ErrorKind::MalformedExcept { .. }
            | ErrorKind::MissingParenthesis { .. }
            | ErrorKind::MalformedNumber { .. }
            | ErrorKind::MalformedUnordered { .. }
            | ErrorKind::MultipleOfZero
            | ErrorKind::NumeralTooLong { .. }
            | ErrorKind::UnknownItem { .. }
            | ErrorKind::MalformedSpecial
            | ErrorKind::MalformedList { .. }
            | ErrorKind::IdsReversed { .. }
            | ErrorKind::IdsOutsideSpecial { .. }
            | ErrorKind::SecondStart { .. }
    )
}

/// Returns true for the characters of identifiers.
const fn is_in_words(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns true if characters of identifiers are directly before and after a span.
fn is_in_word(text: &str, span: Span) -> bool {
    let at =
        |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(|&byte| is_in_words(byte));
    at(span.start.checked_sub(1)) && at(Some(span.end))
}

/// Returns true if only brackets are between a name and another name: if brackets are wrong, they may split
/// one name.
fn is_glued(text: &str, name: Span) -> bool {
    let is_bracket = |byte: &u8| b"()[]{}*".contains(byte);
    let is_letter = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let (before, after) = (&text.as_bytes()[..name.start], &text.as_bytes()[name.end..]);
    let after_bracket = before.iter().rposition(|byte| !is_bracket(byte)).unwrap_or(0);
    let before_bracket = after.iter().position(|byte| !is_bracket(byte)).unwrap_or(0);
    after_bracket + 1 < before.len() && is_letter(before.get(after_bracket))
        || before_bracket > 0 && is_letter(after.get(before_bracket))
}

/// Returns true if a valid token may be a typo inside a name: `na=me ::= 'x';`, `na!me`.
fn splits_word(text: &str, error: &Error) -> bool {
    let Span { start, end } = error.span();
    match error.kind() {
        ErrorKind::EmptyRule { .. } => text.as_bytes().get(start).is_some_and(|&byte| is_in_words(byte)),
        ErrorKind::UnknownOperator { .. } => text.as_bytes().get(end) != Some(&b'('),
        _ => false,
    }
}

/// Returns the word around a byte offset, or next to it.
fn word_at(text: &str, at: usize) -> Option<&str> {
    let (before, after) = text.as_bytes().split_at_checked(at)?;
    let start = before.iter().rposition(|&byte| !is_in_words(byte)).map_or(0, |last| last + 1);
    let length = after.iter().position(|&byte| !is_in_words(byte)).unwrap_or(after.len());
    identifier(&text[start..at + length])
}

/// Returns the identifier in a word, without leading digits. Returns `None` if nothing is left.
fn identifier(word: &str) -> Option<&str> {
    Some(word.trim_start_matches(|character: char| character.is_ascii_digit()))
        .filter(|name| !name.is_empty())
}

/// Returns true if only blanks follow on the line. An unclosed quote may be caused by an earlier superfluous
/// quote, after which texts and code are swapped. A rule that ends there by chance rarely ends a line.
fn ends_its_line(text: &str, span: Span) -> bool {
    let after = text[span.end..].trim_start_matches([' ', '\t', '\r']);
    after.is_empty() || after.starts_with('\n')
}

/// Returns the identifiers that a piece of text may define: those before a definition sign of any notation,
/// up to the previous semicolon. The sign may follow directly (`foo = x`), or after other characters (`'foo'
/// ::= x`).
fn perhaps_defined(piece: &str) -> impl Iterator<Item = &str> {
    piece.split(';').flat_map(|statement| {
        let sign = statement.rfind([':', '=', '→']).max(statement.rfind("->"));
        let before = &statement[..sign.unwrap_or(0)];
        before.split(|character: char| !u8::try_from(character).is_ok_and(is_in_words)).filter_map(identifier)
    })
}
