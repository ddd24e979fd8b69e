//! The regular parts of a grammar under work: each once, operands before what is made of them, languages on demand.

use std::hash::{Hash, Hasher};

use grammask_regular::{Error, RegularId, Store};
use grammask_syntax::{Span, Text};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use crate::cancellation::Stop;
use crate::form::lower::{combine, literal_set};
use crate::form::{Terminal, TerminalId};

/// No further terminal with the same hash.
const LAST: u32 = u32::MAX;

/// An arena of terminals without duplicates.
#[derive(Clone, Debug)]
pub(crate) struct Terminals {
    list: Vec<Terminal>,
    /// Where a terminal stood first.
    spans: Vec<Span>,
    /// How large the terminal is when written out: texts in bytes, operands in full.
    weights: Vec<usize>,
    /// The language, once asked for.
    lowered: Vec<Option<RegularId>>,
    /// By hash: the newest terminal; `older` chains the others. The terminals themselves stand only once.
    newest: FxHashMap<u64, u32>,
    older: Vec<u32>,
    /// What a look at each terminal shows; see [`IS_TEXT`].
    traits: Vec<u8>,
    /// How many have [`HAS_TEXTS`].
    with_texts: usize,
    /// How many of these the pass that merges texts has seen.
    pub merged: usize,
    /// What is left to lower; kept for its room.
    stack: Vec<TerminalId>,
}

/// A text.
pub(crate) const IS_TEXT: u8 = 1;
/// The empty text.
pub(crate) const IS_EMPTY_TEXT: u8 = 2;
/// `json!(x)`.
pub(crate) const IS_JSON: u8 = 4;
/// A sequence in which two texts follow each other.
pub(crate) const HAS_TEXTS: u8 = 8;

/// The kinds of terminals that are nothing but a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Written {
    Text,
    Regex,
    Early,
    Without,
    Substrings,
}

impl Terminals {
    /// With room for so many.
    pub fn with_capacity(count: usize) -> Self {
        Self {
            list: Vec::with_capacity(count),
            spans: Vec::with_capacity(count),
            weights: Vec::with_capacity(count),
            lowered: Vec::with_capacity(count),
            newest: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
            older: Vec::with_capacity(count),
            traits: Vec::with_capacity(count),
            with_texts: 0,
            merged: 0,
            stack: Vec::new(),
        }
    }

    /// Makes room for so many more.
    pub fn reserve(&mut self, more: usize) {
        self.list.reserve(more);
        self.spans.reserve(more);
        self.weights.reserve(more);
        self.lowered.reserve(more);
        self.newest.reserve(more);
        self.older.reserve(more);
        self.traits.reserve(more);
    }

    pub fn as_slice(&self) -> &[Terminal] {
        &self.list
    }

    /// The terminals, and the languages that have been made.
    pub fn into_parts(self) -> (Vec<Terminal>, Vec<Option<RegularId>>) {
        (self.list, self.lowered)
    }

    pub fn get(&self, id: TerminalId) -> &Terminal {
        &self.list[id.index()]
    }

    pub const fn len(&self) -> usize {
        self.list.len()
    }

    pub fn span(&self, id: TerminalId) -> Span {
        self.spans[id.index()]
    }

    /// How large the terminal is when written out.
    pub fn weight(&self, id: TerminalId) -> usize {
        self.weights[id.index()]
    }

    /// The id of a terminal; one that is there already keeps its place.
    pub fn intern(&mut self, terminal: Terminal, span: Span) -> TerminalId {
        let mut hasher = FxHasher::default();
        match written(&terminal) {
            Some(written) => written.hash(&mut hasher),
            None => terminal.hash(&mut hasher),
        }
        let hash = hasher.finish();
        match self.find(hash, |other| *other == terminal) {
            Some(known) => known,
            None => self.add(terminal, hash, span),
        }
    }

    /// The same for one that is nothing but a string, which is copied only if it is new.
    pub fn intern_written(&mut self, kind: Written, text: &Text, span: Span) -> TerminalId {
        let mut hasher = FxHasher::default();
        (kind, text).hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.find(hash, |other| written(other) == Some((kind, text))) {
            return known;
        }
        let text = text.clone();
        let terminal = match kind {
            Written::Text => Terminal::Text(text),
            Written::Regex => Terminal::Regex(text),
            Written::Early => Terminal::Early(text),
            Written::Without => Terminal::Without(text),
            Written::Substrings => Terminal::Substrings(text),
        };
        self.add(terminal, hash, span)
    }

    fn find(&self, hash: u64, is_same: impl Fn(&Terminal) -> bool) -> Option<TerminalId> {
        let mut at = *self.newest.get(&hash)?;
        while at != LAST {
            if is_same(&self.list[at as usize]) {
                return Some(TerminalId(at));
            }
            at = self.older[at as usize];
        }
        None
    }

