//! Tags and lists of tags.

use grammask_gbnf::dispatch::Dispatch;
use grammask_notation::json::{Kind, Value};
use grammask_syntax::{ExprId, Span, SpecialMember};
use rustc_hash::FxHashMap;

use crate::{Around, Format, Translator};

/// A translated tag.
pub(crate) struct Tag {
    /// The beginning as a text. `None` if it is a token.
    pub begin_text: Option<String>,
    /// The beginning as a token.
    pub begin_token: Option<SpecialMember>,
    pub begin: ExprId,
    /// The content and the end.
    pub rest: ExprId,
    pub span: Span,
}

impl Translator<'_, '_> {
    /// Translates a tag.
    pub(crate) fn tag(&mut self, value: Value<'_>) -> Option<Tag> {
        let span = self.span(value);
        let begin = self.required(value, "begin")?;
        let begin_text = begin.as_str().map(str::to_owned);
        let (begin, begin_token) = match &begin_text {
            Some(text) => {
                let place = self.span(begin);
                (self.marked_text(text, place), None)
            }
            None => {
                let (token, member) = self.token(begin)?;
                (token, Some(member))
            }
        };
        let end = self.required(value, "end")?;
        let mut ends: Vec<(String, Span)> = Vec::new();
        let mut end_token = None;
        let end_expr = match end.kind() {
            Kind::String(text) => {
                let place = self.span(end);
                ends.push((text.clone(), place));
                self.marked_text(text, place)
            }
            Kind::Array(items) if items.is_empty() => return self.fail("`end` must not be empty", end),
            Kind::Array(_) => {
                ends = self.strings(value, "end")?;
                let parts = ends.iter().map(|(text, place)| self.marked_text(text, *place)).collect();
                let place = self.span(end);
                self.builder.alternatives(parts, place)
            }
            _ => {
                let (token, member) = self.token(end)?;
                end_token = Some(member);
                token
            }
        };
        let has_only_empty_ends = !ends.is_empty() && ends.iter().all(|(text, _)| text.is_empty());
        // A special token is no part of free text, so it needs no exclusion.
        ends.retain(|(text, _)| !text.is_empty() && self.specials.first_in(text).is_none());
        let content = self.required(value, "content")?;
        let format = self.format(content, Around { ends: &ends, end_token: end_token.as_ref() })?;
        if has_only_empty_ends && format.is_unlimited {
            return self.fail_hint(
                "free text needs an end that is not empty",
                end,
                "add an end, or texts to `excludes`",
            );
        }
        let rest = self.builder.sequence(vec![format.expr, end_expr], span);
        Some(Tag { begin_text, begin_token, begin, rest, span })
    }

    /// Translates a list of tags. Reports the errors of all.
    pub(crate) fn tags(&mut self, items: Vec<Value<'_>>) -> Option<Vec<Tag>> {
        let count = items.len();
        let tags: Vec<Tag> = items.into_iter().filter_map(|item| self.tag(item)).collect();
        (tags.len() == count).then_some(tags)
    }

    /// Translates free text in which triggers begin tags.
    pub(crate) fn triggered_tags(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        self.list(value, "triggers")?;
        let triggers = self.strings(value, "triggers")?;
        let items = self.list(value, "tags")?;
        let tags = self.tags(items)?;
        let excludes = self.strings(value, "excludes")?;
        let at_least_one = self.flag(value, "at_least_one", false)?;
        let stop_after_first = self.flag(value, "stop_after_first", false)?;
        let span = self.span(value);
        let is_unlimited = excludes.is_empty() && !(at_least_one && stop_after_first);
        if let Some((_, place)) = triggers.iter().chain(&excludes).find(|(text, _)| text.is_empty()) {
            self.builder.error("triggers and excluded texts must not be empty", *place);
            return None;
        }
        let is_dispatched = !(at_least_one && stop_after_first);
        let groups = self.group_by_trigger(&triggers, &tags, is_dispatched)?;
        let first = at_least_one.then(|| {
            let all = tags.iter().map(|tag| {
                let begin = self.builder.copy(tag.begin);
                let rest = self.shared(tag);
                self.builder.sequence(vec![begin, rest], tag.span)
            });
            let all: Vec<ExprId> = all.collect();
            self.builder.alternatives(all, span)
        });
        if let Some(first) = first
            && stop_after_first
        {
            return Some(Format { expr: first, is_unlimited });
        }
        let mut dispatch = Dispatch::new();
        dispatch.allow_dead_triggers = true;
        dispatch.is_loop = !stop_after_first;
        for ((trigger, place), members) in triggers.iter().zip(groups) {
            let mut parts = Vec::with_capacity(members.len());
            for index in members {
                let tag = &tags[index];
                let begin = tag.begin_text.as_deref().unwrap_or_default();
                let begin = self.marked_text(&begin[trigger.len()..], tag.span);
                let rest = if at_least_one { self.shared(tag) } else { tag.rest };
                parts.push(self.builder.sequence(vec![begin, rest], tag.span));
            }
            let part = self.builder.alternatives(parts, *place);
            self.push_trigger(&mut dispatch, trigger, part, *place);
        }
        for (text, place) in excludes.iter().chain(around.ends) {
            dispatch.exclude(text, *place);
        }
        let free = dispatch.build(self.builder, span)?;
        let expr = match first {
            Some(first) => self.builder.sequence(vec![first, free], span),
            None => free,
        };
        Some(Format { expr, is_unlimited })
    }

    /// Returns a copy of the content and the end of a tag.
    fn shared(&mut self, tag: &Tag) -> ExprId {
        self.builder.copy(tag.rest)
    }

