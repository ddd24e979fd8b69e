//! The parser of both dialects: rules, alternatives, sequences and quantifiers.

mod cursor;
mod element;
mod escape;
mod macros;
mod options;
mod regular;
mod rules;

use grammask_notation::{Builder, Errors, Outcome};
use grammask_syntax::{ExprId, Span, Text};
use rustc_hash::FxHashMap;

use crate::{Config, Dialect};
use cursor::Cursor;
use options::RuleOptions;

/// Translates a grammar. Its language is that of the rule [`Config::root`].
///
/// # Errors
/// All errors of the text at once, with places and hints in its notation.
///
/// # Complexity
/// Linear in the text.
pub fn translate(text: &str, config: &Config) -> Result<Outcome, Errors> {
    let mut builder = Builder::new(&config.common);
    let base = builder.add_source(&config.file_name, text);
    match push_grammar(&mut builder, text, base, config) {
        Some((root, span)) => builder.finish(&root, span),
        None => Err(builder.into_errors()),
    }
}

/// Adds the rules of a grammar to a builder. Returns the identifier of its start symbol and the span of its
/// name. Returns `None` after an error.
pub(crate) fn push_grammar(
    builder: &mut Builder,
    text: &str,
    base: usize,
    config: &Config,
) -> Option<(Text, Span)> {
    if builder.has_errors() {
        return None;
    }
    let mut parser = Parser {
        cursor: Cursor::new(text, base, config.dialect),
        builder,
        dialect: config.dialect,
        rules: Vec::new(),
        indices: FxHashMap::default(),
        uses: Vec::new(),
        rule: 0,
    };
    parser.declare_names();
    parser.rules();
    parser.finish(&config.root)
}

/// A rule of the text.
struct ParsedRule {
    name: String,
    identifier: Text,
    name_span: Span,
    span: Span,
    body: ExprId,
    options: RuleOptions,
}

/// An open group. The outermost one is the rule itself.
struct Group {
    /// Offset of the parenthesis.
    open: usize,
    alternatives: Vec<ExprId>,
    sequence: Vec<ExprId>,
    /// Offset at which the current alternative begins.
    start: usize,
}

struct Parser<'a, 'b> {
    cursor: Cursor<'a>,
    builder: &'b mut Builder,
    dialect: Dialect,
    rules: Vec<ParsedRule>,
    /// By name: the first rule.
    indices: FxHashMap<String, usize>,
    /// The names in bodies, with the index of the rule.
    uses: Vec<(&'a str, Span)>,
    /// Number of rules so far.
    rule: usize,
}

/// The text of a rule cannot be read further. The error is reported.
struct Malformed;

impl<'a> Parser<'a, '_> {
    fn is_llama(&self) -> bool {
        self.dialect == Dialect::LlamaCpp
    }

    /// Returns the span from an offset of the text to the cursor.
    fn since(&self, start: usize) -> Span {
        self.cursor.span(start, self.cursor.at)
    }

    /// Returns the span of the character at the cursor.
    fn here(&self) -> Span {
        let length = self.cursor.peek().map_or(0, char::len_utf8);
        self.cursor.span(self.cursor.at, self.cursor.at + length)
    }

    fn fail<T>(&mut self, message: impl Into<String>, span: Span) -> Result<T, Malformed> {
        self.builder.error(message, span);
        Err(Malformed)
    }

    fn fail_hint<T>(&mut self, message: &str, span: Span, hint: &str) -> Result<T, Malformed> {
        self.builder.error_hint(message, span, hint);
        Err(Malformed)
    }

    /// Reads all rules. After an error, reading continues at the next line that begins a rule.
    fn rules(&mut self) {
        loop {
            self.cursor.skip_blanks(true);
            if self.cursor.is_at_end() {
                return;
            }
            let start = self.cursor.at;
            if self.one_rule().is_err() {
                if self.builder.omits_errors() {
                    return;
                }
                self.cursor.at = start;
                self.cursor.skip_to_rule();
            }
        }
    }

    /// Reads `name ::= alternatives`.
    fn one_rule(&mut self) -> Result<(), Malformed> {
        let start = self.cursor.at;
        let name = self.cursor.name();
        if name.is_empty() {
            return self.not_a_rule();
        }
        let name_span = self.since(start);
        let is_first = self.cursor.is_first_on_line(start);
        let options = self.options(start)?;
        self.cursor.skip_blanks(!self.is_llama());
        if !self.cursor.eat("::=") {
            return self.not_assigned(name, name_span);
        }
        if !is_first && !self.is_llama() {
            return self.fail_hint("a rule must begin on a new line", name_span, "break the line before it");
        }
        self.cursor.skip_blanks(true);
        let body = self.body()?;
        let span = self.since(start);
        let identifier = self.builder.declare(name);
        self.define(ParsedRule { name: name.to_owned(), identifier, name_span, span, body, options });
        Ok(())
    }

