//! Masks of states: put together from parts that do not depend on what surrounds a state.

use std::sync::Arc;

use grammask_cache::{Budget, Interner, Memo};
use grammask_earley::{Class, Error, Item, OriginId, Recognizer, SetId, Special};
use grammask_trie::{Mask, NodeId, TokenId, TokenSet, Vocabulary};

use crate::completions::Completions;
use crate::continuation::{Continuation, ContinuationId, Continuations, weight};
use crate::walk::Findings;
use crate::{BindError, Config, Ending};

mod snapshot;

pub use snapshot::{DamagedMasks, SavedMasks};

/// Computes the masks of a grammar's states over a vocabulary, and keeps what it computed.
///
/// A mask is the union of parts. The part of an item under a list of trie nodes says which tokens below these
/// nodes the item takes by itself, and at which nodes its origin, unknown to the part, is complete: there the origin's
/// callers go on. As a token is allowed when *some* derivation allows it, the union over both is exact. A part does
/// not depend on who waits outside, so the same part serves at every depth of nesting.
///
/// Can be shared between threads; reading what is known takes no lock.
pub struct Masks {
    recognizer: Recognizer,
    vocabulary: Arc<Vocabulary>,
    ending: Ending,
    config: Config,
    /// The tokens of the grammar's special symbols, in the order of the network.
    specials: Vec<TokenId>,
    continuations: Continuations,
    parts: Memo<PartKey, Part>,
    /// Whole masks: by state the number of the mask, and masks by content.
    whole: Memo<SetId, u32>,
    distinct: Interner<Mask>,
    budget: Budget,
}

/// A state of more items is walked as it is: its items have too much in common to be looked at one by one.
const MANY_ITEMS: usize = 256;

/// A mask that is not put together from so many parts is found by walking the trie with the state as it is.
const MUCH_WORK: usize = 4096;

/// A part that is not found by so many walks, lexeme by lexeme, is found by walking its set as it is.
const MANY_WALKS: usize = 256;

/// What names a part.
type PartKey = (SetId, ContinuationId);

/// What an open set of one item takes below a list of trie nodes: its own tokens, and those of the lexemes' parts that it is made of.
struct Part {
    tokens: TokenSet,
    /// Parts of lexemes, whose tokens belong to this part too. Their handovers are in `handovers` as far as they concern it.
    lexemes: Box<[PartKey]>,
    /// Where the open origin is complete. Lists that come from lexemes stay apart, as they are the same in every context.
    handovers: Box<[ContinuationId]>,
}

/// Sizes of the tables of a [`Masks`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Earley sets.
    pub sets: usize,
    /// Distinct lists of callers.
    pub origins: usize,
    /// Parts of masks.
    pub parts: usize,
    /// Distinct lists of trie nodes from which somebody goes on.
    pub continuations: usize,
    /// States whose whole mask is kept.
    pub masks: usize,
    /// Bytes of all of them, roughly.
    pub bytes: usize,
}

impl Masks {
    /// Binds a recognizer to a vocabulary.
    ///
    /// # Errors
    /// When the grammar or the ending names a token that the vocabulary does not have.
    pub fn new(
        recognizer: Recognizer,
        vocabulary: Arc<Vocabulary>,
        ending: &Ending,
        config: &Config,
    ) -> Result<Self, BindError> {
        let network = recognizer.network();
        let specials = network
            .specials
            .iter()
            .map(|special| find_special(&vocabulary, special))
            .collect::<Result<_, _>>()?;
        if let Some(&id) = ending.tokens().iter().find(|&&id| !vocabulary.is_known(id)) {
            return Err(BindError::UnknownEnd { id });
        }
        Ok(Self::with(recognizer, vocabulary, ending.clone(), config.clone(), specials))
    }

    fn with(
        recognizer: Recognizer,
        vocabulary: Arc<Vocabulary>,
        ending: Ending,
        config: Config,
        specials: Vec<TokenId>,
    ) -> Self {
        Self {
            continuations: Continuations::new(vocabulary.trie()),
            budget: Budget::new(config.budget),
            recognizer,
            vocabulary,
            ending,
            config,
            specials,
            parts: Memo::new(),
            whole: Memo::new(),
            distinct: Interner::new(),
        }
    }