    fn add(&mut self, terminal: Terminal, hash: u64, span: Span) -> TerminalId {
        let id = TerminalId(u32::try_from(self.list.len()).expect("fewer than 2^32 terminals"));
        let own = match &terminal {
            Terminal::Text(text) | Terminal::Substrings(text) => text.len(),
            Terminal::Regex(pattern) | Terminal::Early(pattern) | Terminal::Without(pattern) => pattern.len(),
            Terminal::Except(except) => except.texts.len(),
            _ => 1,
        };
        let weight = terminal.operands().iter().fold(own, |sum, id| sum.saturating_add(self.weight(*id)));
        self.list.push(terminal);
        self.spans.push(span);
        self.weights.push(weight);
        self.lowered.push(None);
        self.older.push(self.newest.insert(hash, id.0).unwrap_or(LAST));
        let traits = self.look_at(id);
        self.with_texts += usize::from(traits & HAS_TEXTS != 0);
        self.traits.push(traits);
        id
    }

    fn look_at(&self, id: TerminalId) -> u8 {
        let is_text = |id: &TerminalId| self.traits[id.index()] & IS_TEXT != 0;
        match self.get(id) {
            Terminal::Text(text) if text.is_empty() => IS_TEXT | IS_EMPTY_TEXT,
            Terminal::Text(_) => IS_TEXT,
            Terminal::Json(_) => IS_JSON,
            Terminal::Sequence(parts)
                if parts.windows(2).any(|pair| is_text(&pair[0]) && is_text(&pair[1])) =>
            {
                HAS_TEXTS
            }
            _ => 0,
        }
    }

    /// What a look at the terminal shows, as flags.
    pub fn traits(&self, id: TerminalId) -> u8 {
        self.traits[id.index()]
    }

    /// How many terminals are sequences in which two texts follow each other.
    pub const fn with_texts(&self) -> usize {
        self.with_texts
    }

    /// `a b c`, as little of it as there is: the parts themselves for one, the empty text for none.
    pub fn sequence(&mut self, mut parts: Vec<TerminalId>, span: Span) -> TerminalId {
        parts.retain(|&part| !self.is_empty_text(part));
        match parts[..] {
            [] => self.intern(Terminal::Text(String::new().into()), span),
            [part] => part,
            _ => self.intern(Terminal::Sequence(parts.into()), span),
        }
    }

    /// `a{min,max}`, or what it comes to where that is simpler.
    pub fn repeat(&mut self, terminal: TerminalId, min: u32, max: Option<u32>, span: Span) -> TerminalId {
        if max == Some(0) || self.is_empty_text(terminal) {
            self.intern(Terminal::Text(String::new().into()), span)
        } else if (min, max) == (1, Some(1)) {
            terminal
        } else {
            self.intern(Terminal::Repeat { terminal, min, max }, span)
        }
    }

    pub fn is_empty_text(&self, id: TerminalId) -> bool {
        self.traits(id) & IS_EMPTY_TEXT != 0
    }

    /// Forgets the languages: they are made anew, in whatever store.
    pub fn forget_languages(&mut self) {
        self.lowered.fill(None);
    }

    /// The language of a terminal; `None` for a special token.
    pub fn lower(&mut self, id: TerminalId, store: &mut Store) -> Result<Option<RegularId>, Error> {
        self.lower_unless(id, store, || false)
    }

    /// The same, unless somebody who is asked where many texts are alternatives says to stop: nothing then.
    pub fn lower_unless(
        &mut self,
        id: TerminalId,
        store: &mut Store,
        mut is_stopped: impl FnMut() -> bool,
    ) -> Result<Option<RegularId>, Error> {
        if self.lowered[id.index()].is_some() {
            return Ok(self.lowered[id.index()]);
        }
        self.stack.clear();
        self.stack.push(id);
        while let Some(&top) = self.stack.last() {
            let terminal = &self.list[top.index()];
            if self.lowered[top.index()].is_some() || terminal.is_special() {
                self.stack.pop();
                continue;
            }
            if let Some(texts) = literal_set(&self.list, top) {
                match store.cancellable(&mut is_stopped).literals(texts.iter().copied())? {
                    Some(language) => self.lowered[top.index()] = Some(language),
                    None => return Ok(None),
                }
                continue;
            }
            let pending = self.stack.len();
            self.stack.extend(terminal.operands().iter().filter(|id| self.lowered[id.index()].is_none()));
            if self.stack.len() == pending {
                let operand =
                    |id: TerminalId| self.lowered[id.index()].expect("no operand is a special token");
                self.lowered[top.index()] = combine(terminal, operand, store)?;
            }
        }
        Ok(self.lowered[id.index()])
    }