    fn not_a_rule(&mut self) -> Result<(), Malformed> {
        let span = self.here();
        match self.cursor.peek() {
            Some('|') => self.fail_hint(
                "a rule begins with its name, but this is `|`",
                span,
                "a line break ends the rule before it: write `|` at the end of the line, or use parentheses",
            ),
            Some(')') => self.fail("`)` closes nothing", span),
            Some(found) => self.fail(format!("a rule begins with its name, but this is `{found}`"), span),
            None => Ok(()),
        }
    }

    fn not_assigned(&mut self, name: &str, span: Span) -> Result<(), Malformed> {
        let hint = match self.cursor.peek() {
            Some('=') => "write `::=` instead of `=`".to_owned(),
            Some(':') => "write `::=`; for a grammar of Lark, choose the notation `lark`".to_owned(),
            _ => format!("a rule has the form {name} ::= \u{2026}"),
        };
        let place = self.here();
        self.builder.error_hint(format!("`::=` is missing after `{name}`"), place, hint);
        let _ = span;
        Err(Malformed)
    }

    /// Reads alternatives up to the end of the rule.
    fn body(&mut self) -> Result<ExprId, Malformed> {
        let start = self.cursor.at;
        let group = |open| Group { open, alternatives: Vec::new(), sequence: Vec::new(), start: open };
        let mut groups = vec![group(start)];
        loop {
            let is_nested = groups.len() > 1;
            let line_end = self.cursor.skip_blanks(!self.is_llama() || is_nested);
            let at = self.cursor.at;
            let ends = !is_nested && (line_end || !self.is_llama() && self.cursor.begins_rule());
            match self.cursor.peek() {
                _ if ends => break,
                None => break,
                Some('|') => {
                    self.end_alternative(&mut groups)?;
                    self.cursor.at += 1;
                    self.cursor.skip_blanks(true);
                    if let Some(last) = groups.last_mut() {
                        last.start = self.cursor.at;
                    }
                }
                Some('(') if !self.cursor.looking_at("(=") || self.is_llama() => {
                    let limit = self.builder.config().limits.max_nesting;
                    if groups.len() > limit {
                        let span = self.here();
                        self.builder.limit("max_nesting", limit, "nested groups", span);
                        return Err(Malformed);
                    }
                    self.cursor.at += 1;
                    groups.push(group(at));
                }
                Some('(') => {
                    self.end_alternative(&mut groups)?;
                    self.lookahead(is_nested)?;
                    break;
                }
                Some(')') if is_nested => {
                    let element = self.close(&mut groups)?;
                    self.push_quantified(&mut groups, element, at)?;
                }
                Some(')') => {
                    let span = self.here();
                    return self.fail("`)` closes nothing", span);
                }
                Some('*' | '+' | '?' | '{') => {
                    let span = self.here();
                    return self.fail("nothing precedes this quantifier", span);
                }
                Some(_) => {
                    let element = self.element()?;
                    self.push_quantified(&mut groups, element, at)?;
                }
            }
        }
        self.end_body(groups, start)
    }

    /// Ends the rule: all groups must be closed.
    fn end_body(&mut self, mut groups: Vec<Group>, start: usize) -> Result<ExprId, Malformed> {
        if groups.len() > 1 {
            let open = groups.last().map_or(start, |group| group.open);
            let span = self.cursor.span(open, open + 1);
            return self.fail("the group is not closed", span);
        }
        let has_lookahead = groups[0].sequence.is_empty() && self.cursor.has_read_lookahead();
        if !has_lookahead {
            self.end_alternative(&mut groups)?;
        }
        let alternatives = std::mem::take(&mut groups[0].alternatives);
        let span = self.since(start);
        Ok(self.builder.alternatives(alternatives, span))
    }

    /// Ends an alternative. An empty one is the empty text, or an error.
    fn end_alternative(&mut self, groups: &mut [Group]) -> Result<(), Malformed> {
        let is_llama = self.is_llama();
        let Some(group) = groups.last_mut() else { return Ok(()) };
        if group.sequence.is_empty() && !is_llama {
            let span = self.here();
            return self.fail_hint("empty alternative", span, "write `\"\"` for the empty text");
        }
        let span = self.cursor.span(group.start, self.cursor.at);
        let parts = std::mem::take(&mut group.sequence);
        let sequence = self.builder.sequence(parts, span);
        group.alternatives.push(sequence);
        Ok(())
    }

    /// Reads `)`, and returns the group.
    fn close(&mut self, groups: &mut Vec<Group>) -> Result<ExprId, Malformed> {
        let is_empty =
            groups.last().is_some_and(|group| group.alternatives.is_empty() && group.sequence.is_empty());
        if is_empty && let Some(group) = groups.pop() {
            self.cursor.at += 1;
            let span = self.since(group.open);
            return Ok(self.builder.empty(span));
        }
        self.end_alternative(groups)?;
        self.cursor.at += 1;
        let Some(group) = groups.pop() else { return Err(Malformed) };
        let span = self.since(group.open);
        Ok(self.builder.alternatives(group.alternatives, span))
    }

