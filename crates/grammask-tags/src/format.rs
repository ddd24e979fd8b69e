//! The types of formats, apart from lists of tags and JSON Schemas.

use grammask_gbnf::dispatch::Dispatch;
use grammask_gbnf::{RegexDialect, push_regex};
use grammask_notation::json::{Kind, Value};
use grammask_syntax::{ExprId, suggest};

use crate::{Around, Format, Translator};

/// All types of formats.
const TYPES: [&str; 21] = [
    "any_text",
    "any_tokens",
    "const_string",
    "dispatch",
    "exclude_token",
    "grammar",
    "json_schema",
    "optional",
    "or",
    "plus",
    "qwen_xml_parameter",
    "regex",
    "repeat",
    "sequence",
    "star",
    "tag",
    "tags_with_separator",
    "token",
    "token_dispatch",
    "token_triggered_tags",
    "triggered_tags",
];

impl Translator<'_, '_> {
    /// Translates a format.
    pub(crate) fn format(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        let limit = self.config.limits.max_format_depth;
        if self.depth >= limit {
            return self.fail(format!("more than {limit} nested formats (limit `max_format_depth`)"), value);
        }
        self.depth += 1;
        let format = self.any_format(value, around);
        self.depth -= 1;
        format
    }

    fn any_format(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        if !matches!(value.kind(), Kind::Object(_)) {
            return self.fail("a format must be an object", value);
        }
        // A tag may come without its type where only tags are allowed.
        let kind = match value.get("type") {
            None if value.get("begin").is_some() && value.get("content").is_some() => "tag",
            _ => self.text_field(value, "type")?.0,
        };
        let span = self.span(value);
        match kind {
            "const_string" => {
                let (text, place) = self.text_field(value, "value")?;
                let place = self.span(place);
                limited(self.marked_text(text, place))
            }
            "json_schema" | "qwen_xml_parameter" => self.json_schema(value),
            "grammar" => self.grammar(value),
            "regex" => {
                let (pattern, place) = self.text_field(value, "pattern")?;
                if pattern.is_empty() {
                    return self.fail("`pattern` must not be empty", place);
                }
                let place = self.span(place);
                // Places inside of the pattern are exact as long as no escape precedes them.
                let at = |offset: usize| (place.start + 1 + offset).min(place.end);
                limited(push_regex(self.builder, pattern, RegexDialect::XGrammar, &at, place)?)
            }
            "any_text" => self.any_text(value, around),
            "sequence" | "or" => self.elements(value, kind, around),
            "optional" => self.repeated(value, 0, Some(1), around),
            "plus" => self.repeated(value, 1, None, around),
            "star" => self.repeated(value, 0, None, around),
            "repeat" => self.repeat(value, around),
            "tag" => {
                let tag = self.tag(value)?;
                let parts = vec![tag.begin, tag.rest];
                limited(self.builder.sequence(parts, span))
            }
            "triggered_tags" => self.triggered_tags(value, around),
            "tags_with_separator" => self.tags_with_separator(value),
            "dispatch" => self.dispatch(value, around),
            "token" => limited(self.token(value)?.0),
            "any_tokens" => self.any_tokens(value, around),
            "token_triggered_tags" => self.token_triggered_tags(value, around),
            "token_dispatch" => self.token_dispatch(value, around),
            "exclude_token" => self.exclude_token(value, around),
            other => {
                let place = value.get("type").unwrap_or(value);
                let hint = match suggest(other, TYPES) {
                    Some(like) => format!("did you mean \"{like}\"?"),
                    None => format!("the types are {}", TYPES.join(", ")),
                };
                self.fail_hint(format!("`{other}` is not a type of a format"), place, &hint)
            }
        }
    }

    fn elements(&mut self, value: Value<'_>, kind: &str, around: Around<'_>) -> Option<Format> {
        let items = self.list(value, "elements")?;
        let mut parts = Vec::with_capacity(items.len());
        let mut is_unlimited = false;
        let mut is_complete = true;
        for item in items {
            match self.format(item, around) {
                Some(format) => {
                    parts.push(format.expr);
                    is_unlimited |= format.is_unlimited;
                }
                None => is_complete = false,
            }
        }
        is_complete.then_some(())?;
        let span = self.span(value);
        let expr = match kind {
            "or" => self.builder.alternatives(parts, span),
            _ => self.builder.sequence(parts, span),
        };
        Some(Format { expr, is_unlimited })
    }

    fn repeated(
        &mut self,
        value: Value<'_>,
        min: u64,
        max: Option<u64>,
        around: Around<'_>,
    ) -> Option<Format> {
        let content = self.required(value, "content")?;
        let content = self.format(content, around)?;
        let span = self.span(value);
        let expr = self.builder.repeat(content.expr, min, max, span);
        Some(Format { expr, is_unlimited: content.is_unlimited || max.is_none() })
    }

