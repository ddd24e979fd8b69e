//! Patterns of the Rust `regex` crate, parsed by `regex-syntax`.

use std::collections::BTreeMap;

use regex_syntax::ast::parse::ParserBuilder;
use regex_syntax::ast::{
    AssertionKind, Ast, ErrorKind, Flag, Flags, GroupKind, Literal, RepetitionKind, RepetitionRange, Span,
};
use regex_syntax::hir::HirKind;

use super::class::{ANY, WORD, bracketed, characters, to_class};
use super::node::{Assertion, Node};
use super::{Parsed, class};
use crate::{Error, Limits};

/// Members of the class of word characters.
const UNICODE_WORD: &str = r"\w";

/// Parses a pattern. If `possessive`, a `+` after a quantifier makes it possessive, as in other dialects.
/// Otherwise `a++` is `(a+)+`.
///
/// # Errors
/// When it is invalid, or exceeds a limit of nesting or counting.
pub(crate) fn parse(source: &str, limits: &Limits, possessive: bool) -> Result<Parsed, Error> {
    let nesting = u32::try_from(limits.max_group_nesting).unwrap_or(u32::MAX);
    let ast = ParserBuilder::new().nest_limit(nesting).build().parse(source).map_err(|error| {
        let offset = error.span().start.offset;
        match error.kind() {
            ErrorKind::NestLimitExceeded(limit) => {
                Error::limit(offset, "max_group_nesting", *limit, "levels of nested groups")
            }
            kind => Error::invalid(offset, kind.to_string()),
        }
    })?;
    let mut reader =
        Reader { source, limits, possessive, classes: BTreeMap::new(), flags: State::default(), lazy: 0 };
    let node = reader.node(&ast)?;
    Ok(Parsed { node, word: UNICODE_WORD.to_owned(), notes: Vec::new(), posix: None, is_cut: false })
}

/// The flags at a place of the pattern.
#[derive(Clone, Copy)]
struct State {
    ignore_case: bool,
    multiline: bool,
    dot_all: bool,
    swap_greed: bool,
    unicode: bool,
    crlf: bool,
    verbose: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            ignore_case: false,
            multiline: false,
            dot_all: false,
            swap_greed: false,
            unicode: true,
            crlf: false,
            verbose: false,
        }
    }
}

impl State {
    fn set(&mut self, flags: &Flags) {
        let set = |field: &mut bool, flag| *field = flags.flag_state(flag).unwrap_or(*field);
        set(&mut self.ignore_case, Flag::CaseInsensitive);
        set(&mut self.multiline, Flag::MultiLine);
        set(&mut self.dot_all, Flag::DotMatchesNewLine);
        set(&mut self.swap_greed, Flag::SwapGreed);
        set(&mut self.unicode, Flag::Unicode);
        set(&mut self.crlf, Flag::CRLF);
        set(&mut self.verbose, Flag::IgnoreWhitespace);
    }
}

struct Reader<'a> {
    source: &'a str,
    limits: &'a Limits,
    possessive: bool,
    /// Memo of classes by their text, because a look-up in the tables is slow.
    classes: BTreeMap<String, Node>,
    flags: State,
    /// Number of lazy quantifiers so far.
    lazy: usize,
}

