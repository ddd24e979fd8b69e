//! Macros of XGrammar's EBNF, such as `Regex("[a-z]+")`.

use grammask_syntax::{ExprId, Span, SpecialMember};

use super::{Malformed, Parser};
use crate::dispatch::{self, Dispatch};
use crate::plain_regex::push_xgrammar;
use crate::xgrammar_regex::{Flags, Reader};

/// Returns true if a name is reserved for a macro.
pub(super) fn is_macro(name: &str) -> bool {
    MACROS.contains(&name)
}

const MACROS: [&str; 6] = ["Regex", "Substring", "TagDispatch", "Token", "ExcludeToken", "TokenTagDispatch"];

/// An operand of a macro.
#[derive(Clone)]
struct Argument<'a> {
    /// Name before `=`, if there is one.
    name: Option<&'a str>,
    value: Value<'a>,
    span: Span,
}

#[derive(Clone)]
enum Value<'a> {
    Text(String),
    Number(i64),
    Boolean(bool),
    Name(&'a str),
    Tuple(Vec<Argument<'a>>),
}

impl<'a> Parser<'a, '_> {
    /// Reads the operands of a macro, whose name is read.
    pub(super) fn macro_call(&mut self, name: &str, start: usize) -> Result<ExprId, Malformed> {
        self.cursor.skip_blanks(true);
        if !self.cursor.looking_at("(") {
            let span = self.since(start);
            return self.fail_hint(
                &format!("`(` is missing after `{name}`"),
                span,
                "the name is reserved for a macro: choose another name for the rule",
            );
        }
        let open = self.cursor.at;
        self.cursor.at += 1;
        let arguments = self.arguments(open, 0)?;
        let span = self.since(start);
        match name {
            "Regex" => self.regex_macro(&arguments, span),
            "Substring" => self.substring_macro(&arguments, span),
            "TagDispatch" => self.dispatch_macro(&arguments, span),
            "Token" => {
                let members = self.token_members(&arguments, "Token(1000) with the ids of special tokens")?;
                if members.is_empty() {
                    return self.fail("`Token` has at least one id as operand", span);
                }
                Ok(self.builder.tokens(members, span))
            }
            "ExcludeToken" => {
                let members = self.token_members(&arguments, "ExcludeToken(1000, 1001)")?;
                Ok(self.builder.other_token(members, span))
            }
            _ => self.token_dispatch_macro(&arguments, span),
        }
    }

    /// Reads operands up to `)`.
    fn arguments(&mut self, open: usize, depth: usize) -> Result<Vec<Argument<'a>>, Malformed> {
        let mut arguments = Vec::new();
        loop {
            self.cursor.skip_blanks(true);
            if self.cursor.eat(")") {
                if !arguments.is_empty() && depth == 0 {
                    let span = self.since(open);
                    return self.fail("an operand is missing after `,`", span);
                }
                return Ok(arguments);
            }
            let argument = self.argument(open, depth)?;
            arguments.push(argument);
            self.cursor.skip_blanks(true);
            if self.cursor.eat(")") {
                return Ok(arguments);
            }
            if !self.cursor.eat(",") {
                let span = self.here();
                return self.fail("`,` or `)` is missing after an operand", span);
            }
        }
    }

    fn argument(&mut self, open: usize, depth: usize) -> Result<Argument<'a>, Malformed> {
        let start = self.cursor.at;
        let name = self.cursor.name();
        let is_sign_of_number = name.is_empty() || name.starts_with('-') && name[1..].parse::<u32>().is_ok();
        if !is_sign_of_number {
            let span = self.since(start);
            self.cursor.skip_blanks(true);
            if self.cursor.eat("=") {
                self.cursor.skip_blanks(true);
                let argument = self.argument(open, depth)?;
                return Ok(Argument { name: Some(name), span, ..argument });
            }
            let value = match name {
                "true" => Value::Boolean(true),
                "false" => Value::Boolean(false),
                name => Value::Name(name),
            };
            return Ok(Argument { name: None, value, span });
        }
        self.cursor.at = start;
        let value = match self.cursor.peek() {
            Some('"') => Value::Text(self.quoted_string()?),
            Some('-' | '0'..='9') => {
                let digits = self.cursor.take_while(|char| char == '-' || char.is_ascii_digit());
                match digits.parse() {
                    Ok(number) => Value::Number(number),
                    Err(_) => {
                        let span = self.since(start);
                        return self.fail("not a number", span);
                    }
                }
            }
            Some('(') => {
                let limit = self.builder.config().limits.max_tuple_depth;
                if depth >= limit {
                    let span = self.here();
                    self.builder.limit("max_tuple_depth", limit, "nested tuples", span);
                    return Err(Malformed);
                }
                self.cursor.at += 1;
                Value::Tuple(self.arguments(start, depth + 1)?)
            }
            None => {
                let span = self.cursor.span(open, open + 1);
                return self.fail("the list of operands is not closed", span);
            }
            Some(_) => {
                let span = self.here();
                return self.fail("an operand is a text, a number, a boolean, a name or a tuple", span);
            }
        };
        let span = self.since(start);
        Ok(Argument { name: None, value, span })
    }

    fn regex_macro(&mut self, arguments: &[Argument<'a>], span: Span) -> Result<ExprId, Malformed> {
        let mut pattern = None;
        let mut flags = Flags { ignore_case: false, dot_all: true };
        let mut json_string = false;
        for argument in arguments {
            match (argument.name, &argument.value) {
                (None, Value::Text(text)) if pattern.is_none() => pattern = Some((text, argument.span)),
                (Some("json_string"), Value::Boolean(value)) => json_string = *value,
                (Some("flags"), Value::Text(letters)) => {
                    flags.dot_all = letters.contains('s');
                    flags.ignore_case = letters.contains('i');
                    if let Some(other) = letters.chars().find(|letter| !"isu".contains(*letter)) {
                        return self.fail(format!("the flag `{other}` is not supported"), argument.span);
                    }
                }
                _ => {
                    return self
                        .wrong_operand("Regex(\"pattern\", json_string=false, flags=\"is\")", argument);
                }
            }
        }
        let Some((pattern, place)) = pattern else {
            return self.fail("`Regex` has one text as operand", span);
        };
        // Places inside of the pattern are exact as long as no escape precedes them.
        let at = |offset: usize| (place.start + 1 + offset).min(place.end);
        let regex = push_xgrammar(self.builder, pattern, Reader::Macro, flags, &at, span);
        let Some(regex) = regex else { return Err(Malformed) };
        if !json_string {
            return Ok(regex);
        }
        let plain = self.builder.regex(r#"[^"\\\x00-\x1F]*"#, span);
        Ok(self.builder.and(vec![regex, plain], span))
    }

    fn wrong_operand<T>(&mut self, form: &str, argument: &Argument<'a>) -> Result<T, Malformed> {
        self.fail_hint("the macro does not take this operand", argument.span, &format!("write {form}"))
    }

    /// Makes any number of consecutive texts.
    fn substring_macro(&mut self, arguments: &[Argument<'a>], span: Span) -> Result<ExprId, Malformed> {
        let mut chunks = Vec::new();
        for argument in arguments {
            match (argument.name, &argument.value) {
                (None, Value::Text(text)) if text.is_empty() => {}
                (None, Value::Text(text)) => chunks.push((text.as_str(), argument.span)),
                _ => return self.wrong_operand("Substring(\"first chunk\", \"second chunk\")", argument),
            }
        }
        Ok(dispatch::substrings(self.builder, &chunks, span))
    }

    fn dispatch_macro(&mut self, arguments: &[Argument<'a>], span: Span) -> Result<ExprId, Malformed> {
        const FORM: &str = "TagDispatch((\"trigger\", rule), excludes=(\"text\",), loop_after_dispatch=true)";
        let mut dispatch = Dispatch::new();
        for argument in arguments {
            match (argument.name, &argument.value) {
                (None, Value::Tuple(pair)) => match &pair[..] {
                    [
                        Argument { name: None, value: Value::Text(trigger), span: place },
                        Argument { name: None, value: Value::Name(name), span: name_span },
                    ] if !trigger.is_empty() => {
                        self.uses.push((name, *name_span));
                        let identifier = self.builder.declare(name);
                        let rule = self.builder.name(&identifier, *name_span);
                        dispatch.push(trigger, rule, *place);
                    }
                    _ => return self.wrong_operand(FORM, argument),
                },
                (Some("loop_after_dispatch"), Value::Boolean(value)) => dispatch.is_loop = *value,
                (Some("excludes"), Value::Text(text)) if !text.is_empty() => {
                    dispatch.exclude(text, argument.span);
                }
                (Some("excludes"), Value::Tuple(texts)) => {
                    for text in texts {
                        match (text.name, &text.value) {
                            (None, Value::Text(value)) if !value.is_empty() => {
                                dispatch.exclude(value, text.span);
                            }
                            _ => return self.wrong_operand(FORM, text),
                        }
                    }
                }
                _ => return self.wrong_operand(FORM, argument),
            }
        }
        dispatch.build(self.builder, span).ok_or(Malformed)
    }

    /// Returns operands that are ids of tokens.
    fn token_members(
        &mut self,
        arguments: &[Argument<'a>],
        form: &str,
    ) -> Result<Vec<SpecialMember>, Malformed> {
        let mut members = Vec::with_capacity(arguments.len());
        for argument in arguments {
            match (argument.name, &argument.value) {
                (None, Value::Number(id)) if u32::try_from(*id).is_ok() => {
                    let id = u32::try_from(*id).unwrap_or_default();
                    members.push(SpecialMember::Ids(id, id));
                }
                _ => return self.wrong_operand(form, argument),
            }
        }
        Ok(members)
    }

    /// Makes any tokens, of which some begin rules.
    fn token_dispatch_macro(&mut self, arguments: &[Argument<'a>], span: Span) -> Result<ExprId, Malformed> {
        const FORM: &str = "TokenTagDispatch((1000, rule), excludes=(1001,), loop_after_dispatch=true)";
        let mut dispatch = Dispatch::new();
        let mut others = Vec::new();
        for argument in arguments {
            match (argument.name, &argument.value) {
                (None, Value::Tuple(pair)) => match &pair[..] {
                    [
                        Argument { name: None, value: Value::Number(id), span: place },
                        Argument { name: None, value: Value::Name(name), span: name_span },
                    ] if u32::try_from(*id).is_ok() => {
                        let id = u32::try_from(*id).unwrap_or_default();
                        others.push(SpecialMember::Ids(id, id));
                        self.uses.push((name, *name_span));
                        let identifier = self.builder.declare(name);
                        let rule = self.builder.name(&identifier, *name_span);
                        let token = self.builder.tokens(vec![SpecialMember::Ids(id, id)], *place);
                        dispatch.push_token(token, rule);
                    }
                    _ => return self.wrong_operand(FORM, argument),
                },
                (Some("loop_after_dispatch"), Value::Boolean(value)) => dispatch.is_loop = *value,
                (Some("excludes"), Value::Tuple(ids)) => others.extend(self.token_members(ids, FORM)?),
                (Some("excludes"), Value::Number(_)) => {
                    let id = Argument { name: None, value: argument.value.clone(), span: argument.span };
                    others.extend(self.token_members(&[id], FORM)?);
                }
                _ => return self.wrong_operand(FORM, argument),
            }
        }
        dispatch.other_tokens = Some(others);
        dispatch.build(self.builder, span).ok_or(Malformed)
    }
}
