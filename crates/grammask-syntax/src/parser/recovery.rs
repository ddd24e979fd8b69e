//! What can be read of a text that is wrong: enough of it to find more that is wrong, and nothing that only looks wrong because
//! something else is.

use std::collections::{BTreeMap, BTreeSet};

use crate::ast::{Ast, Expr, ExprId, ExprKind, Name, Rule, Span};
use crate::error::{Error, ErrorKind, Errors};

/// What [`parse_or_recover`](crate::parse_or_recover) has read of a text that is wrong.
///
/// How much of a rule is in [`ast`](Self::ast) depends on what is wrong with it:
///
/// - A rule without an error is there as it stands.
/// - Of a rule with an error that leaves its parts alone (an empty alternative, wrong bounds, a wrong escape, a bracket that nothing
///   closes, ...), the parts are there as alternatives: nonterminals, patterns and `except!`, but no text, and nothing that touches
///   the error. They tell what the rule uses, not what it means.
/// - Of others (a stray character may belong to a name or begin what was to be a comment), only the name is there, with the empty
///   text as its body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovered {
    /// What could be read: a tree with the invariants of [`Ast`].
    pub ast: Ast,
    /// Whether the text may name a start symbol that `ast` does not know.
    pub start_is_unknown: bool,
    /// What is wrong.
    pub errors: Errors,
    incomplete: BTreeSet<String>,
    /// What may be a piece of a name that an error stands in.
    pieces: BTreeMap<usize, BTreeSet<String>>,
    /// Whether errors were only counted.
    has_omitted: bool,
}

impl Recovered {
    /// Of a text of which nothing can be read.
    pub(crate) const fn nothing(errors: Errors) -> Self {
        let ast = Ast { rules: Vec::new(), exprs: Vec::new(), start: None };
        Self {
            ast,
            start_is_unknown: true,
            errors,
            incomplete: BTreeSet::new(),
            pieces: BTreeMap::new(),
            has_omitted: true,
        }
    }

    /// Whether a nonterminal may have other rules than [`ast`](Self::ast) says, or rules where `ast` says none: one of them is
    /// wrong, or stands where nothing could be read, or has an error in its name (`sta(rt ::= 'x';`).
    ///
    /// # Complexity
    /// Linear in the length of the name, for each of the different lengths that the names beside errors have.
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

/// What the parser remembers of its way, for the case that something is wrong.
#[derive(Debug, Default)]
pub(crate) struct Scars {
    /// By rule: how many expressions there were before its own, and whether a semicolon ends it.
    pub(crate) rules: Vec<(usize, bool)>,
    /// The names of rules of which nothing else was read.
    pub(crate) names: Vec<Name>,
    /// What was skipped between rules.
    pub(crate) skipped: Vec<Span>,
    /// Whether a `%start`, or what may have been meant as one, is wrong.
    pub(crate) start_is_wrong: bool,
    /// How many rules were read before an error was only counted, so that nobody knows where it is.
    pub(crate) known: usize,
    /// The comments: one that begins too early hides rules.
    pub(crate) comments: Vec<Span>,
    /// The end of the text that was swallowed by what nothing closes.
    pub(crate) unread: Span,
    /// Whether that is a quote.
    pub(crate) quote_is_open: bool,
}

/// How much of a rule says what its author meant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trust {
    Whole,
    Parts,
    Name,
}

