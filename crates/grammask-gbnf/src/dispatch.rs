//! Free text with triggers: text without any trigger, and the part that follows a trigger, repeatedly.
//!
//! # Source
//!
//! The text runs through the automaton of [Aho and Corasick](https://doi.org/10.1145/360825.360855) of all
//! triggers and excluded texts, started anew after each part. A state is the longest suffix of the text that
//! is a prefix of one of them. The state of a trigger leads to its part, and further only to longer triggers.
//! A state that ends with an excluded text is dead. All other states end free text.

use grammask_notation::Builder;
use grammask_syntax::{ExprId, ExprKind, Span, SpecialMember, Text};

/// Free text with triggers and excluded texts.
///
/// ```
/// use grammask_gbnf::dispatch::Dispatch;
/// use grammask_notation::{Builder, Config};
/// use grammask_syntax::Span;
///
/// let mut builder = Builder::new(&Config::default());
/// let span = Span::default();
/// let call = builder.text("1", span);
/// let mut dispatch = Dispatch::new();
/// dispatch.push("<f>", call, span);
/// let body = dispatch.build(&mut builder, span).unwrap();
/// builder.rule("start", span, body, span);
/// let outcome = builder.finish("start", span)?;
/// assert_eq!(
///     outcome.ast.to_string(),
///     "%start start?;\nstart ::= (#e'(?s-u:.)*<f>' '1')* #ex'<f>'?;\n",
/// );
/// # Ok::<(), grammask_notation::Errors>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dispatch {
    /// Triggers and what follows them.
    triggers: Vec<(String, ExprId, Span)>,
    excludes: Vec<(String, Span)>,
    /// Special tokens, with texts around them if there are some, and what follows them.
    tokens: Vec<(ExprId, ExprId)>,
    /// Tokens that free text does not contain: it contains all other special tokens. `None`, the default: it
    /// contains no special tokens.
    pub other_tokens: Option<Vec<SpecialMember>>,
    /// True if free text goes on behind a part. Default: true.
    pub is_loop: bool,
    /// True if an excluded text may begin a trigger, which then never occurs. Default: false.
    pub allow_dead_triggers: bool,
}

impl Default for Dispatch {
    fn default() -> Self {
        Self::new()
    }
}

impl Dispatch {
    /// Returns free text without triggers.
    pub const fn new() -> Self {
        Self {
            triggers: Vec::new(),
            excludes: Vec::new(),
            tokens: Vec::new(),
            other_tokens: None,
            is_loop: true,
            allow_dead_triggers: false,
        }
    }

    /// Adds a trigger, which is not empty, and the part that follows it.
    pub fn push(&mut self, trigger: &str, part: ExprId, span: Span) {
        self.triggers.push((trigger.to_owned(), part, span));
    }

    /// Adds a special token, alone or with texts around it, and the part that follows it.
    pub fn push_token(&mut self, token: ExprId, part: ExprId) {
        self.tokens.push((token, part));
    }

    /// Excludes a text from free text. It is not empty.
    pub fn exclude(&mut self, text: &str, span: Span) {
        self.excludes.push((text.to_owned(), span));
    }

