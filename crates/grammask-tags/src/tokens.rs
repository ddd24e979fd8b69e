//! Formats of tokens, and special tokens that are spelled in texts.

use std::fmt;
use std::sync::Arc;

use grammask_gbnf::dispatch::Dispatch;
use grammask_notation::json::{Kind, Value};
use grammask_notation::special_token;
use grammask_syntax::{ExprId, ExprKind, Span, SpecialMember};
use rustc_hash::FxHashSet;

use crate::format::limited;
use crate::{Around, Format, Translator};

/// Spellings of special tokens, with an index for finding them in texts. A clone shares both.
///
/// ```
/// use grammask_tags::SpecialTokens;
///
/// let tokens: SpecialTokens = ["<a>", "<b>"].into_iter().collect();
/// assert!(tokens.iter().any(|spelling| spelling == "<a>"));
/// ```
///
/// # Complexity
/// Making it takes O(n log n) for n bytes of spellings.
#[derive(Clone, Default)]
pub struct SpecialTokens(Arc<Index>);

struct Index {
    spellings: FxHashSet<Box<str>>,
    /// Their lengths in bytes, descending, each once.
    lengths: Vec<usize>,
    first_bytes: [bool; 256],
}

impl Default for Index {
    fn default() -> Self {
        Self { spellings: FxHashSet::default(), lengths: Vec::new(), first_bytes: [false; 256] }
    }
}

impl<S: Into<Box<str>>> FromIterator<S> for SpecialTokens {
    /// Empty spellings are left out.
    fn from_iter<T: IntoIterator<Item = S>>(spellings: T) -> Self {
        let mut spellings: FxHashSet<Box<str>> = spellings.into_iter().map(S::into).collect();
        spellings.remove("");
        let mut lengths: Vec<usize> = spellings.iter().map(|spelling| spelling.len()).collect();
        lengths.sort_unstable_by(|one, other| other.cmp(one));
        lengths.dedup();
        let mut first_bytes = [false; 256];
        for spelling in &spellings {
            first_bytes[usize::from(spelling.as_bytes()[0])] = true;
        }
        Self(Arc::new(Index { spellings, lengths, first_bytes }))
    }
}

impl fmt::Debug for SpecialTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl SpecialTokens {
    /// Returns the spellings, in any order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.spellings.iter().map(|spelling| &**spelling)
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.spellings.is_empty()
    }

    /// Returns the place and the length of the first special token that is spelled in a text: the longest one
    /// at this place.
    pub(crate) fn first_in(&self, text: &str) -> Option<(usize, usize)> {
        let index = &*self.0;
        let places = text.bytes().enumerate().filter(|&(_, byte)| index.first_bytes[usize::from(byte)]);
        places.map(|(at, _)| at).find_map(|at| {
            let is_special = |&&length: &&usize| {
                text.get(at..at + length).is_some_and(|piece| index.spellings.contains(piece))
            };
            index.lengths.iter().find(is_special).map(|&length| (at, length))
        })
    }
}

impl Translator<'_, '_> {
    /// Returns a text, with special tokens where it spells them.
    pub(crate) fn marked_text(&mut self, text: &str, span: Span) -> ExprId {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((at, length)) = self.specials.first_in(rest) {
            parts.push(self.builder.text(&rest[..at], span));
            parts.push(self.builder.push(special_token(&rest[at..at + length]), span));
            rest = &rest[at + length..];
        }
        parts.push(self.builder.text(rest, span));
        self.builder.sequence(parts, span)
    }

    /// Adds a trigger with what follows it. A trigger that spells a special token is one.
    pub(crate) fn push_trigger(&mut self, dispatch: &mut Dispatch, trigger: &str, part: ExprId, span: Span) {
        if self.specials.first_in(trigger).is_some() {
            let token = self.marked_text(trigger, span);
            dispatch.push_token(token, part);
        } else {
            dispatch.push(trigger, part, span);
        }
    }

    /// Returns the member of a set for a token by its id or name: `{"token": 5}`, `5` or `"<|x|>"`.
    fn token_member(&mut self, value: Value<'_>) -> Option<SpecialMember> {
        let token = match value.kind() {
            Kind::Object(_) => self.required(value, "token")?,
            _ => value,
        };
        match (token.as_i64().map(u32::try_from), token.as_str()) {
            (Some(Ok(id)), _) => Some(SpecialMember::Ids(id, id)),
            (_, Some(name)) if !name.is_empty() => Some(SpecialMember::Name(name.to_owned())),
            _ => self.fail("a token is an id or the name of a special token", token),
        }
    }