impl Reader<'_> {
    fn node(&mut self, ast: &Ast) -> Result<Node, Error> {
        Ok(match ast {
            Ast::Empty(_) => Node::Sequence(Vec::new()),
            Ast::Flags(set) => {
                self.flags.set(&set.flags);
                Node::Sequence(Vec::new())
            }
            Ast::Literal(literal) => self.literal(literal)?,
            Ast::Dot(span) => match (self.flags.unicode, self.flags.dot_all, self.flags.crlf) {
                (false, ..) => return Err(not_text(span)),
                (_, true, _) => Node::Class(ANY.to_owned()),
                (_, _, true) => Node::Class(r"[^\n\r]".to_owned()),
                _ => Node::Class(r"[^\n]".to_owned()),
            },
            Ast::Assertion(assertion) => self.assertion(&assertion.kind, &assertion.span)?,
            Ast::ClassUnicode(class) => self.class(&class.span)?,
            Ast::ClassPerl(class) => self.class(&class.span)?,
            Ast::ClassBracketed(class) => self.class(&class.span)?,
            Ast::Repetition(repetition) => {
                let lazy = self.lazy;
                let inner = self.node(&repetition.ast)?;
                let (min, max) = match &repetition.op.kind {
                    RepetitionKind::ZeroOrOne => (0, Some(1)),
                    RepetitionKind::ZeroOrMore => (0, None),
                    RepetitionKind::OneOrMore => (1, None),
                    RepetitionKind::Range(RepetitionRange::Exactly(count)) => (*count, Some(*count)),
                    RepetitionKind::Range(RepetitionRange::AtLeast(min)) => (*min, None),
                    RepetitionKind::Range(RepetitionRange::Bounded(min, max)) => (*min, Some(*max)),
                };
                let limit = self.limits.max_quantifier;
                if max.unwrap_or(min) > limit {
                    let at = repetition.op.span.start.offset;
                    return Err(Error::limit(at, "max_quantifier", limit, "repetitions by one quantifier"));
                }
                let greedy = repetition.greedy != self.flags.swap_greed;
                self.lazy += usize::from(!greedy);
                let is_plus = matches!(repetition.op.kind, RepetitionKind::OneOrMore);
                if self.possessive && is_plus && greedy && matches!(*repetition.ast, Ast::Repetition(_)) {
                    let offset = repetition.op.span.start.offset;
                    return Ok(Node::Atomic { node: Box::new(inner), lazy: self.lazy > lazy, offset });
                }
                Node::repeat(inner, min, max)
            }
            Ast::Group(group) => {
                let flags = self.flags;
                if let GroupKind::NonCapturing(set) = &group.kind {
                    self.flags.set(set);
                }
                let node = self.node(&group.ast)?;
                self.flags = flags;
                node
            }
            Ast::Alternation(alternation) => {
                let parts = alternation.asts.iter().map(|ast| self.node(ast));
                Node::alternatives(parts.collect::<Result<_, _>>()?)
            }
            Ast::Concat(concat) => {
                let parts = concat.asts.iter().map(|ast| self.node(ast));
                Node::sequence(parts.collect::<Result<_, _>>()?)
            }
        })
    }

    fn literal(&mut self, literal: &Literal) -> Result<Node, Error> {
        if !self.flags.unicode && literal.byte().is_some_and(|byte| byte >= 0x80) {
            return Err(not_text(&literal.span));
        }
        if !self.flags.ignore_case {
            return Ok(Node::Char(literal.c));
        }
        if self.flags.unicode {
            return Ok(class::folded_char(literal.c));
        }
        let (lower, upper) = (literal.c.to_ascii_lowercase(), literal.c.to_ascii_uppercase());
        Ok(if lower == upper { Node::Char(lower) } else { Node::Class(format!("[{upper}{lower}]")) })
    }

    /// Returns the node of a class.
    fn class(&mut self, span: &Span) -> Result<Node, Error> {
        let text = &self.source[span.start.offset..span.end.offset];
        let mut class = String::new();
        let flags = [(self.flags.ignore_case, "i"), (self.flags.verbose, "x")];
        let on: String = flags.iter().filter(|(on, _)| *on).map(|(_, flag)| *flag).collect();
        match (on.as_str(), self.flags.unicode) {
            ("", true) => class.push_str(text),
            (on, true) => class.push_str(&format!("(?{on}:{text})")),
            (on, false) => class.push_str(&format!("(?{on}-u:{text})")),
        }
        if let Some(known) = self.classes.get(&class) {
            return Ok(known.clone());
        }
        let hir = regex_syntax::parse(&class).map_err(|error| match error {
            regex_syntax::Error::Translate(error) => {
                Error::invalid(span.start.offset, error.kind().to_string())
            }
            _ => Error::invalid(span.start.offset, "the class is invalid"),
        })?;
        let node = match hir.kind() {
            HirKind::Class(_) | HirKind::Literal(_) if self.flags.unicode && on.is_empty() => {
                Node::Class(class.clone())
            }
            _ => Node::Class(to_class(&characters(&class))),
        };
        self.classes.insert(class, node.clone());
        Ok(node)
    }

    fn assertion(&self, kind: &AssertionKind, span: &Span) -> Result<Node, Error> {
        let word = bracketed(if self.flags.unicode { UNICODE_WORD } else { WORD }, false);
        let look = |ahead, negative| Node::look(ahead, negative, Node::Class(word.clone()));
        Ok(match kind {
            AssertionKind::StartLine | AssertionKind::EndLine if self.flags.multiline && self.flags.crlf => {
                return Err(Error::unsupported(span.start.offset, "lines that end with `\\r\\n` (flag `R`)"));
            }
            AssertionKind::StartLine if self.flags.multiline => Node::after_or_start(r"\n"),
            AssertionKind::EndLine if self.flags.multiline => Node::before_or_end(r"\n"),
            AssertionKind::StartLine | AssertionKind::StartText => Node::Assertion(Assertion::Start),
            AssertionKind::EndLine | AssertionKind::EndText => Node::Assertion(Assertion::End),
            AssertionKind::WordBoundary if self.flags.unicode => Node::Assertion(Assertion::Boundary),
            AssertionKind::NotWordBoundary if self.flags.unicode => Node::Assertion(Assertion::NotBoundary),
            AssertionKind::WordBoundary => Node::boundary(&word, true),
            AssertionKind::NotWordBoundary => Node::boundary(&word, false),
            AssertionKind::WordBoundaryStart | AssertionKind::WordBoundaryStartAngle => {
                Node::Sequence(vec![look(false, true), look(true, false)])
            }
            AssertionKind::WordBoundaryEnd | AssertionKind::WordBoundaryEndAngle => {
                Node::Sequence(vec![look(false, false), look(true, true)])
            }
            AssertionKind::WordBoundaryStartHalf => look(false, true),
            AssertionKind::WordBoundaryEndHalf => look(true, true),
        })
    }
}

fn not_text(span: &Span) -> Error {
    Error::invalid(span.start.offset, "matches bytes that are not UTF-8")
}