    /// Returns the language as an expression. May add rules. Returns `None` after reporting an error: if an
    /// excluded text is a prefix of a trigger, or all texts together are too long.
    pub fn build(self, builder: &mut Builder, span: Span) -> Option<ExprId> {
        let bytes = self.triggers.iter().map(|(text, ..)| text.len()).sum::<usize>()
            + self.excludes.iter().map(|(text, _)| text.len()).sum::<usize>();
        let limit = builder.config().limits.max_trigger_bytes;
        if bytes > limit {
            builder.limit("max_trigger_bytes", limit, "bytes of triggers and excluded texts", span);
            return None;
        }
        let patterns = Patterns::new(&self);
        for (trigger, _, place) in &self.triggers {
            match patterns.death(trigger) {
                None => {}
                Some(at) if at == trigger.len() || self.allow_dead_triggers => {
                    builder.note(format!("{trigger:?} never occurs: it contains an excluded text"), *place);
                }
                Some(at) if self.excludes.iter().any(|(text, _)| *text == trigger[..at]) => {
                    let text = &trigger[..at];
                    let place = self.excludes.iter().find(|(one, _)| one == text).map_or(*place, |one| one.1);
                    let message = format!("the excluded text {text:?} begins the trigger {trigger:?}");
                    builder.error_hint(message, place, "remove one of them: the trigger could never occur");
                    return None;
                }
                Some(_) => {
                    builder.note(format!("{trigger:?} never occurs: it contains an excluded text"), *place);
                }
            }
        }
        let parts: Vec<(usize, ExprId)> = self.parts(&patterns, builder, span);
        let tokens = self.tokens.iter().map(|&(token, part)| builder.sequence(vec![token, part], span));
        let tokens: Vec<ExprId> = tokens.collect();
        Some(if patterns.triggers.is_empty() && patterns.excludes.is_empty() {
            let free = match &self.other_tokens {
                None => builder.regex("(?s-u:.)*", span),
                Some(members) => {
                    let one = builder.any_other_token(members.clone(), span);
                    builder.repeat(one, 0, None, span)
                }
            };
            with_tokens(free, Vec::new(), tokens, self.is_loop, builder, span)
        } else if patterns.is_simple() {
            simple(&patterns, parts, tokens, self.is_loop, builder, span)
        } else {
            automaton(&patterns, parts, tokens, self.is_loop, builder, span)
        })
    }

    /// Returns the part of each distinct trigger, by its index.
    fn parts(&self, patterns: &Patterns, builder: &mut Builder, span: Span) -> Vec<(usize, ExprId)> {
        let mut parts: Vec<Vec<ExprId>> = vec![Vec::new(); patterns.triggers.len()];
        let indices = patterns.triggers.iter().enumerate().map(|(index, text)| (text.as_str(), index));
        let indices: rustc_hash::FxHashMap<&str, usize> = indices.collect();
        for (trigger, part, _) in &self.triggers {
            parts[indices[trigger.as_str()]].push(*part);
        }
        let alternatives = parts.into_iter().enumerate();
        alternatives.map(|(index, parts)| (index, builder.alternatives(parts, span))).collect()
    }
}

/// The distinct triggers and excluded texts.
struct Patterns {
    triggers: Vec<String>,
    excludes: Vec<String>,
    states: Vec<State>,
}

impl Patterns {
    fn new(dispatch: &Dispatch) -> Self {
        let mut triggers: Vec<String> = Vec::new();
        let mut known = rustc_hash::FxHashSet::default();
        for (trigger, ..) in &dispatch.triggers {
            if known.insert(trigger.as_str()) {
                triggers.push(trigger.clone());
            }
        }
        let mut excludes: Vec<String> = dispatch.excludes.iter().map(|(text, _)| text.clone()).collect();
        excludes.sort();
        excludes.dedup();
        let states = states(&triggers, &excludes);
        Self { triggers, excludes, states }
    }

    /// Returns the length of the shortest prefix of a pattern that ends with an excluded text.
    fn death(&self, text: &str) -> Option<usize> {
        let mut at = 0;
        text.bytes()
            .position(|byte| {
                at = child(&self.states, at, byte).unwrap_or(0);
                self.states[at].is_dead
            })
            .map(|index| index + 1)
    }

    /// Returns true if a trigger can never occur.
    fn is_dead(&self, trigger: &str) -> bool {
        self.death(trigger).is_some()
    }

    fn all(&self) -> impl Iterator<Item = &str> {
        self.triggers.iter().chain(&self.excludes).map(String::as_str)
    }

    /// Returns true if the first occurrence of any pattern decides: no pattern but a trigger's own end
    /// contains a trigger.
    fn is_simple(&self) -> bool {
        if self.triggers.len() > MAX_SIMPLE_TRIGGERS {
            return false;
        }
        self.all().all(|pattern| {
            let is_inside = |trigger: &String| {
                pattern.match_indices(trigger.as_str()).any(|(at, _)| at + trigger.len() < pattern.len())
            };
            !self.triggers.iter().any(is_inside)
        })
    }
}

/// Number of triggers up to which each one gets an intersection of its own.
const MAX_SIMPLE_TRIGGERS: usize = 8;