    /// Makes the language of many texts that are alternatives, so that it is only looked up afterwards; whether nobody has stopped it. What is wrong
    /// with it is told then.
    pub fn lowers_texts(&mut self, id: TerminalId, store: &mut Store, stop: &mut Stop<'_>) -> bool {
        if self.lowered[id.index()].is_some() {
            return true;
        }
        let Some(texts) = literal_set(&self.list, id) else { return true };
        match store.cancellable(|| stop.is_stopped()).literals(texts.iter().copied()) {
            Ok(Some(language)) => self.lowered[id.index()] = Some(language),
            Ok(None) => return false,
            Err(_) => {}
        }
        true
    }

    /// For every terminal: does it contain the empty string?
    pub fn nullable(&mut self, store: &mut Store) -> Result<Vec<bool>, (Error, Span)> {
        let mut nullable = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let id = TerminalId(index as u32);
            let of = |id: &TerminalId| -> bool { nullable[id.index()] };
            let answer = match self.get(id) {
                Terminal::Text(text) => text.is_empty(),
                Terminal::Regex(_) => {
                    let language = self.lower(id, store).map_err(|error| (error, self.span(id)))?;
                    language.is_some_and(|language| store.is_nullable(language))
                }
                Terminal::Substrings(_) => true,
                Terminal::Early(_) | Terminal::Without(_) | Terminal::Except(_) => false,
                Terminal::Multiple(_) | Terminal::Compared(..) => false,
                Terminal::Json(operand) => of(operand),
                Terminal::SpecialName(_) | Terminal::SpecialId(_) => false,
                Terminal::Sequence(operands) | Terminal::And(operands) => operands.iter().all(of),
                Terminal::Alternatives(operands) => operands.iter().any(of),
                Terminal::Repeat { terminal, min, .. } => *min == 0 || of(terminal),
                Terminal::Not(operand) => !of(operand),
            };
            nullable.push(answer);
        }
        Ok(nullable)
    }

    /// Whether it is a text that is no matter of limits.
    pub fn is_short_text(&self, id: TerminalId) -> bool {
        const SHORT: usize = 1 << 12;
        matches!(self.get(id), Terminal::Text(text) if text.len() <= SHORT)
    }

    /// Whether it is seen without its language that it contains a string: a text, its spellings, or such one after the other.
    fn is_text_anyhow(&self, id: TerminalId) -> bool {
        let is_text = |id: TerminalId| match self.get(id) {
            Terminal::Text(_) => true,
            Terminal::Json(operand) => matches!(self.get(*operand), Terminal::Text(_)),
            _ => false,
        };
        match self.get(id) {
            Terminal::Sequence(operands) => operands.iter().all(|&operand| is_text(operand)),
            _ => is_text(id),
        }
    }

    /// Does the terminal contain no string at all?
    pub fn is_empty(&mut self, id: TerminalId, store: &mut Store) -> Result<bool, Error> {
        match self.get(id) {
            Terminal::Text(_)
            | Terminal::Substrings(_)
            | Terminal::Multiple(_)
            | Terminal::SpecialName(_)
            | Terminal::SpecialId(_) => Ok(false),
            Terminal::Alternatives(_) if literal_set(&self.list, id).is_some() => Ok(false),
            _ if self.is_text_anyhow(id) => Ok(false),
            _ => match self.lower(id, store)? {
                Some(language) => store.is_empty(language),
                None => Ok(false),
            },
        }
    }

    /// What is left of a nullable terminal without the empty string; `None` where that is nothing.
    pub fn without_empty(
        &mut self,
        id: TerminalId,
        nullable: &[bool],
        store: &mut Store,
    ) -> Result<Option<TerminalId>, Error> {
        let span = self.span(id);
        let nullable = |id: TerminalId| nullable.get(id.index()).copied().unwrap_or(false);
        let rest = match self.get(id) {
            Terminal::Text(_) => return Ok(None),
            Terminal::Repeat { terminal, min: 0, max } if !nullable(*terminal) => {
                let (terminal, max) = (*terminal, *max);
                self.repeat(terminal, 1, max, span)
            }
            terminal => {
                let mut operands = match terminal {
                    Terminal::And(operands) => operands.to_vec(),
                    _ => vec![id],
                };
                let empty = self.intern(Terminal::Text(String::new().into()), span);
                operands.push(self.intern(Terminal::Not(empty), span));
                self.intern(Terminal::And(operands.into()), span)
            }
        };
        Ok(if self.is_empty(rest, store)? { None } else { Some(rest) })
    }
}

/// The kind and the string of a terminal that is nothing but a string.
fn written(terminal: &Terminal) -> Option<(Written, &Text)> {
    match terminal {
        Terminal::Text(text) => Some((Written::Text, text)),
        Terminal::Regex(text) => Some((Written::Regex, text)),
        Terminal::Early(text) => Some((Written::Early, text)),
        Terminal::Without(text) => Some((Written::Without, text)),
        Terminal::Substrings(text) => Some((Written::Substrings, text)),
        _ => None,
    }
}
