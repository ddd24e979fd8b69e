//! The terminals of a grammar: hash-consed, operands before their uses, and compiled to languages on demand.

use std::hash::{Hash, Hasher};

use grammask_regular::{Error, RegularId, Store};
use grammask_syntax::{Span, Text};
use grammask_work::narrow;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};

use crate::cancellation::Cancellation;
use crate::form::lower::{combine, literal_set};
use crate::form::{Terminal, TerminalId};

/// End of a chain of terminals with equal hashes.
const END_OF_CHAIN: u32 = u32::MAX;

/// A hash-consed arena of terminals.
#[derive(Clone, Debug)]
pub(crate) struct Terminals {
    list: Vec<Terminal>,
    /// By terminal: the place of its first occurrence.
    spans: Vec<Span>,
    /// By terminal: see [`weight`](Self::weight).
    weights: Vec<usize>,
    /// By terminal: the number of parts that are concatenated when it is compiled, at most.
    lengths: Vec<u64>,
    /// By terminal: its language. `None` if it is not compiled yet.
    lowered: Vec<Option<RegularId>>,
    /// By hash: the newest terminal with it. `older` chains the others, so that `list` alone owns the
    /// terminals.
    newest: FxHashMap<u64, u32>,
    older: Vec<u32>,
    /// By terminal: flags of its kind, from [`IS_TEXT`] on.
    traits: Vec<u8>,
    /// Number of terminals with [`HAS_ADJACENT_TEXTS`].
    with_adjacent_texts: usize,
    /// The value of `with_adjacent_texts` when `merge_consecutive_terminals` last ran.
    pub merged: usize,
    /// Terminals still to be compiled; empty between calls, and kept for its capacity.
    stack: Vec<TerminalId>,
}

/// Flag: the terminal is a text.
pub(crate) const IS_TEXT: u8 = 1;
/// Flag: the terminal is the empty text.
pub(crate) const IS_EMPTY_TEXT: u8 = 2;
/// Flag: the terminal is `json!(x)`, with any escapes.
pub(crate) const IS_JSON: u8 = 4;
/// Flag: the terminal is a sequence with two adjacent texts.
pub(crate) const HAS_ADJACENT_TEXTS: u8 = 8;

/// The kinds of terminals that consist of one string.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StringKind {
    Text,
    Regex,
    Early,
    Without,
    Substrings,
}

impl Terminals {
    /// Creates an arena with room for `count` terminals.
    pub fn with_capacity(count: usize) -> Self {
        Self {
            list: Vec::with_capacity(count),
            spans: Vec::with_capacity(count),
            weights: Vec::with_capacity(count),
            lengths: Vec::with_capacity(count),
            lowered: Vec::with_capacity(count),
            newest: FxHashMap::with_capacity_and_hasher(count, FxBuildHasher),
            older: Vec::with_capacity(count),
            traits: Vec::with_capacity(count),
            with_adjacent_texts: 0,
            merged: 0,
            stack: Vec::new(),
        }
    }

    /// Makes room for `more` further terminals.
    pub fn reserve(&mut self, more: usize) {
        self.list.reserve(more);
        self.spans.reserve(more);
        self.weights.reserve(more);
        self.lengths.reserve(more);
        self.lowered.reserve(more);
        self.newest.reserve(more);
        self.older.reserve(more);
        self.traits.reserve(more);
    }

    pub fn as_slice(&self) -> &[Terminal] {
        &self.list
    }

    /// Returns the terminals, and the languages that are compiled.
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

    /// Returns the approximate size of the terminal when printed: the bytes of its texts and patterns, and 1
    /// for any other terminal. Operands are counted at each use.
    pub fn weight(&self, id: TerminalId) -> usize {
        self.weights[id.index()]
    }

    /// Returns the number of parts that are concatenated when the terminal is compiled, at most.
    pub fn length(&self, id: TerminalId) -> u64 {
        self.lengths[id.index()]
    }

    /// Interns a terminal. If it is in the arena already, `span` is ignored.
    pub fn intern(&mut self, terminal: Terminal, span: Span) -> TerminalId {
        let mut hasher = FxHasher::default();
        match as_string(&terminal) {
            Some(string) => string.hash(&mut hasher),
            None => terminal.hash(&mut hasher),
        }
        let hash = hasher.finish();
        match self.find(hash, |other| *other == terminal) {
            Some(known) => known,
            None => self.add(terminal, hash, span),
        }
    }