/// Returns the language where the first occurrence of any pattern decides.
fn simple(
    patterns: &Patterns,
    parts: Vec<(usize, ExprId)>,
    tokens: Vec<ExprId>,
    is_loop: bool,
    builder: &mut Builder,
    span: Span,
) -> ExprId {
    let all: Vec<String> = patterns.all().map(escape).collect();
    let any = all.join("|");
    let mut branches = Vec::new();
    for (index, part) in parts {
        let trigger = &patterns.triggers[index];
        if patterns.is_dead(trigger) {
            continue;
        }
        let own = escape(trigger);
        // Longer patterns that end with the trigger win.
        let longer: Vec<String> = patterns
            .all()
            .filter(|other| other.len() > trigger.len() && other.ends_with(trigger.as_str()))
            .map(escape)
            .collect();
        let free = if patterns.triggers.len() == 1 && patterns.excludes.is_empty() {
            builder.prefix_minimal(&format!("(?s-u:.)*{own}"), span)
        } else {
            let first = builder.prefix_minimal(&format!("(?s-u:.)*(?:{any})"), span);
            let own = builder.regex(&format!("(?s-u:.)*{own}"), span);
            let mut operands = vec![first, own];
            if !longer.is_empty() {
                let longer = builder.regex(&format!("(?s-u:.)*(?:{})", longer.join("|")), span);
                operands.push(builder.not(longer, span));
            }
            builder.and(operands, span)
        };
        branches.push(builder.sequence(vec![free, part], span));
    }
    let without = builder.push(ExprKind::NotContaining(any.into()), span);
    let tail = builder.optional(without, span);
    with_tokens(tail, branches, tokens, is_loop, builder, span)
}

/// Returns free text with parts: `branches` are free text up to a part, with the part; `tokens` are parts
/// that begin with a token, which ends free text.
fn with_tokens(
    free: ExprId,
    mut branches: Vec<ExprId>,
    tokens: Vec<ExprId>,
    is_loop: bool,
    builder: &mut Builder,
    span: Span,
) -> ExprId {
    if !tokens.is_empty() {
        let before = builder.copy(free);
        let token = builder.alternatives(tokens, span);
        branches.push(builder.sequence(vec![before, token], span));
    }
    if branches.is_empty() {
        return free;
    }
    let branches = builder.alternatives(branches, span);
    if is_loop {
        let repeated = builder.repeat(branches, 0, None, span);
        builder.sequence(vec![repeated, free], span)
    } else {
        builder.alternatives(vec![branches, free], span)
    }
}

/// A state of the automaton: a prefix of a pattern.
#[derive(Default)]
struct State {
    children: Vec<(u8, usize)>,
    /// The state of the longest proper suffix.
    suffix: usize,
    trigger: Option<usize>,
    is_dead: bool,
}

fn child(states: &[State], state: usize, byte: u8) -> Option<usize> {
    states[state].children.iter().find(|(one, _)| *one == byte).map(|(_, child)| *child)
}

/// Returns the automaton of the patterns.
fn states(triggers: &[String], excludes: &[String]) -> Vec<State> {
    let mut states = vec![State::default()];
    let count = triggers.len();
    for (index, pattern) in triggers.iter().chain(excludes).enumerate() {
        let mut at = 0;
        for byte in pattern.bytes() {
            at = child(&states, at, byte).unwrap_or_else(|| {
                states.push(State::default());
                let new = states.len() - 1;
                states[at].children.push((byte, new));
                new
            });
        }
        if index < count {
            states[at].trigger = Some(index);
        } else {
            states[at].is_dead = true;
        }
    }
    let mut queue = std::collections::VecDeque::from([0]);
    while let Some(at) = queue.pop_front() {
        for (byte, next) in states[at].children.clone() {
            queue.push_back(next);
            let mut suffix = states[at].suffix;
            if at != 0 {
                states[next].suffix = loop {
                    match child(&states, suffix, byte) {
                        Some(found) => break found,
                        None if suffix == 0 => break 0,
                        None => suffix = states[suffix].suffix,
                    }
                };
            }
            let end = states[next].suffix;
            states[next].is_dead |= states[end].is_dead;
        }
    }
    states
}