    /// Returns the indices of the tags of each trigger. Each tag begins with exactly one trigger, and if
    /// `is_dispatched`, each trigger begins a tag.
    fn group_by_trigger(
        &mut self,
        triggers: &[(String, Span)],
        tags: &[Tag],
        is_dispatched: bool,
    ) -> Option<Vec<Vec<usize>>> {
        let mut groups = vec![Vec::new(); triggers.len()];
        let mut by_text: FxHashMap<&str, usize> = FxHashMap::default();
        let mut lengths: Vec<usize> = triggers.iter().map(|(text, _)| text.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        for (index, (text, place)) in triggers.iter().enumerate() {
            if by_text.insert(text, index).is_some() {
                self.builder.error("the trigger is listed twice", *place);
                return None;
            }
        }
        let mut is_complete = true;
        for (index, tag) in tags.iter().enumerate() {
            let Some(begin) = &tag.begin_text else {
                self.builder.error("a triggered tag begins with a text, not with a token", tag.span);
                is_complete = false;
                continue;
            };
            let prefixes = lengths.iter().filter_map(|&length| begin.get(..length));
            let mut matching = prefixes.filter_map(|prefix| by_text.get(prefix).copied());
            match (matching.next(), matching.next()) {
                (Some(only), None) => groups[only].push(index),
                (Some(_), Some(_)) => {
                    let message = format!("two triggers begin the tag {begin:?}");
                    self.builder.error_hint(message, tag.span, "keep one of them");
                    is_complete = false;
                }
                (None, _) => {
                    let message = format!("no trigger begins the tag {begin:?}");
                    self.builder.error_hint(message, tag.span, "add a prefix of `begin` to `triggers`");
                    is_complete = false;
                }
            }
        }
        for ((trigger, place), group) in triggers.iter().zip(&groups) {
            if is_dispatched && group.is_empty() && is_complete {
                let message = format!("no tag begins with the trigger {trigger:?}");
                self.builder.error_hint(message, *place, "remove the trigger, or add it to `excludes`");
                is_complete = false;
            }
        }
        is_complete.then_some(groups)
    }

    /// Translates tags with a separator between them, and no other text.
    pub(crate) fn tags_with_separator(&mut self, value: Value<'_>) -> Option<Format> {
        let items = self.list(value, "tags")?;
        let tags = self.tags(items)?;
        let (separator, place) = self.text_field(value, "separator")?;
        let at_least_one = self.flag(value, "at_least_one", false)?;
        let stop_after_first = self.flag(value, "stop_after_first", false)?;
        let (span, place) = (self.span(value), self.span(place));
        let all = tags.iter().map(|tag| self.builder.sequence(vec![tag.begin, tag.rest], tag.span));
        let all: Vec<ExprId> = all.collect();
        let one = self.builder.alternatives(all, span);
        let mut expr = one;
        if !stop_after_first {
            let one = self.builder.extract("tag", one, span);
            let separator = self.marked_text(separator, place);
            let again = self.builder.copy(one);
            let next = self.builder.sequence(vec![separator, again], span);
            let more = self.builder.repeat(next, 0, None, span);
            expr = self.builder.sequence(vec![one, more], span);
        }
        if !at_least_one {
            expr = self.builder.optional(expr, span);
        }
        Some(Format { expr, is_unlimited: !stop_after_first })
    }

    /// Translates the older form: `structures` with `triggers`.
    pub(crate) fn legacy(&mut self, value: Value<'_>) -> Option<ExprId> {
        self.list(value, "triggers")?;
        let triggers = self.strings(value, "triggers")?;
        let mut tags = Vec::new();
        let mut is_complete = true;
        for structure in self.list(value, "structures")? {
            match self.legacy_tag(structure) {
                Some(tag) => tags.push(tag),
                None => is_complete = false,
            }
        }
        is_complete.then_some(())?;
        let span = self.span(value);
        let groups = self.group_by_trigger(&triggers, &tags, true)?;
        let mut dispatch = Dispatch::new();
        dispatch.allow_dead_triggers = true;
        for ((trigger, place), members) in triggers.iter().zip(groups) {
            let parts = members.into_iter().map(|index| {
                let tag = &tags[index];
                let begin = tag.begin_text.as_deref().unwrap_or_default();
                let begin = self.marked_text(&begin[trigger.len()..], tag.span);
                self.builder.sequence(vec![begin, tag.rest], tag.span)
            });
            let parts: Vec<ExprId> = parts.collect();
            let part = self.builder.alternatives(parts, *place);
            self.push_trigger(&mut dispatch, trigger, part, *place);
        }
        dispatch.build(self.builder, span)
    }

    fn legacy_tag(&mut self, value: Value<'_>) -> Option<Tag> {
        let span = self.span(value);
        let (begin, _) = self.text_field(value, "begin")?;
        let (end, end_place) = self.text_field(value, "end")?;
        let schema = self.required(value, "schema")?;
        let content = match schema.as_str() {
            Some(text) => {
                let span = self.span(schema);
                self.schema_text(text, &self.config.json_schema.clone(), span)?
            }
            None => self.schema_value(schema, &self.config.json_schema.clone())?,
        };
        let end_place = self.span(end_place);
        let end = self.marked_text(end, end_place);
        let rest = self.builder.sequence(vec![content, end], span);
        let begin_text = Some(begin.to_owned());
        let begin = self.marked_text(begin, span);
        Some(Tag { begin_text, begin_token: None, begin, rest, span })
    }
}