    /// Returns the tokens of a field. Empty if the field is missing.
    fn token_members(&mut self, value: Value<'_>, field: &str) -> Option<Vec<SpecialMember>> {
        let Some(found) = value.get(field) else { return Some(Vec::new()) };
        let Some(items) = found.items() else {
            return self.fail(format!("`{field}` must be an array of tokens"), found);
        };
        items.into_iter().map(|item| self.token_member(item)).collect()
    }

    /// Returns `exclude_tokens` of a format and the token at the end of the nearest tag.
    fn excluded_tokens(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Vec<SpecialMember>> {
        let mut members = self.token_members(value, "exclude_tokens")?;
        members.extend(around.end_token.cloned());
        Some(members)
    }

    /// Translates a token, with its member of a set.
    pub(crate) fn token(&mut self, value: Value<'_>) -> Option<(ExprId, SpecialMember)> {
        let member = self.token_member(value)?;
        let span = self.span(value);
        let kind = match &member {
            SpecialMember::Ids(id, _) => ExprKind::SpecialId(*id),
            SpecialMember::Name(name) => special_token(name),
        };
        Some((self.builder.push(kind, span), member))
    }

    /// Translates one token outside of a set, which must be repeated.
    pub(crate) fn exclude_token(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        let members = self.excluded_tokens(value, around)?;
        let span = self.span(value);
        limited(self.builder.other_token(members, span))
    }

    /// Translates any number of tokens outside of a set.
    pub(crate) fn any_tokens(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        let span = self.span(value);
        if self.integer(value, "max_tokens")?.is_some() {
            self.builder.annotation("`max_tokens`", span);
        }
        let is_unlimited = value.get("exclude_tokens").is_none();
        let members = self.excluded_tokens(value, around)?;
        let one = self.builder.any_other_token(members, span);
        Some(Format { expr: self.builder.repeat(one, 0, None, span), is_unlimited })
    }

    /// Translates tokens of which some begin formats.
    pub(crate) fn token_dispatch(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        let mut dispatch = Dispatch::new();
        dispatch.is_loop = self.flag(value, "loop", true)?;
        let mut others = self.excluded_tokens(value, around)?;
        for rule in self.list(value, "rules")? {
            let pair = rule.items().unwrap_or_default();
            let &[token, format] = &pair[..] else {
                return self.fail("a rule is a pair of a token and a format", rule);
            };
            let (token, member) = self.token(token)?;
            let format = self.format(format, around)?;
            dispatch.push_token(token, format.expr);
            others.push(member);
        }
        let span = self.span(value);
        dispatch.other_tokens = Some(others);
        let expr = dispatch.build(self.builder, span)?;
        Some(Format { expr, is_unlimited: true })
    }

    /// Translates tokens of which some begin tags.
    pub(crate) fn token_triggered_tags(&mut self, value: Value<'_>, around: Around<'_>) -> Option<Format> {
        let span = self.span(value);
        self.list(value, "trigger_tokens")?;
        let mut others = self.token_members(value, "trigger_tokens")?;
        let items = self.list(value, "tags")?;
        let tags = self.tags(items)?;
        let at_least_one = self.flag(value, "at_least_one", false)?;
        let mut dispatch = Dispatch::new();
        dispatch.is_loop = !self.flag(value, "stop_after_first", false)?;
        if let Some(tag) = tags.iter().find(|tag| tag.begin_token.is_none()) {
            self.builder.error("a tag triggered by a token begins with a token", tag.span);
            return None;
        }
        for tag in &tags {
            if tag.begin_token.as_ref().is_some_and(|token| !others.contains(token)) {
                let hint = "add its token to `trigger_tokens`";
                self.builder.error_hint("no trigger begins the tag", tag.span, hint);
                return None;
            }
        }
        let parts = tags.iter().map(|tag| self.builder.sequence(vec![tag.begin, tag.rest], tag.span));
        let parts: Vec<ExprId> = parts.collect();
        let one = self.builder.alternatives(parts, span);
        if at_least_one && !dispatch.is_loop {
            return limited(one);
        }
        let one = self.builder.extract("tag", one, span);
        let again = self.builder.copy(one);
        let nothing = self.builder.empty(span);
        dispatch.push_token(again, nothing);
        others.extend(self.excluded_tokens(value, around)?);
        dispatch.other_tokens = Some(others);
        let free = dispatch.build(self.builder, span)?;
        let expr = if at_least_one { self.builder.sequence(vec![one, free], span) } else { free };
        Some(Format { expr, is_unlimited: true })
    }
}