/// Returns the transitions of a state that is not a trigger, without those to dead states: the exceptions,
/// and the bytes that lead to the start are the others.
fn transitions(states: &[State], state: usize) -> Vec<(u8, usize)> {
    let mut found: Vec<(u8, usize)> = Vec::new();
    let mut at = state;
    loop {
        for &(byte, next) in &states[at].children {
            if !found.iter().any(|(known, _)| *known == byte) {
                found.push((byte, next));
            }
        }
        if at == 0 {
            break;
        }
        at = states[at].suffix;
    }
    found.sort_unstable();
    found
}

/// Returns the language as one rule for each state of the automaton.
fn automaton(
    patterns: &Patterns,
    parts: Vec<(usize, ExprId)>,
    tokens: Vec<ExprId>,
    is_loop: bool,
    builder: &mut Builder,
    span: Span,
) -> ExprId {
    let states = &patterns.states;
    let names: Vec<Text> = states.iter().map(|_| builder.fresh("free_text")).collect();
    let parts: Vec<ExprId> = parts
        .into_iter()
        .map(|(_, part)| match builder.kind(part) {
            ExprKind::Nonterminal(_) => part,
            _ => builder.extract("dispatched", part, span),
        })
        .collect();
    let token = (!tokens.is_empty()).then(|| {
        let token = builder.alternatives(tokens, span);
        builder.extract("token", token, span)
    });
    for (index, state) in states.iter().enumerate() {
        if state.is_dead {
            continue;
        }
        let edges = match state.trigger {
            Some(_) => state.children.clone(),
            None => transitions(states, index),
        };
        let mut alternatives = Vec::new();
        for &(byte, next) in edges.iter().filter(|(_, next)| !states[*next].is_dead) {
            let byte = builder.regex(&format!("(?-u:\\x{byte:02X})"), span);
            let next = builder.name(&names[next], span);
            alternatives.push(builder.sequence(vec![byte, next], span));
        }
        if let Some(trigger) = state.trigger {
            let part = builder.copy(parts[trigger]);
            let next = if is_loop { builder.name(&names[0], span) } else { builder.empty(span) };
            alternatives.push(builder.sequence(vec![part, next], span));
        } else {
            let listed: String = edges.iter().map(|(byte, _)| format!("\\x{byte:02X}")).collect();
            let others = if index == 0 { "+" } else { "" };
            let others = builder.regex(&format!("(?s-u:[^{listed}]{others})"), span);
            let next = builder.name(&names[0], span);
            alternatives.push(builder.sequence(vec![others, next], span));
            if let Some(token) = token {
                let token = builder.copy(token);
                let next = if is_loop { builder.name(&names[0], span) } else { builder.empty(span) };
                alternatives.push(builder.sequence(vec![token, next], span));
            }
            alternatives.push(builder.empty(span));
        }
        let body = builder.alternatives(alternatives, span);
        builder.rule(&names[index], span, body, span);
    }
    builder.name(&names[0], span)
}

/// Returns a text as a regex.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '!'..='/' | ':'..='@' | '['..='`' | '{'..='~' if !matches!(char, '<' | '>' | '_' | '/') => {
                out.push('\\');
                out.push(char);
            }
            _ => out.push(char),
        }
    }
    out
}

/// Returns any number of consecutive chunks, also none.
pub(crate) fn substrings(builder: &mut Builder, chunks: &[(&str, Span)], span: Span) -> ExprId {
    let is_char = |text: &str| text.chars().nth(1).is_none();
    if chunks.iter().all(|(text, _)| is_char(text)) {
        let text: String = chunks.iter().map(|(text, _)| *text).collect();
        return builder.push(ExprKind::Substrings(text.into()), span);
    }
    // From the end: `rest` is the empty text, or a chunk and the rest after it.
    let names: Vec<Text> = chunks.iter().map(|_| builder.fresh("substring")).collect();
    for (index, (text, place)) in chunks.iter().enumerate() {
        let mut parts = vec![builder.text(text, *place)];
        if let Some(next) = names.get(index + 1) {
            let next = builder.name(next, *place);
            parts.push(builder.optional(next, *place));
        }
        let body = builder.sequence(parts, *place);
        builder.rule(&names[index], *place, body, *place);
    }
    let mut all: Vec<ExprId> = names.iter().map(|name| builder.name(name, span)).collect();
    all.push(builder.empty(span));
    builder.alternatives(all, span)
}