impl Scars {
    /// Makes the best of a tree.
    pub(crate) fn recover(self, text: &str, ast: Ast, errors: Errors) -> Recovered {
        let all = Places::new(errors.iter());
        let is_grave = |error: &Error| !leaves_parts(error.kind()) || splits_word(text, error);
        let grave = Places::new(errors.iter().filter(|error| is_grave(error)));
        let in_names: Vec<Error> = errors
            .iter()
            .filter(|error| is_grave(error) || is_in_word(text, error.span()))
            .cloned()
            .collect();
        let beside = Places::new(in_names.iter());
        let places = in_names.iter().map(Error::span).chain(self.skipped.iter().copied());
        let pieces = places.flat_map(|span| [span.start, span.end]).filter_map(|at| word_at(text, at));
        let mut by_length: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for piece in pieces {
            by_length.entry(piece.len()).or_default().insert(piece.to_owned());
        }
        let trust = |index: usize, span: Span, is_closed: bool| {
            let is_unsure = index >= self.known || self.quote_is_open && !ends_its_line(text, span);
            if is_unsure || grave.touches(span) {
                Trust::Name
            } else if all.touches(span) || !is_closed {
                Trust::Parts
            } else {
                Trust::Whole
            }
        };
        let mut unsure = self.skipped;
        unsure.push(self.unread);
        unsure.extend(self.comments);
        let mut incomplete = BTreeSet::new();
        let mut copier = Copier { source: ast.exprs, ast: Ast { start: ast.start, ..Ast::default() } };
        for (index, (rule, (first, is_closed))) in ast.rules.into_iter().zip(self.rules).enumerate() {
            let trust = trust(index, rule.span, is_closed);
            if trust != Trust::Whole {
                incomplete.insert(rule.name.text.clone());
            }
            match trust {
                Trust::Whole => copier.whole(rule, first),
                Trust::Parts => {
                    copier.parts(rule, first, &all, |span| beside.border(span) || is_glued(text, span));
                }
                Trust::Name => {
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
        Recovered { ast: copier.ast, start_is_unknown, errors, incomplete, pieces: by_length, has_omitted }
    }
}

/// Moves rules from one tree to another.
struct Copier {
    source: Vec<Expr>,
    ast: Ast,
}

impl Copier {
    /// A rule with all its expressions, which begin at `first` and end with its body.
    fn whole(&mut self, rule: Rule, first: usize) {
        let base = self.ast.exprs.len();
        let moved = |id: ExprId| ExprId((id.index() - first + base) as u32);
        for expr in &mut self.source[first..=rule.body.index()] {
            let mut kind = std::mem::replace(&mut expr.kind, ExprKind::Text(String::new().into()));
            kind.children_mut().iter_mut().for_each(|child| *child = moved(*child));
            self.ast.exprs.push(Expr { kind, span: expr.span });
        }
        self.ast.rules.push(Rule { body: moved(rule.body), ..rule });
    }

    /// The parts of a rule that say something by themselves; a nonterminal that may be half a name does not.
    fn parts(&mut self, rule: Rule, first: usize, errors: &Places, is_half: impl Fn(Span) -> bool) {
        let base = self.ast.exprs.len() as u32;
        let own = self.source.get_mut(first..).unwrap_or_default();
        let count = own.iter().take_while(|expr| expr.span.start < rule.span.end).count();
        for Expr { kind, span } in &mut own[..count] {
            let says_something = matches!(
                kind,
                ExprKind::Nonterminal(_)
                    | ExprKind::Regex(_)
                    | ExprKind::Early(_)
                    | ExprKind::Without(_)
                    | ExprKind::Except { .. }
                    | ExprKind::Multiple(_)
                    | ExprKind::Compared(..)
            );
            let is_half = matches!(kind, ExprKind::Nonterminal(_)) && is_half(*span);
            if says_something && !is_half && !errors.overlap(*span) {
                let kind = std::mem::replace(kind, ExprKind::Text(String::new().into()));
                self.ast.push(kind, *span);
            }
        }
        let parts: Vec<ExprId> = (base..self.ast.exprs.len() as u32).map(ExprId).collect();
        let body = match parts[..] {
            [] => return self.name(rule.name, rule.span),
            [part] => part,
            _ => self.ast.push(ExprKind::Alternatives(parts.into()), rule.span),
        };
        self.ast.rules.push(Rule { body, ..rule });
    }

    fn name(&mut self, name: Name, span: Span) {
        let here = Span::new(name.span.end, name.span.end);
        let body = self.ast.push(ExprKind::Text(String::new().into()), here);
        self.ast.rules.push(Rule { name, body, span });
    }
}

/// Places of errors, to be asked whether they have to do with another place.
struct Places {
    /// Where they begin, ascending.
    starts: Vec<usize>,
    /// The furthest end of each and all before it.
    ends: Vec<usize>,
}

impl Places {
    fn new<'e>(errors: impl Iterator<Item = &'e Error>) -> Self {
        let (mut starts, mut ends) = (Vec::new(), Vec::new());
        for error in errors {
            let Span { start, end } = error.span();
            starts.push(start);
            ends.push(ends.last().copied().unwrap_or(0).max(end));
        }
        Self { starts, ends }
    }

    /// The furthest end of those that begin at places of which something holds.
    fn end(&self, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let count = self.starts.partition_point(|&start| holds(start));
        Some(self.ends[count.checked_sub(1)?])
    }

    /// Whether one of them is inside of a span or at its end, where something may be missing.
    fn touches(&self, span: Span) -> bool {
        self.end(|start| start <= span.end).is_some_and(|end| end > span.start)
    }

    /// Whether one of them is inside of a span or at one of its borders.
    fn border(&self, span: Span) -> bool {
        self.end(|start| start <= span.end).is_some_and(|end| end >= span.start)
    }

    /// Whether one of them has a byte, or a place between two bytes, of a span.
    fn overlap(&self, span: Span) -> bool {
        self.end(|start| start < span.end).is_some_and(|end| end > span.start)
    }
}

/// Whether an error leaves no doubt what the other names and patterns of its rule are. A kind that is not listed does not.
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
            | ErrorKind::MissingLeft { .. }
            | ErrorKind::SecondPostfix
            | ErrorKind::NothingToRepeat
            | ErrorKind::MalformedBounds
            | ErrorKind::BoundsReversed { .. }
            | ErrorKind::BoundTooLarge
            | ErrorKind::NumberTooLarge { .. }
            | ErrorKind::UnknownBang { .. }
            | ErrorKind::MalformedExcept { .. }
            | ErrorKind::NoParenthesis { .. }
            | ErrorKind::MalformedMultiple { .. }
            | ErrorKind::MalformedUnordered { .. }
            | ErrorKind::MultipleOfZero
            | ErrorKind::NumeralTooLong { .. }
            | ErrorKind::NoSuchItem { .. }
            | ErrorKind::MalformedSpecial
            | ErrorKind::SecondStart { .. }
    )
}

