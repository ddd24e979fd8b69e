//! Parses the operators whose operands are texts and names: `special!`, `marker!`, `substrs!` and the head of
//! `capture!`.

use crate::Text;
use crate::ast::{ExprKind, Span, SpecialMember, SpecialSet};
use crate::error::ErrorKind;
use crate::parser::Parser;
use crate::parser::expression::Preceding;
use crate::parser::lexer::{Bracket, Quoted, TokenKind};

impl Parser<'_> {
    /// Parses `special!('<a>', <[7]>, <[10-19]>)` or `special!(~ '<a>')`, and pushes it.
    pub(super) fn special_set(&mut self) {
        self.list("special", |parser| {
            let is_complement = parser.current.kind == TokenKind::Tilde;
            if is_complement {
                parser.bump();
            }
            let members = if parser.current.kind == TokenKind::Close(Bracket::Round) {
                Vec::new()
            } else {
                parser.separated(Self::special_member)?
            };
            Ok(ExprKind::SpecialSet(Box::new(SpecialSet { is_complement, members })))
        });
    }

    /// Parses `marker!('<a>')`, and pushes it.
    pub(super) fn marker(&mut self) {
        self.list("marker", |parser| Ok(ExprKind::Marker(parser.chunk()?)));
    }

    /// Parses `substrs!('ab', 'c')`, and pushes it.
    pub(super) fn chunk_runs(&mut self) {
        self.list("substrs", |parser| Ok(ExprKind::ChunkRuns(parser.separated(Self::chunk)?)));
    }

    /// Reads `capture!(name,`, and opens its group. Returns true after an error, with a placeholder on the
    /// stack.
    pub(super) fn capture(&mut self, preceding: &mut Preceding) -> bool {
        if !self.may_nest() {
            return false;
        }
        let start = self.bump().span.start;
        match self.capture_head() {
            Ok((open, name)) => {
                self.open_frame(Some((Bracket::Round, open)));
                let frame = self.frame();
                frame.operator = Some((start, |_| ExprKind::Text(Text::default())));
                frame.capture = Some(name);
                *preceding = Preceding::Start;
                false
            }
            Err((expected, is_open)) => {
                self.malformed_list("capture", expected);
                self.skip_parentheses(is_open);
                self.push_placeholder();
                true
            }
        }
    }

    /// Reads `(name,`. Returns the spans of the bracket and the name. On failure, returns a description of
    /// the expected token, and true if the bracket was read.
    fn capture_head(&mut self) -> Result<(Span, Span), (&'static str, bool)> {
        if self.current.kind != TokenKind::Open(Bracket::Round) {
            return Err(("`(`", false));
        }
        let open = self.bump().span;
        if self.current.kind != TokenKind::Identifier {
            return Err(("the name of the capture", true));
        }
        let name = self.bump().span;
        if self.current.kind != TokenKind::Comma {
            return Err(("`,`", true));
        }
        self.bump();
        Ok((open, name))
    }

    /// Parses an operator with operands in parentheses, and pushes its expression. `operands` reads what is
    /// between the parentheses.
    fn list(
        &mut self,
        name: &'static str,
        operands: impl FnOnce(&mut Self) -> Result<ExprKind, &'static str>,
    ) {
        let start = self.bump().span.start;
        let is_open = self.current.kind == TokenKind::Open(Bracket::Round);
        let kind = if is_open {
            self.bump();
            operands(self)
        } else {
            Err("`(`")
        };
        let kind = kind.and_then(|kind| match self.current.kind {
            TokenKind::Close(Bracket::Round) => Ok(kind),
            _ => Err("`,` or `)`"),
        });
        match kind {
            Ok(kind) => {
                self.bump();
                self.push_value(kind, Span::new(start, self.previous_end));
            }
            Err(expected) => {
                self.malformed_list(name, expected);
                self.skip_parentheses(is_open);
                self.push_placeholder();
            }
        }
    }

    /// Reads one operand, and more after commas.
    fn separated<T>(
        &mut self,
        operand: impl Fn(&mut Self) -> Result<T, &'static str>,
    ) -> Result<Vec<T>, &'static str> {
        let mut all = vec![operand(self)?];
        while self.current.kind == TokenKind::Comma {
            self.bump();
            all.push(operand(self)?);
        }
        Ok(all)
    }

    /// Reads a text.
    fn chunk(&mut self) -> Result<Text, &'static str> {
        let TokenKind::Quoted(Quoted::Text, content) = &mut self.current.kind else { return Err("a text") };
        let content = std::mem::take(content);
        self.bump();
        Ok(content.into())
    }

    /// Reads a member of `special!`.
    fn special_member(&mut self) -> Result<SpecialMember, &'static str> {
        let member = match self.current.kind {
            TokenKind::SpecialId(id) => SpecialMember::Ids(id, id),
            TokenKind::SpecialIds(first, last) => SpecialMember::Ids(first, last),
            TokenKind::SpecialName => SpecialMember::Name(self.lexer.slice(self.current.span).to_owned()),
            TokenKind::Quoted(Quoted::Text, _) => return Ok(SpecialMember::Name(self.chunk()?.into())),
            _ => return Err("a special token"),
        };
        self.bump();
        Ok(member)
    }

    /// Reports the current token in place of an expected one.
    fn malformed_list(&mut self, name: &'static str, expected: &'static str) {
        let found = self.describe_current();
        self.error_here(ErrorKind::MalformedList { name, expected, found });
    }
}
