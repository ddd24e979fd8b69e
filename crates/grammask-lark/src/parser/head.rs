//! Definitions with their attributes, and statements.

use std::rc::Rc;

use grammask_syntax::{Span, suggest};

use super::{Failed, Parsed, Parser};
use crate::lexer::{Directive, Kind};
use crate::tree::{Atom, AtomKind, Attributes, Definition, Import, Item};

const ATTRIBUTES: [&str; 8] =
    ["capture", "lazy", "max_chars", "max_tokens", "stop", "stop_capture", "suffix", "temperature"];

impl Parser<'_> {
    pub(super) fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        match self.kind() {
            Kind::Directive(directive) => self.statement(directive, items),
            Kind::Rule | Kind::Terminal | Kind::Bang | Kind::Operator(b'?') => {
                let (definition, result) = self.definition()?;
                items.push(Item::Definition(Rc::new(definition)));
                result
            }
            _ => self.expected(
                "a rule, a terminal or a statement",
                "a rule is written `name: …`; a line goes on with `|`, or inside of parentheses",
            ),
        }
    }

    /// Reads a definition. One with an error in its body is returned as well, so that its name is known.
    fn definition(&mut self) -> Parsed<(Definition, Parsed<()>)> {
        let first = self.at;
        while matches!(self.kind(), Kind::Bang | Kind::Operator(b'?')) {
            self.advance();
        }
        if !matches!(self.kind(), Kind::Rule | Kind::Terminal) {
            return self.expected("a name", "");
        }
        let mut definition = Definition {
            name: self.text().to_owned(),
            name_span: self.span(),
            is_terminal: self.kind() == Kind::Terminal,
            is_parametric: false,
            parameters: Vec::new(),
            attributes: Attributes::default(),
            body: None,
            span: self.span(),
        };
        self.advance();
        let result = self.rest_of_definition(&mut definition);
        definition.span = self.span_from(first);
        Ok((definition, result))
    }

    fn rest_of_definition(&mut self, definition: &mut Definition) -> Parsed<()> {
        let is_ebnf = self.kind() == Kind::DoubleColon && self.kind_at(1) == Kind::Equals;
        if !is_ebnf && self.take(Kind::DoubleColon) {
            self.expect(Kind::Underscore, "`_`")?;
            definition.is_parametric = true;
        }
        if self.take(Kind::OpenBrace) {
            definition.parameters = self.template_parameters()?;
        }
        let dot = self.span();
        if self.take(Kind::Dot) {
            self.expect(Kind::Number, "the number of the priority")?;
            let span = Span::new(dot.start, self.span_at(self.at - 1).end);
            let note = "the priority is ignored: without a lexer it does not change the language";
            self.builder.note(note, span);
        }
        if self.kind() == Kind::OpenBracket {
            definition.attributes = self.attributes()?;
        }
        if !self.take(Kind::Colon) {
            let hint = match self.kind() {
                Kind::DoubleColon | Kind::Equals => "this looks like EBNF: a Lark rule is written `name: …`",
                _ => "",
            };
            return self.expected("`:`", hint);
        }
        definition.body = Some(Rc::new(self.alternatives()?));
        Ok(())
    }

    fn template_parameters(&mut self) -> Parsed<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        loop {
            if !matches!(self.kind(), Kind::Rule | Kind::Terminal) {
                return self.expected("the name of a parameter", "");
            }
            let name = self.text().to_owned();
            if names.contains(&name) {
                return self.fail(format!("the parameter `{name}` occurs twice"), "");
            }
            names.push(name);
            self.advance();
            if !self.take(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::CloseBrace, "`,` or `}`")?;
        Ok(names)
    }

    fn attributes(&mut self) -> Parsed<Attributes> {
        let mut attributes = Attributes::default();
        self.advance();
        while self.kind() != Kind::CloseBracket {
            self.attribute(&mut attributes)?;
            if !self.take(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::CloseBracket, "`,` or `]`")?;
        Ok(attributes)
    }

    fn attribute(&mut self, attributes: &mut Attributes) -> Parsed<()> {
        let first = self.at;
        if self.kind() != Kind::Rule {
            return self.expected("an attribute", "attributes are `lazy`, `suffix`, `stop`, `capture`, …");
        }
        let key = self.text().to_owned();
        if !ATTRIBUTES.contains(&key.as_str()) {
            let hint = suggest(&key, ATTRIBUTES).map(|name| format!("did you mean `{name}`?"));
            return self.fail(format!("unknown attribute `{key}`"), &hint.unwrap_or_default());
        }
        self.advance();
        if key == "lazy" {
            attributes.lazy = Some(self.span_from(first));
            return Ok(());
        }
        if key == "capture" && self.kind() != Kind::Equals {
            attributes.capture = Some(self.span_from(first));
            return Ok(());
        }
        self.expect(Kind::Equals, "`=`")?;
        match key.as_str() {
            "suffix" | "stop" => {
                if attributes.suffix.is_some() {
                    return self.fail("a rule has at most one of `suffix` and `stop`", "");
                }
                let value = self.value()?;
                if key == "stop" && matches!(&value.kind, AtomKind::Text { text, .. } if text.is_empty()) {
                    let hint = "omit the attribute, and use the rule at the end of the grammar";
                    let message = "`stop=\"\"` means the end token of the model, which a rule cannot contain";
                    return self.fail_at(message, hint, value.span);
                }
                attributes.suffix = Some(value);
            }
            "max_tokens" | "max_chars" => {
                let number = self.text().parse::<u64>().ok().filter(|_| self.kind() == Kind::Number);
                let Some(number) = number else { return self.expected("a number", "") };
                self.advance();
                let place = Some((number, self.span_from(first)));
                if key == "max_tokens" {
                    attributes.max_tokens = place;
                } else {
                    attributes.max_chars = place;
                }
            }
            "temperature" => {
                self.expect(Kind::Number, "a number")?;
                attributes.temperature = Some(self.span_from(first));
            }
            _ => {
                self.expect(Kind::Text, "a text")?;
                attributes.capture = Some(self.span_from(first));
            }
        }
        Ok(())
    }

    fn statement(&mut self, directive: Directive, items: &mut Vec<Item>) -> Parsed<()> {
        let first = self.at;
        match directive {
            Directive::Ignore => {
                self.advance();
                items.push(Item::Ignore(Rc::new(self.alternatives()?)));
            }
            Directive::Import => {
                self.advance();
                let import = self.import()?;
                items.push(Item::Import(import));
            }
            Directive::Override | Directive::Extend => {
                self.advance();
                let (definition, result) = self.definition()?;
                let is_extension = directive == Directive::Extend;
                items.push(Item::Change { is_extension, definition: Rc::new(definition) });
                return result;
            }
            Directive::LlGuidance | Directive::Options => {
                self.advance();
                if self.kind() != Kind::Json {
                    return self.expected("a JSON object", "");
                }
                items.push(Item::Options { json: self.text().to_owned(), span: self.span() });
                self.advance();
            }
            Directive::Declare => {
                self.advance();
                if !matches!(self.kind(), Kind::Terminal | Kind::Rule) {
                    return self.expected("the name of a terminal", "");
                }
                while matches!(self.kind(), Kind::Terminal | Kind::Rule) {
                    items.push(Item::Declare { name: self.text().to_owned(), span: self.span() });
                    self.advance();
                }
            }
            Directive::Unknown => return self.unknown_directive(),
            Directive::If | Directive::Json | Directive::Lark | Directive::Regex => {
                return self.expected("a rule, a terminal or a statement", "");
            }
        }
        debug_assert!(self.at > first);
        Ok(())
    }

    fn import(&mut self) -> Parsed<Import> {
        let mut path: Vec<(String, Span)> = Vec::new();
        if self.kind() == Kind::Dot {
            return self.fail(
                "imports of files are not supported",
                "hand the grammar over by name: `%import name.X`",
            );
        }
        loop {
            if !matches!(self.kind(), Kind::Rule | Kind::Terminal) {
                return self.expected("a name", "an import is written `%import common.NUMBER`");
            }
            path.push((self.text().to_owned(), self.span()));
            self.advance();
            if !self.take(Kind::Dot) {
                break;
            }
        }
        let join = |path: &[(String, Span)]| {
            path.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(".")
        };
        if self.take(Kind::OpenParen) {
            let mut names = Vec::new();
            loop {
                self.skip_newlines();
                if !matches!(self.kind(), Kind::Rule | Kind::Terminal) {
                    return self.expected("a name", "");
                }
                names.push((self.text().to_owned(), self.text().to_owned(), self.span()));
                self.advance();
                self.skip_newlines();
                if !self.take(Kind::Comma) {
                    break;
                }
            }
            self.expect(Kind::CloseParen, "`,` or `)`")?;
            return Ok(Import { from: join(&path), names });
        }
        let Some(((name, span), from)) = path.split_last().filter(|(_, from)| !from.is_empty()) else {
            let span = path.first().map_or_else(|| self.span(), |(_, span)| *span);
            return self.fail_at("expected a name in a grammar", "for example `%import common.NUMBER`", span);
        };
        let mut local = name.clone();
        if self.take(Kind::Arrow) {
            if !matches!(self.kind(), Kind::Rule | Kind::Terminal) {
                return self.expected("a name", "");
            }
            local = self.text().to_owned();
            self.advance();
        }
        Ok(Import { from: join(from), names: vec![(name.clone(), local, *span)] })
    }

    /// Reads the value of an attribute: a text, a regex or a name.
    fn value(&mut self) -> Parsed<Atom> {
        let atom = self.atom()?;
        match atom.kind {
            AtomKind::Text { .. } | AtomKind::Regex { .. } | AtomKind::Name(_) | AtomKind::Range(..) => {
                Ok(atom)
            }
            AtomKind::Substrings(_) => Ok(atom),
            _ => {
                self.builder.error("expected a text, a regex or a terminal", atom.span);
                Err(Failed)
            }
        }
    }
}
