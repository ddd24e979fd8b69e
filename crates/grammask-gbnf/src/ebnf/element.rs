//! Elements of a sequence: texts, classes, names, `.` and tokens.

use grammask_notation::special_token;
use grammask_syntax::{ExprId, ExprKind, SpecialMember};

use super::{Malformed, Parser};

impl Parser<'_, '_> {
    /// Reads an element other than a group.
    pub(super) fn element(&mut self) -> Result<ExprId, Malformed> {
        let start = self.cursor.at;
        match self.cursor.peek() {
            Some('"') => self.quoted(),
            Some('[') => self.class(),
            Some('.') if self.is_llama() => {
                self.cursor.at += 1;
                let span = self.since(start);
                Ok(self.builder.any_char(span))
            }
            Some('<' | '!') if self.is_llama() => self.token(),
            Some('\'') => {
                let span = self.here();
                self.fail_hint("a text is written in double quotes", span, "write `\"…\"`")
            }
            Some(found) => {
                let name = self.cursor.name();
                if !name.is_empty() {
                    return self.reference(name, start);
                }
                let span = self.here();
                let hint = match found {
                    ';' => "a rule ends with its line; for KBNF, choose the notation `kbnf`",
                    '/' => "comments begin with `#`; regular expressions are not part of this notation",
                    ',' => "parts of a sequence follow each other without a comma",
                    '\\' => "escapes are allowed inside of texts and classes only",
                    _ => "texts are written \"…\", classes [a-z], and names with letters, digits and `-`",
                };
                self.fail_hint(&format!("unexpected `{found}`"), span, hint)
            }
            None => {
                let span = self.here();
                self.fail("the rule ends too early", span)
            }
        }
    }

    /// Makes a reference to a rule, or reads the operands of a macro.
    fn reference(&mut self, name: &str, start: usize) -> Result<ExprId, Malformed> {
        let span = self.since(start);
        if !self.is_llama() {
            if matches!(name, "true" | "false") {
                return self.fail(format!("`{name}` is a literal, not a rule"), span);
            }
            if super::macros::is_macro(name) {
                return self.macro_call(name, start);
            }
        }
        let name = &self.cursor.text[start..self.cursor.at];
        self.uses.push((name, span));
        let identifier = self.builder.declare(name);
        Ok(self.builder.name(&identifier, span))
    }

    /// Reads a token of GBNF: `<[id]>`, `<text>`, and these after `!`.
    fn token(&mut self) -> Result<ExprId, Malformed> {
        let start = self.cursor.at;
        let is_negated = self.cursor.eat("!");
        if !self.cursor.eat("<") {
            let span = self.since(start);
            return self.fail_hint("`!` must precede a token", span, "write `!<[id]>` or `!<text>`");
        }
        let open = self.cursor.at - 1;
        let member = if self.cursor.eat("[") {
            let digits = self.cursor.take_while(|char| char.is_ascii_digit());
            let id = digits.parse::<u32>();
            let is_closed = self.cursor.eat("]>");
            match (id, is_closed) {
                (Ok(id), true) => SpecialMember::Ids(id, id),
                _ => {
                    let span = self.since(start);
                    return self.fail_hint("not the id of a token", span, "write `<[1000]>`");
                }
            }
        } else {
            let inside = self.cursor.take_while(|char| char != '>' && char != '\n');
            if inside.is_empty() || !self.cursor.eat(">") {
                let span = self.since(start);
                return self.fail_hint("the token is not closed", span, "write `<text>` or `<[id]>`");
            }
            let name = &self.cursor.text[open..self.cursor.at];
            SpecialMember::Name(name.to_owned())
        };
        let span = self.since(start);
        Ok(match member {
            member if is_negated => self.builder.other_token(vec![member], span),
            SpecialMember::Ids(id, _) => self.builder.push(ExprKind::SpecialId(id), span),
            SpecialMember::Name(name) => self.builder.push(special_token(&name), span),
        })
    }
}