    /// Appends an element with the quantifiers after it.
    fn push_quantified(
        &mut self,
        groups: &mut [Group],
        mut element: ExprId,
        start: usize,
    ) -> Result<(), Malformed> {
        let is_nested = groups.len() > 1;
        loop {
            let before = self.cursor.at;
            let line_end = self.cursor.skip_blanks(!self.is_llama() || is_nested);
            let bounds = if line_end { None } else { self.quantifier()? };
            let Some((min, max)) = bounds else {
                self.cursor.at = before;
                break;
            };
            let span = self.since(start);
            element = self.builder.repeat(element, min, max, span);
            if !self.is_llama() {
                break;
            }
        }
        if let Some(group) = groups.last_mut() {
            group.sequence.push(element);
        }
        Ok(())
    }

    /// Reads a quantifier, if there is one.
    fn quantifier(&mut self) -> Result<Option<(u64, Option<u64>)>, Malformed> {
        let start = self.cursor.at;
        let bounds = match self.cursor.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.cursor.at += 1;
                return self.bounds(start).map(Some);
            }
            _ => return Ok(None),
        };
        self.cursor.at += 1;
        Ok(Some(bounds))
    }

    /// Reads the bounds after `{`, which is at `start`.
    fn bounds(&mut self, start: usize) -> Result<(u64, Option<u64>), Malformed> {
        self.cursor.skip_blanks(true);
        let min = self.number()?;
        self.cursor.skip_blanks(true);
        let mut max = Some(min);
        if self.cursor.eat(",") {
            self.cursor.skip_blanks(true);
            max = match self.cursor.peek() {
                Some('}') => None,
                // The printer of XGrammar writes this for an open bound.
                Some('-') if !self.is_llama() && self.cursor.eat("-1") => None,
                _ => Some(self.number()?),
            };
            self.cursor.skip_blanks(true);
        }
        if !self.cursor.eat("}") {
            let span = self.here();
            return self.fail("`}` is missing after the bounds of a repetition", span);
        }
        let span = self.since(start);
        if let Some(max) = max.filter(|&max| max < min) {
            return self.fail(format!("the bounds {min} and {max} are the wrong way round"), span);
        }
        if self.is_llama() && max.unwrap_or(min) > MAX_LLAMA_REPETITIONS {
            let what = if min > MAX_LLAMA_REPETITIONS { "refuses it" } else { "drops it" };
            self.builder.note(
                format!("the bound is kept; llama.cpp {what} as it exceeds {MAX_LLAMA_REPETITIONS}"),
                span,
            );
        }
        Ok((min, max))
    }

    /// Reads a number.
    fn number(&mut self) -> Result<u64, Malformed> {
        let start = self.cursor.at;
        let digits = self.cursor.take_while(|char| char.is_ascii_digit());
        let span = self.since(start);
        if digits.is_empty() {
            let span = self.here();
            return self.fail_hint("a number is missing", span, "bounds are written {2}, {2,} or {2,5}");
        }
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fail("the number is too large", span),
        }
    }

    /// Reads `(= …)` at the end of a rule, and drops it.
    fn lookahead(&mut self, is_nested: bool) -> Result<(), Malformed> {
        let start = self.cursor.at;
        let span = self.cursor.span(start, start + 2);
        if is_nested {
            return self.fail("`(=` is allowed at the end of a rule only", span);
        }
        self.cursor.at += 2;
        let mut parts = vec![Group { open: start, alternatives: Vec::new(), sequence: Vec::new(), start }];
        loop {
            self.cursor.skip_blanks(true);
            let at = self.cursor.at;
            match self.cursor.peek() {
                None => return self.fail("the group is not closed", span),
                Some(')') if parts.len() == 1 => break,
                Some(')') => {
                    let element = self.close(&mut parts)?;
                    self.push_quantified(&mut parts, element, at)?;
                }
                Some('(') => {
                    self.cursor.at += 1;
                    parts.push(Group { open: at, alternatives: Vec::new(), sequence: Vec::new(), start: at });
                }
                Some('|') => {
                    self.end_alternative(&mut parts)?;
                    self.cursor.at += 1;
                }
                Some(_) => {
                    let element = self.element()?;
                    self.push_quantified(&mut parts, element, at)?;
                }
            }
        }
        self.cursor.at += 1;
        self.cursor.set_read_lookahead();
        let span = self.since(start);
        self.builder.note("`(= …)` does not change the language: it is a hint for computing masks", span);
        self.cursor.skip_blanks(true);
        if !self.cursor.is_at_end() && !self.cursor.begins_rule() {
            let span = self.here();
            return self.fail("`(= …)` is allowed at the end of a rule only", span);
        }
        Ok(())
    }
}

/// Greatest bound of a repetition in llama.cpp.
const MAX_LLAMA_REPETITIONS: u64 = 2_000;