const fn is_in_words(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether letters stand directly before and behind a span.
fn is_in_word(text: &str, span: Span) -> bool {
    let at =
        |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(|&byte| is_in_words(byte));
    at(span.start.checked_sub(1)) && at(Some(span.end))
}

/// Whether a bracket stands between a name and another, without a space: where brackets are wrong, it may be the one too many.
fn is_glued(text: &str, name: Span) -> bool {
    let is_bracket = |byte: &u8| b"()[]{}*".contains(byte);
    let is_letter = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let (before, behind) = (&text.as_bytes()[..name.start], &text.as_bytes()[name.end..]);
    let after_bracket = before.iter().rposition(|byte| !is_bracket(byte)).unwrap_or(0);
    let before_bracket = behind.iter().position(|byte| !is_bracket(byte)).unwrap_or(0);
    after_bracket + 1 < before.len() && is_letter(before.get(after_bracket))
        || before_bracket > 0 && is_letter(behind.get(before_bracket))
}

/// Whether something that is at home elsewhere may stand for a letter: `na=me ::= 'x';`, `na!me`.
fn splits_word(text: &str, error: &Error) -> bool {
    let Span { start, end } = error.span();
    match error.kind() {
        ErrorKind::EmptyRule { .. } => text.as_bytes().get(start).is_some_and(|&byte| is_in_words(byte)),
        ErrorKind::UnknownBang { .. } => text.as_bytes().get(end) != Some(&b'('),
        _ => false,
    }
}

/// The word that a place is in, or at the border of.
fn word_at(text: &str, at: usize) -> Option<&str> {
    let (before, behind) = text.as_bytes().split_at(at);
    let start = before.iter().rposition(|&byte| !is_in_words(byte)).map_or(0, |last| last + 1);
    let length = behind.iter().position(|&byte| !is_in_words(byte)).unwrap_or(behind.len());
    identifier(&text[start..at + length])
}

/// The identifier in a word, which may begin with a digit that is too much.
fn identifier(word: &str) -> Option<&str> {
    Some(word.trim_start_matches(|character: char| character.is_ascii_digit()))
        .filter(|name| !name.is_empty())
}

/// Whether nothing but blanks follows on the line. Where a quote is left open, it may be an earlier one that is too many, and all texts
/// behind that are turned inside out; what ends there by chance hardly ends a line.
fn ends_its_line(text: &str, span: Span) -> bool {
    let behind = text[span.end..].trim_start_matches([' ', '\t', '\r']);
    behind.is_empty() || behind.starts_with('\n')
}

/// The identifiers behind which, before a semicolon, something stands with which a definition may begin, in whatever notation: directly
/// (`foo = x`), or behind what is too much (`'foo' ::= x`, `(foo | bar) ::= x`).
fn perhaps_defined(piece: &str) -> impl Iterator<Item = &str> {
    piece.split(';').flat_map(|statement| {
        let sign = statement.rfind([':', '=', '→']).max(statement.rfind("->"));
        let before = &statement[..sign.unwrap_or(0)];
        before.split(|character: char| !u8::try_from(character).is_ok_and(is_in_words)).filter_map(identifier)
    })
}