    /// Interns a terminal that consists of one string, which is copied only if the terminal is new.
    pub fn intern_string(&mut self, kind: StringKind, text: &Text, span: Span) -> TerminalId {
        let mut hasher = FxHasher::default();
        (kind, text).hash(&mut hasher);
        let hash = hasher.finish();
        if let Some(known) = self.find(hash, |other| as_string(other) == Some((kind, text))) {
            return known;
        }
        let text = text.clone();
        let terminal = match kind {
            StringKind::Text => Terminal::Text(text),
            StringKind::Regex => Terminal::Regex(text),
            StringKind::Early => Terminal::Early(text),
            StringKind::Without => Terminal::Without(text),
            StringKind::Substrings => Terminal::Substrings(text),
        };
        self.add(terminal, hash, span)
    }

    fn find(&self, hash: u64, is_same: impl Fn(&Terminal) -> bool) -> Option<TerminalId> {
        let mut at = *self.newest.get(&hash)?;
        while at != END_OF_CHAIN {
            if is_same(&self.list[at as usize]) {
                return Some(TerminalId(at));
            }
            at = self.older[at as usize];
        }
        None
    }

    /// Appends a terminal that is not in the arena yet.
    fn add(&mut self, terminal: Terminal, hash: u64, span: Span) -> TerminalId {
        let id = TerminalId(u32::try_from(self.list.len()).expect("fewer than 2^32 terminals"));
        let own = match &terminal {
            Terminal::Text(text) | Terminal::Substrings(text) => text.len(),
            Terminal::Regex(pattern) | Terminal::Early(pattern) | Terminal::Without(pattern) => pattern.len(),
            Terminal::Except(except) => except.texts.len(),
            Terminal::ChunkRuns(chunks) => {
                chunks.iter().fold(0, |sum, chunk| chunk.len().saturating_add(sum))
            }
            _ => 1,
        };
        let weight = terminal.operands().iter().fold(own, |sum, id| sum.saturating_add(self.weight(*id)));
        let length = match &terminal {
            Terminal::Text(text) | Terminal::Regex(text) => text.len() as u64,
            Terminal::Sequence(parts) => {
                parts.iter().fold(0, |sum: u64, part| sum.saturating_add(self.length(*part)))
            }
            _ => 1,
        };
        self.lengths.push(length);
        self.list.push(terminal);
        self.spans.push(span);
        self.weights.push(weight);
        self.lowered.push(None);
        self.older.push(self.newest.insert(hash, id.0).unwrap_or(END_OF_CHAIN));
        let traits = self.classify(id);
        self.with_adjacent_texts += usize::from(traits & HAS_ADJACENT_TEXTS != 0);
        self.traits.push(traits);
        id
    }

    /// Computes the flags of a terminal whose operands have theirs.
    fn classify(&self, id: TerminalId) -> u8 {
        let is_text = |id: &TerminalId| self.traits[id.index()] & IS_TEXT != 0;
        match self.get(id) {
            Terminal::Text(text) if text.is_empty() => IS_TEXT | IS_EMPTY_TEXT,
            Terminal::Text(_) => IS_TEXT,
            Terminal::Json(..) => IS_JSON,
            Terminal::Sequence(parts)
                if parts.windows(2).any(|pair| is_text(&pair[0]) && is_text(&pair[1])) =>
            {
                HAS_ADJACENT_TEXTS
            }
            _ => 0,
        }
    }

    /// Returns the flags of the terminal.
    pub fn traits(&self, id: TerminalId) -> u8 {
        self.traits[id.index()]
    }

    /// Returns the number of sequences with two adjacent texts.
    pub const fn with_adjacent_texts(&self) -> usize {
        self.with_adjacent_texts
    }

    /// Interns `a b c` without its empty texts. One part is returned as it is; no parts are the empty text.
    pub fn sequence(&mut self, mut parts: Vec<TerminalId>, span: Span) -> TerminalId {
        parts.retain(|&part| !self.is_empty_text(part));
        match parts[..] {
            [] => self.intern(Terminal::Text(String::new().into()), span),
            [part] => part,
            _ => self.intern(Terminal::Sequence(parts.into()), span),
        }
    }

    /// Interns `a{min,max}`, or something simpler that is equal.
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

    /// Forgets the compiled languages, so that another store can be used.
    pub fn forget_languages(&mut self) {
        self.lowered.fill(None);
    }

    /// Compiles a terminal. Returns `Ok(None)` for a special token.
    pub fn lower(&mut self, id: TerminalId, store: &mut Store) -> Result<Option<RegularId>, Error> {
        self.lower_cancellable(id, store, || false)
    }