    /// Empty tables for the same grammar, vocabulary and configuration.
    pub fn successor(&self) -> Self {
        Self::with(
            self.recognizer.successor(),
            Arc::clone(&self.vocabulary),
            self.ending.clone(),
            self.config.clone(),
            self.specials.clone(),
        )
    }

    /// The recognizer whose states have masks here.
    pub fn recognizer(&self) -> &Recognizer {
        &self.recognizer
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Arc<Vocabulary> {
        &self.vocabulary
    }

    /// When a text ends.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The state after a token; [`SetId::DEAD`] where the grammar does not allow it. What ends a text is not known here.
    ///
    /// # Errors
    /// When a limit of the recognizer is exceeded.
    pub fn step(&self, state: SetId, token: TokenId) -> Result<SetId, Error> {
        if self.specials.contains(&token) {
            // A grammar may name one token by its name and by its id.
            let names = self.specials.iter().enumerate().filter(|&(_, &special)| special == token);
            let network = self.recognizer.network();
            let classes: Vec<Class> = names.map(|(index, _)| network.class_of_special(index)).collect();
            return self.recognizer.step_classes(state, &classes);
        }
        if self.ending.tokens().contains(&token) {
            return Ok(SetId::DEAD);
        }
        match self.vocabulary.bytes(token) {
            Some(bytes) if !bytes.is_empty() => self.step_bytes(state, bytes),
            _ => Ok(SetId::DEAD),
        }
    }

    /// The state after some bytes. With [`Ending::Eager`], [`SetId::DEAD`] also where a text ends inside of them.
    ///
    /// # Errors
    /// When a limit of the recognizer is exceeded.
    pub fn step_bytes(&self, state: SetId, bytes: &[u8]) -> Result<SetId, Error> {
        let eager = self.ending == Ending::Eager;
        let mut next = state;
        for (place, &byte) in bytes.iter().enumerate() {
            if !next.goes_on() || (eager && place > 0 && next.completes()) {
                return Ok(SetId::DEAD);
            }
            next = self.recognizer.step(next, byte)?;
        }
        Ok(next)
    }

    /// The mask of a state: the tokens with which some text goes on, and the tokens that end a complete text.
    ///
    /// `scratch` is where the mask is written when whole masks are not kept; it is a mask of this vocabulary.
    ///
    /// # Errors
    /// When a limit of the recognizer is exceeded. What `scratch` holds is unspecified then.
    ///
    /// # Complexity
    /// A look-up for a state seen before.
    pub fn mask<'a>(&'a self, state: SetId, scratch: &'a mut Mask) -> Result<&'a Mask, Error> {
        if let Some(&number) = self.whole.get(&state) {
            return Ok(self.distinct.get(number));
        }
        scratch.clear();
        let few = self.recognizer.kernel(state).len() <= MANY_ITEMS;
        if !(self.config.keep_parts && few && self.assemble(state, scratch)?) {
            scratch.clear();
            self.walk_all(state, scratch)?;
        }
        self.finish(state, scratch)?;
        if !self.config.keep_masks {
            return Ok(scratch);
        }
        let before = self.distinct.len();
        let number = self.distinct.intern(&*scratch, Mask::clone);
        if number as usize >= before {
            self.budget.spend(size_of_val(scratch.as_words()) + size_of::<Mask>());
        }
        self.budget.spend(size_of::<(SetId, u32)>());
        self.whole.insert(state, number);
        Ok(self.distinct.get(number))
    }

    /// The mask of a state, if it is kept.
    pub fn known_mask(&self, state: SetId) -> Option<&Mask> {
        self.whole.get(&state).map(|&number| self.distinct.get(number))
    }

    /// Appends the bytes that every text has next: up to the first place where two bytes are possible, where the text
    /// may end, or where a special token may come; at most `most` bytes.
    ///
    /// # Errors
    /// When a limit of the recognizer is exceeded.
    pub fn forced_bytes(&self, state: SetId, most: usize, forced: &mut Vec<u8>) -> Result<(), Error> {
        let mut state = state;
        while forced.len() < most && !state.completes() {
            let mut only = None;
            for class in 0..self.recognizer.network().classes() {
                let next = self.recognizer.step_class(state, Class::new(class))?;
                if next.is_dead() {
                    continue;
                }
                let bytes = self.recognizer.network().bytes_of(Class::new(class));
                match bytes.first() {
                    Some(byte) if bytes.len() == 1 && only.is_none() => only = Some((byte, next)),
                    _ => return Ok(()),
                }
            }
            let Some((byte, next)) = only else { return Ok(()) };
            forced.push(byte);
            state = next;
        }
        Ok(())
    }

    /// The union of the parts: those of the state's items under the whole trie; then, wherever an origin is complete, those of its
    /// callers. Gives up, with `false`, where the grammar is so ambiguous that walking the trie once is less work.
    fn assemble(&self, state: SetId, mask: &mut Mask) -> Result<bool, Error> {
        let trie = self.vocabulary.trie();
        let mut completions = Completions::default();
        let mut items: Vec<(Item, ContinuationId, Option<u32>)> =
            self.recognizer.kernel(state).iter().map(|&item| (item, ContinuationId::WHOLE, None)).collect();
        let mut origins: Vec<(OriginId, ContinuationId, Option<u32>)> = Vec::new();
        let mut lexemes: Vec<PartKey> = Vec::new();
        let mut work = 0;
        loop {
            while let Some((item, continuation, after)) = items.pop() {
                work += 1;
                if work > MUCH_WORK {
                    return Ok(false);
                }
                let (alone, takes) = self.recognizer.alone(item.node)?;
                let bytes = self.continuations.get(continuation).first_bytes(trie);
                if takes.intersection(bytes).is_empty() {
                    continue;
                }
                let part = self.part(alone, continuation)?;
                mask.union_set(&part.tokens);
                for key in &part.lexemes {
                    if !lexemes.contains(key) {
                        lexemes.push(*key);
                        mask.union_set(&self.part(key.0, key.1)?.tokens);
                    }
                }
                for &continuation in &part.handovers {
                    if self.may_follow(item.origin, continuation)? {
                        origins.push((item.origin, continuation, after));
                    }
                }
            }
            let Some((origin, continuation, after)) = origins.pop() else { break };
            let Some(completion) = completions.add(&self.continuations, trie, origin, continuation, after)
            else {
                continue;
            };
            for &caller in self.recognizer.callers(origin) {
                let (is_final, goes_on) = self.recognizer.nature(caller.node);
                if is_final && self.may_follow(caller.origin, continuation)? {
                    origins.push((caller.origin, continuation, Some(completion)));
                }
                if goes_on {
                    items.push((caller, continuation, Some(completion)));
                }
            }
        }
        if self.ending == Ending::Eager {
            for continuation in completions.of(OriginId::ROOT) {
                self.forbid_below(self.continuations.get(continuation).nodes(), mask);
            }
        }
        Ok(true)
    }

    /// Whether the mask can depend on an origin being complete at these nodes: something goes on, or the text ends there eagerly.
    fn may_follow(&self, origin: OriginId, continuation: ContinuationId) -> Result<bool, Error> {
        if self.ending == Ending::Eager {
            return Ok(true);
        }
        let bytes = self.continuations.get(continuation).first_bytes(self.vocabulary.trie());
        Ok(!self.recognizer.follow_bytes(origin)?.intersection(bytes).is_empty())
    }

    /// The same by walking the whole trie with the state as it is. Simple and slow.
    fn walk_all(&self, state: SetId, mask: &mut Mask) -> Result<(), Error> {
        if !state.goes_on() {
            return Ok(());
        }
        let mut findings = Findings::new(self.vocabulary.trie());
        findings.walk(&self.recognizer, state, &[NodeId::ROOT])?;
        let (tokens, ends) = findings.finish(self.vocabulary.mask_words());
        mask.union_set(&tokens);
        if self.ending == Ending::Eager {
            self.forbid_below(&ends, mask);
        }
        Ok(())
    }

    /// No token may go on past a place where the text is complete, whichever derivation would carry it.
    fn forbid_below(&self, nodes: &[NodeId], mask: &mut Mask) {
        for &node in nodes {
            for &token in self.vocabulary.trie().tokens_below(node) {
                mask.forbid(token);
            }
        }
    }

    /// Tokens that are no bytes: special ones by the grammar, those that end a text by the ending.
    fn finish(&self, state: SetId, mask: &mut Mask) -> Result<(), Error> {
        let ends = self.ending.tokens();
        for &id in ends {
            mask.forbid(id);
        }
        for (index, &token) in self.specials.iter().enumerate() {
            let class = self.recognizer.network().class_of_special(index);
            if !self.recognizer.step_class(state, class)?.is_dead() {
                mask.allow(token);
            }
        }
        if state.completes() {
            for &id in ends {
                mask.allow(id);
            }
        }
        Ok(())
    }

    /// The part of an open set of one item under a continuation.
    fn part(&self, set: SetId, continuation: ContinuationId) -> Result<&Part, Error> {
        let key = (set, continuation);
        if let Some(part) = self.parts.get(&key) {
            return Ok(part);
        }
        let mut findings = Findings::new(self.vocabulary.trie());
        let mut composition = Composition::default();
        let list = self.continuations.get(continuation);
        let whole = list.weight() <= self.config.large_walk || self.is_lexeme(set)?;
        if whole || !self.walk_by_lexemes(set, continuation, &mut findings, &mut composition)? {
            composition = Composition::default();
            findings.walk(&self.recognizer, set, list.nodes())?;
        }
        let (tokens, own) = findings.finish(self.vocabulary.mask_words());
        if !own.is_empty() {
            composition.handovers.push(self.continuation(&own));
        }
        composition.handovers.sort_unstable();
        composition.handovers.dedup();
        let part =
            Part { tokens, lexemes: composition.lexemes.into(), handovers: composition.handovers.into() };
        let lists = size_of_val(&*part.lexemes) + size_of_val(&*part.handovers);
        self.budget.spend(size_of::<Part>() + part.tokens.bytes_used() + lists);
        Ok(self.parts.insert(key, part).0)
    }

    /// Whether an open set is one lexeme's state and nothing else.
    fn is_lexeme(&self, set: SetId) -> Result<bool, Error> {
        let parts = self.recognizer.parts(set)?;
        Ok(matches!(*parts.lexemes, [(alone, _)] if alone == set))
    }

    /// What an open set takes below many nodes: lexeme by lexeme, as the parts of lexemes are the same in every
    /// context; and what is no lexeme byte by byte until few nodes are left. Gives up, with `false`, where the grammar is so ambiguous
    /// that walking the set once is less work; what was found until then is right, and stays.
    fn walk_by_lexemes(
        &self,
        set: SetId,
        continuation: ContinuationId,
        findings: &mut Findings<'_>,
        composition: &mut Composition,
    ) -> Result<bool, Error> {
        let mut tasks = vec![(set, continuation)];
        let mut walked = Walked::default();
        while let Some((set, continuation)) = tasks.pop() {
            if walked.0.len() > MANY_WALKS {
                return Ok(false);
            }
            let list = self.continuations.get(continuation);
            let takes = self.recognizer.live_bytes(set)?;
            let bytes = list.first_bytes(self.vocabulary.trie());
            if takes.intersection(bytes).is_empty() || walked.covers(&self.continuations, set, continuation) {
                continue;
            }
            if list.weight() <= self.config.large_walk {
                findings.walk(&self.recognizer, set, list.nodes())?;
                continue;
            }
            let parts = self.recognizer.parts(set)?;
            for &(lexeme, origin) in &parts.lexemes {
                let part = self.part(lexeme, continuation)?;
                if !part.tokens.is_empty() && !composition.lexemes.contains(&(lexeme, continuation)) {
                    composition.lexemes.push((lexeme, continuation));
                }
                for &continuation in &part.handovers {
                    if origin.is_outermost() {
                        composition.handovers.push(continuation);
                        continue;
                    }
                    let next = self.recognizer.after(origin)?;
                    if next.completes() {
                        composition.handovers.push(continuation);
                    }
                    tasks.push((next, continuation));
                }
            }
            if !parts.rest.is_dead() {
                self.scan_rest(parts.rest, list, &mut tasks, findings)?;
            }
        }
        Ok(true)
    }

    /// One byte of what is no lexeme, by all children at once; then node by node where few are left, else as tasks.
    fn scan_rest(
        &self,
        rest: SetId,
        list: &Continuation,
        tasks: &mut Vec<(SetId, ContinuationId)>,
        findings: &mut Findings<'_>,
    ) -> Result<(), Error> {
        let trie = self.vocabulary.trie();
        let (children, fresh) = list.children(trie);
        if fresh {
            self.budget.spend(children.bytes_used());
        }
        let mut nodes = Vec::new();
        for (class, bytes) in self.recognizer.network().class_bytes.iter().enumerate() {
            let next = self.recognizer.step_class(rest, Class::new(class))?;
            if next.is_dead() {
                continue;
            }
            nodes.clear();
            for byte in bytes.iter() {
                nodes.extend_from_slice(children.by(byte));
            }
            for &node in &nodes {
                findings.reach(next, node);
            }
            nodes.retain(|&node| trie.has_children(node));
            if !next.goes_on() || nodes.is_empty() {
                continue;
            }
            nodes.sort_unstable();
            if weight(trie, &nodes) <= self.config.large_walk {
                findings.walk(&self.recognizer, next, &nodes)?;
            } else {
                tasks.push((next, self.continuation(&nodes)));
            }
        }
        Ok(())
    }

    fn continuation(&self, nodes: &[NodeId]) -> ContinuationId {
        let (id, fresh) = self.continuations.intern(self.vocabulary.trie(), nodes);
        if fresh {
            self.budget.spend(self.continuations.get(id).bytes_used());
        }
        id
    }

    /// Sizes of the tables.
    pub fn stats(&self) -> Stats {
        Stats {
            sets: self.recognizer.set_count(),
            origins: self.recognizer.origin_count(),
            parts: self.parts.len(),
            continuations: self.continuations.len(),
            masks: self.whole.len(),
            bytes: self.bytes_used(),
        }
    }

    /// Bytes that the tables and those of the recognizer hold, roughly.
    pub fn bytes_used(&self) -> usize {
        self.recognizer.bytes_used() + self.budget.used()
    }

    /// Whether the tables, or those of the recognizer, hold more bytes than they may.
    pub fn is_over_budget(&self) -> bool {
        self.budget.is_exceeded() || self.recognizer.is_over_budget()
    }
}

/// What a part takes from the parts of lexemes.
#[derive(Default)]
struct Composition {
    lexemes: Vec<PartKey>,
    handovers: Vec<ContinuationId>,
}

/// The sets that have been walked within one part, and below which nodes.
#[derive(Default)]
struct Walked(Vec<(SetId, ContinuationId)>);

impl Walked {
    /// Whether the set has been walked below these nodes, or more; notes that it will be now.
    fn covers(&mut self, continuations: &Continuations, set: SetId, continuation: ContinuationId) -> bool {
        let mut larger = self.0.iter().filter(|(other, _)| *other == set).map(|&(_, larger)| larger);
        let covered =
            larger.any(|larger| larger == continuation || continuations.contains(larger, continuation));
        if !covered {
            self.0.push((set, continuation));
        }
        covered
    }
}

fn find_special(vocabulary: &Vocabulary, special: &Special) -> Result<TokenId, BindError> {
    match special {
        Special::Name(name) => {
            vocabulary.special(name).ok_or_else(|| BindError::UnknownSpecial { special: special.clone() })
        }
        Special::Id(id) => Some(TokenId(*id))
            .filter(|&id| vocabulary.special_name(id).is_some())
            .ok_or_else(|| BindError::UnknownSpecial { special: special.clone() }),
    }
}
