//! The right sides of definitions.

use std::rc::Rc;

use grammask_syntax::{MAX_REPETITIONS, Span};

use super::{Failed, Parsed, Parser, text};
use crate::lexer::{Directive, Kind};
use crate::tree::{Alternatives, Atom, AtomKind, Branch, Element};

impl Parser<'_> {
    pub(super) fn alternatives(&mut self) -> Parsed<Alternatives> {
        self.enter()?;
        let first = self.at;
        let mut branches = vec![self.branch()?];
        while self.take_bar() {
            branches.push(self.branch()?);
        }
        self.depth -= 1;
        Ok(Alternatives { branches, span: self.span_from(first) })
    }

    /// Reads `|`, also after line breaks.
    fn take_bar(&mut self) -> bool {
        let start = self.at;
        self.skip_newlines();
        let found = self.take(Kind::Bar);
        if !found {
            self.at = start;
        }
        found
    }

    fn branch(&mut self) -> Parsed<Branch> {
        let first = self.at;
        let mut conjuncts = vec![self.sequence()?];
        while self.take(Kind::And) {
            conjuncts.push(self.sequence()?);
        }
        let span = self.span_from(first);
        if self.take(Kind::Arrow) {
            if !matches!(self.kind(), Kind::Rule | Kind::Terminal) {
                return self.expected("the name of the alternative", "");
            }
            self.advance();
        }
        let condition = match self.kind() {
            Kind::Directive(Directive::If) => {
                self.advance();
                Some(self.condition()?)
            }
            _ => None,
        };
        Ok(Branch { conjuncts, condition, span })
    }

    fn sequence(&mut self) -> Parsed<Vec<Element>> {
        let mut elements = Vec::new();
        loop {
            match self.kind() {
                Kind::Bar
                | Kind::And
                | Kind::Arrow
                | Kind::Comma
                | Kind::CloseParen
                | Kind::CloseBrace
                | Kind::CloseBracket
                | Kind::End
                | Kind::Directive(Directive::If) => return Ok(elements),
                // Inside of a group, a line break is a blank.
                Kind::Newline if self.depth > 1 && !self.begins_item(self.at + 1) && !self.breaks_off() => {
                    self.skip_newlines();
                }
                Kind::Newline => return Ok(elements),
                _ => elements.push(self.element()?),
            }
        }
    }

    /// Returns true if only line breaks are left.
    fn breaks_off(&self) -> bool {
        self.tokens[self.at..].iter().all(|token| matches!(token.kind, Kind::Newline | Kind::End))
    }

    fn element(&mut self) -> Parsed<Element> {
        let first = self.at;
        let atom = self.atom()?;
        let repeat = self.repeat()?;
        if repeat.is_some()
            && let Kind::Operator(_) = self.kind()
        {
            // Only at the beginning of a line, `?` belongs to the name of a rule.
            let hint = "put the first repetition into parentheses: (x?)*";
            return self.fail("an operand has at most one repetition", hint);
        }
        Ok(Element { atom, repeat, span: self.span_from(first) })
    }

    fn repeat(&mut self) -> Parsed<Option<(u32, Option<u32>)>> {
        let first = self.at;
        let bounds = match self.kind() {
            Kind::Operator(sign) => {
                self.advance();
                return Ok(Some(match sign {
                    b'?' => (0, Some(1)),
                    b'*' => (0, None),
                    _ => (1, None),
                }));
            }
            Kind::Tilde if self.kind_at(1) == Kind::Number => {
                self.advance();
                let min = self.bound()?;
                let max = if self.take(Kind::DotDot) { self.bound()? } else { min };
                (min, Some(max))
            }
            Kind::OpenBrace if matches!(self.kind_at(1), Kind::Number | Kind::Comma) => {
                self.advance();
                let min = if self.kind() == Kind::Comma { 0 } else { self.bound()? };
                let max = if !self.take(Kind::Comma) {
                    Some(min)
                } else if self.kind() == Kind::CloseBrace {
                    None
                } else {
                    Some(self.bound()?)
                };
                self.expect(Kind::CloseBrace, "`}`")?;
                (min, max)
            }
            _ => return Ok(None),
        };
        if let (min, Some(max)) = bounds
            && min > max
        {
            let message = format!("the bounds {min} and {max} are the wrong way round");
            return self.fail_at(message, "", self.span_from(first));
        }
        Ok(Some(bounds))
    }

    fn bound(&mut self) -> Parsed<u32> {
        if self.kind() != Kind::Number {
            return self.expected("a number", "");
        }
        let Ok(number) = self.text().trim_start_matches('+').parse::<u64>() else {
            return self.fail("the number of repetitions is not a natural number", "");
        };
        match u32::try_from(number) {
            Ok(number) if number <= MAX_REPETITIONS => {
                self.advance();
                Ok(number)
            }
            _ => {
                let span = self.span();
                self.builder.limit("MAX_REPETITIONS", MAX_REPETITIONS as usize, "repetitions", span);
                Err(Failed)
            }
        }
    }

    pub(super) fn atom(&mut self) -> Parsed<Atom> {
        let first = self.at;
        let is_negated = self.take(Kind::Tilde);
        let kind = self.plain_atom()?;
        let mut atom = Atom { kind, span: self.span_from(first + usize::from(is_negated)) };
        if is_negated {
            atom = Atom { kind: AtomKind::Not(Box::new(atom)), span: self.span_from(first) };
        }
        Ok(atom)
    }

    fn plain_atom(&mut self) -> Parsed<AtomKind> {
        let span = self.span();
        match self.kind() {
            Kind::OpenParen => {
                let inner = self.group(Kind::CloseParen, "`)`")?;
                Ok(AtomKind::Group(inner))
            }
            Kind::OpenBracket => {
                let inner = self.group(Kind::CloseBracket, "`]`")?;
                Ok(AtomKind::Optional(inner))
            }
            Kind::Text => self.text_or_range(),
            Kind::Regex => {
                let source = self.text().to_owned();
                let (pattern, flags) = text::regex(&source);
                if flags.contains('l') {
                    return self.fail("the flag `l` depends on the locale of a program", "remove the flag");
                }
                self.advance();
                let prefix = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
                Ok(AtomKind::Regex { flags: prefix.len(), pattern: prefix + &pattern })
            }
            Kind::Rule | Kind::Terminal => self.reference(),
            Kind::Special => {
                let kind = self.special()?;
                self.advance();
                Ok(kind)
            }
            Kind::Grammar => {
                let name = self.text()[1..].to_owned();
                self.advance();
                Ok(AtomKind::Grammar(name))
            }
            Kind::Directive(Directive::Json) => {
                self.advance();
                if self.kind() != Kind::Json {
                    return self.expected("a JSON Schema", "");
                }
                let json = self.text().to_owned();
                self.advance();
                Ok(AtomKind::Json(json))
            }
            Kind::Directive(Directive::Regex) => {
                self.advance();
                if self.kind() != Kind::Json {
                    return self
                        .expected("a JSON object", "for example %regex {\"substring_words\": \"a b\"}");
                }
                let chunks = text::chunks(self.text());
                let span = self.span();
                self.advance();
                match chunks {
                    Ok(chunks) => Ok(AtomKind::Substrings(chunks)),
                    Err(message) => self.fail_at(message, "", span),
                }
            }
            Kind::Directive(Directive::Lark) => self.nested(span),
            _ => self.expected("a text, a regex, a name or a group", ""),
        }
    }

    fn group(&mut self, close: Kind, what: &str) -> Parsed<Rc<Alternatives>> {
        let open = self.span();
        self.advance();
        let inner = self.alternatives()?;
        if self.depth > 0 && self.kind() == Kind::Newline && !self.begins_item(self.at + 1) {
            self.skip_newlines();
        }
        if !self.take(close) {
            if matches!(self.kind(), Kind::Newline | Kind::End) {
                return self.fail_at("the bracket is not closed", "", open);
            }
            return self.expected(what, "");
        }
        Ok(Rc::new(inner))
    }

    fn text_or_range(&mut self) -> Parsed<AtomKind> {
        let (text, ignore_case) = self.decoded()?;
        if !self.take(Kind::DotDot) {
            return Ok(AtomKind::Text { text, ignore_case });
        }
        let at = self.at - 2;
        if self.kind() != Kind::Text {
            return self.expected("a text", "a range is written \"a\"..\"z\"");
        }
        let (end, ignore_end) = self.decoded()?;
        let mut ends = [text, end].map(|text| {
            let mut chars = text.chars();
            chars.next().filter(|_| chars.as_str().is_empty())
        });
        let span = self.span_from(at);
        if ignore_case || ignore_end {
            return self.fail_at("the ends of a range have no flags", "", span);
        }
        match (ends[0].take(), ends[1].take()) {
            (Some(first), Some(last)) if first <= last => Ok(AtomKind::Range(first, last)),
            (Some(_), Some(_)) => self.fail_at("the ends of the range are the wrong way round", "", span),
            _ => self.fail_at("the ends of a range are single characters", "", span),
        }
    }

    /// Reads a text. Returns its value, and true if case does not matter.
    fn decoded(&mut self) -> Parsed<(String, bool)> {
        let start = self.span().start;
        let decoded = text::decode(self.text());
        match decoded {
            Ok(decoded) => {
                self.advance();
                Ok(decoded)
            }
            Err((range, message)) => {
                let span = Span::new(start + range.start, start + range.end);
                let hint = "escapes are \\n \\r \\t \\b \\f \\\\ \\\" \\/ \\x41 \\u0041";
                self.fail_at(message, hint, span)
            }
        }
    }

    fn reference(&mut self) -> Parsed<AtomKind> {
        let name = self.text().to_owned();
        self.advance();
        match self.kind() {
            Kind::DoubleColon => {
                self.advance();
                Ok(AtomKind::Apply(name, self.parameter()?))
            }
            Kind::OpenBrace if !matches!(self.kind_at(1), Kind::Number | Kind::Comma) => {
                self.advance();
                let mut arguments = Vec::new();
                loop {
                    arguments.push(Rc::new(self.alternatives()?));
                    if !self.take(Kind::Comma) {
                        break;
                    }
                }
                self.expect(Kind::CloseBrace, "`,` or `}`")?;
                Ok(AtomKind::Template(name, arguments))
            }
            _ => Ok(AtomKind::Name(name)),
        }
    }

    fn special(&mut self) -> Parsed<AtomKind> {
        let text = self.text().to_owned();
        let Some(list) = text.strip_prefix("<[").and_then(|rest| rest.strip_suffix("]>")) else {
            return Ok(AtomKind::Special(text));
        };
        let hint = "ids are written <[7]>, <[1,3-8]>, <[^1,2]> or <[*]>";
        let (list, is_complement) = list.strip_prefix('^').map_or((list, false), |rest| (rest, true));
        if list == "*" && !is_complement {
            return Ok(AtomKind::Tokens { ranges: Vec::new(), is_complement: true });
        }
        let mut ranges = Vec::new();
        for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
                (Ok(first), Ok(last)) if first <= last => ranges.push((first, last)),
                _ => return self.fail(format!("`{part}` is not an id or a range of ids"), hint),
            }
        }
        if ranges.is_empty() {
            return self.fail("the list of token ids is empty", hint);
        }
        Ok(AtomKind::Tokens { ranges, is_complement })
    }

    /// Reads `%lark { … }`.
    fn nested(&mut self, directive: Span) -> Parsed<AtomKind> {
        self.advance();
        self.expect(Kind::OpenBrace, "`{`")?;
        self.enter()?;
        let depth = std::mem::take(&mut self.depth);
        let max_nesting = self.max_nesting;
        self.max_nesting -= depth.min(max_nesting);
        let items = self.items(Kind::CloseBrace);
        self.depth = depth - 1;
        self.max_nesting = max_nesting;
        if !self.take(Kind::CloseBrace) {
            return self.fail_at("the braces after `%lark` are not closed", "", directive);
        }
        Ok(AtomKind::Lark(Rc::new(items)))
    }
}