    /// Compiles a terminal. Returns `Ok(None)` for a special token, or if cancelled.
    ///
    /// Only large sets of texts are slow enough to poll `is_cancelled`.
    pub fn lower_cancellable(
        &mut self,
        id: TerminalId,
        store: &mut Store,
        mut is_cancelled: impl FnMut() -> bool,
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
                match store.cancellable(&mut is_cancelled).literals(texts.iter().copied())? {
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

    /// Compiles the language of a terminal whose alternatives are all texts. Returns false if cancelled.
    ///
    /// Ignores errors, as compiling the terminal again reports them.
    pub fn lower_literal_set(
        &mut self,
        id: TerminalId,
        store: &mut Store,
        cancellation: &mut Cancellation<'_>,
    ) -> bool {
        if self.lowered[id.index()].is_some() {
            return true;
        }
        let Some(texts) = literal_set(&self.list, id) else { return true };
        match store.cancellable(|| cancellation.is_cancelled()).literals(texts.iter().copied()) {
            Ok(Some(language)) => self.lowered[id.index()] = Some(language),
            Ok(None) => return false,
            Err(_) => {}
        }
        true
    }

    /// Returns, for each terminal, true if it contains the empty string.
    pub fn nullable(&mut self, store: &mut Store) -> Result<Vec<bool>, (Error, Span)> {
        let mut nullable = Vec::with_capacity(self.len());
        for index in 0..self.len() {
            let id = TerminalId(narrow(index));
            let of = |id: &TerminalId| -> bool { nullable[id.index()] };
            let is_nullable = match self.get(id) {
                Terminal::Text(text) => text.is_empty(),
                Terminal::Regex(_) => {
                    let language = self.lower(id, store).map_err(|error| (error, self.span(id)))?;
                    language.is_some_and(|language| store.is_nullable(language))
                }
                Terminal::Substrings(_) | Terminal::ChunkRuns(_) => true,
                Terminal::Early(_) | Terminal::Without(_) | Terminal::Except(_) => false,
                Terminal::Multiple(_) | Terminal::Compared(..) => false,
                Terminal::Json(operand, _) => of(operand),
                Terminal::SpecialName(_) | Terminal::SpecialId(_) | Terminal::SpecialSet(_) => false,
                Terminal::Sequence(operands) | Terminal::And(operands) => operands.iter().all(of),
                Terminal::Alternatives(operands) => operands.iter().any(of),
                Terminal::Repeat { terminal, min, .. } => *min == 0 || of(terminal),
                Terminal::Not(operand) => !of(operand),
            };
            nullable.push(is_nullable);
        }
        Ok(nullable)
    }

    /// Returns true if the terminal is a text whose JSON spellings exceed no limit of the store.
    pub fn is_short_text(&self, id: TerminalId) -> bool {
        /// Bytes of a text. Far below the default limits of a store, and above any key of a schema.
        const MAX_SHORT_TEXT_BYTES: usize = 1 << 12;
        matches!(self.get(id), Terminal::Text(text) if text.len() <= MAX_SHORT_TEXT_BYTES)
    }

    /// Returns true if the terminal contains a string for syntactic reasons: it is a text, the JSON spellings
    /// of a text, or a sequence of these.
    fn is_syntactically_nonempty(&self, id: TerminalId) -> bool {
        let is_text = |id: TerminalId| match self.get(id) {
            Terminal::Text(_) => true,
            Terminal::Json(operand, _) => matches!(self.get(*operand), Terminal::Text(_)),
            _ => false,
        };
        match self.get(id) {
            Terminal::Sequence(operands) => operands.iter().all(|&operand| is_text(operand)),
            _ => is_text(id),
        }
    }

    /// Returns true if the terminal contains no string.
    pub fn is_empty(&mut self, id: TerminalId, store: &mut Store) -> Result<bool, Error> {
        match self.get(id) {
            Terminal::Text(_)
            | Terminal::Substrings(_)
            | Terminal::Multiple(_)
            | Terminal::SpecialName(_)
            | Terminal::ChunkRuns(_)
            | Terminal::SpecialId(_) => Ok(false),
            // The complement depends on the vocabulary: see `grammask::resolve_special_tokens`.
            Terminal::SpecialSet(set) => Ok(set.members.is_empty() && !set.is_complement),
            Terminal::Alternatives(_) if literal_set(&self.list, id).is_some() => Ok(false),
            _ if self.is_syntactically_nonempty(id) => Ok(false),
            _ => match self.lower(id, store)? {
                Some(language) => store.is_empty(language),
                None => Ok(false),
            },
        }
    }

    /// Interns a nullable terminal without the empty string. Returns `Ok(None)` if that contains no string.
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

/// Returns the kind and the string of a terminal that consists of one string. `None` for other terminals.
fn as_string(terminal: &Terminal) -> Option<(StringKind, &Text)> {
    match terminal {
        Terminal::Text(text) => Some((StringKind::Text, text)),
        Terminal::Regex(text) => Some((StringKind::Regex, text)),
        Terminal::Early(text) => Some((StringKind::Early, text)),
        Terminal::Without(text) => Some((StringKind::Without, text)),
        Terminal::Substrings(text) => Some((StringKind::Substrings, text)),
        _ => None,
    }
}