    fn repeat(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        for field in ["min", "max"] {
            self.required(value, field)?;
        }
        let (min, max) = (self.integer(value, "min")??, self.integer(value, "max")??);
        let Ok(least) = u64::try_from(min) else { return self.fail("`min` must be at least 0", value) };
        let most = match u64::try_from(max) {
            Ok(most) if most < least => {
                let message = format!("the bounds {min} and {max} are the wrong way round");
                return self.fail(message, value);
            }
            Ok(most) => Some(most),
            Err(_) if max == -1 => None,
            Err(_) => return self.fail("`max` must be at least 0, or -1 for no bound", value),
        };
        self.repeated(value, least, most, around)
    }

    /// Translates free text. It contains neither its own excluded texts nor the ends of the nearest tag.
    fn any_text(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        let span = self.span(value);
        let own = self.strings(value, "excludes")?;
        let is_unlimited = own.is_empty();
        match self.integer(value, "max_tokens")? {
            None => {}
            Some(0) => return limited(self.builder.empty(span)),
            Some(_) => self.builder.annotation("`max_tokens`", span),
        }
        let max = self.integer(value, "max_chars")?;
        if max.is_some_and(|max| max < 0) {
            return self.fail("`max_chars` must not be negative", value.get("max_chars").unwrap_or(value));
        }
        if own.iter().any(|(text, _)| text.is_empty()) {
            self.builder
                .note("every text contains the excluded empty text, so only the empty text is left", span);
            return limited(self.builder.empty(span));
        }
        let any = self.builder.any_char(span);
        let max = max.and_then(|max| u64::try_from(max).ok());
        let chars = self.builder.repeat(any, 0, max, span);
        if own.is_empty() && around.ends.is_empty() {
            return Some(Format { expr: chars, is_unlimited });
        }
        let mut dispatch = Dispatch::new();
        for (text, place) in own.iter().chain(around.ends) {
            dispatch.exclude(text, *place);
        }
        let without = dispatch.build(self.builder, span)?;
        let expr = match max {
            Some(_) => self.builder.and(vec![chars, without], span),
            None => without,
        };
        Some(Format { expr, is_unlimited })
    }

    /// Translates a grammar in EBNF, whose rules get names of their own.
    fn grammar(&mut self, value: Value<'_>) -> Option<Format> {
        let (grammar, place) = self.text_field(value, "grammar")?;
        if grammar.is_empty() {
            return self.fail("`grammar` must not be empty", place);
        }
        self.schemas += 1;
        let config = grammask_gbnf::Config {
            file_name: format!("{} (grammar {})", self.config.file_name, self.schemas),
            common: self.config.common.clone(),
            ..grammask_gbnf::Config::ebnf()
        };
        match grammask_gbnf::translate(grammar, &config) {
            Ok(outcome) => {
                let name = self.builder.graft_outcome(&outcome, "grammar");
                let span = self.span(value);
                limited(self.builder.name(&name, span))
            }
            Err(errors) => {
                self.builder.graft_errors(&errors);
                None
            }
        }
    }

    fn dispatch(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        let rules = self.list(value, "rules")?;
        let mut dispatch = Dispatch::new();
        dispatch.allow_dead_triggers = true;
        dispatch.is_loop = self.flag(value, "loop", true)?;
        let mut is_complete = true;
        for rule in rules {
            let pair = rule.items().unwrap_or_default();
            let &[trigger, format] = &pair[..] else {
                is_complete = false;
                let _: Option<()> = self.fail("a rule is a pair of a text and a format", rule);
                continue;
            };
            let Some(text) = trigger.as_str().filter(|text| !text.is_empty()) else {
                is_complete = false;
                let _: Option<()> = self.fail("a rule begins with a text that is not empty", trigger);
                continue;
            };
            let place = self.span(trigger);
            match self.format(format, around) {
                Some(format) => self.push_trigger(&mut dispatch, text, format.expr, place),
                None => is_complete = false,
            }
        }
        let excludes = self.strings(value, "excludes")?;
        is_complete.then_some(())?;
        let is_unlimited = excludes.is_empty();
        for (text, place) in &excludes {
            if text.is_empty() {
                self.builder.error("an excluded text must not be empty", *place);
                return None;
            }
            dispatch.exclude(text, *place);
        }
        let span = self.span(value);
        let expr = dispatch.build(self.builder, span)?;
        Some(Format { expr, is_unlimited })
    }
}

/// Returns a format that ends by itself.
pub(crate) fn limited(expr: ExprId) -> Option<Format> {
    Some(Format { expr, is_unlimited: false })
}
