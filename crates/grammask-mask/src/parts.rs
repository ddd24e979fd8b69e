//! Parts of masks: what one item takes below a set of places in the trie, whoever waits outside.

use grammask_earley::{ByteSet, Class, Error, NodeId, SetId};
use grammask_trie::{BranchId, TokenSet};

use crate::Masks;
use crate::continuation::{Continuation, ContinuationId, Continuations};
use crate::findings::Findings;
use crate::lexicon::LexemeId;
use crate::places::Places;

/// A part that is not found by so many walks, lexeme by lexeme, is found by walking its set as it is.
const MANY_WALKS: usize = 256;

/// What is known of a node, wherever it occurs.
#[derive(Clone, Copy)]
pub(crate) struct Fact {
    /// The open set of the node.
    pub(crate) set: SetId,
    /// The bytes by which it goes on.
    pub(crate) takes: ByteSet,
    /// The lexeme that the node is a state of, if it is one and the lexicon has room for it.
    pub(crate) lexeme: Option<LexemeId>,
}

/// What an open set takes below a set of places: its own tokens, and those of the lexemes' parts that it is made of.
pub(crate) struct Part {
    pub(crate) tokens: TokenSet,
    /// Parts of lexemes, whose tokens belong to this part too. Their handovers are in `handovers` as far as they concern it.
    pub(crate) lexemes: Box<[PartKey]>,
    /// Where the open origin is complete. Lists that come from lexemes stay apart, as they are the same in every context.
    pub(crate) handovers: Box<[ContinuationId]>,
}

/// Names a part that consists of tokens and one handover at most.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartKey {
    /// One of the lexicon.
    Lexeme(LexemeId, ContinuationId),
    /// One of the grammar, where the lexicon had no room for the lexeme.
    Set(SetId, ContinuationId),
}

/// What a part takes from the parts of lexemes.
#[derive(Default)]
struct Composition {
    lexemes: Vec<PartKey>,
    handovers: Vec<ContinuationId>,
}

impl Masks {
    /// What is known of a node.
    pub(crate) fn fact(&self, node: NodeId) -> Result<&Fact, Error> {
        if let Some(fact) = self.facts.get(&node) {
            return Ok(fact);
        }
        let longest = u32::try_from(self.lexicon.outline().height()).unwrap_or(u32::MAX);
        let (set, takes) = self.recognizer.alone(self.recognizer.saturated(node, longest))?;
        let lexeme = self.recognizer.lexeme(node, |store, language| self.lexicon.lexeme(store, language));
        let fact = Fact { set, takes, lexeme: lexeme.and_then(Result::ok) };
        self.budget.spend(size_of::<(NodeId, Fact)>());
        Ok(self.facts.insert(node, fact).0)
    }

    /// The part of a lexeme's state: its name, and where the lexeme is complete.
    pub(crate) fn lexeme_part(
        &self,
        fact: &Fact,
        continuation: ContinuationId,
    ) -> Result<(PartKey, Option<ContinuationId>), Error> {
        if let Some(lexeme) = fact.lexeme
            && let Ok(part) = self.lexicon.part(lexeme, continuation)
        {
            return Ok((PartKey::Lexeme(lexeme, continuation), part.handover));
        }
        // A limit of the shared tables says nothing about this grammar's own.
        let part = self.walked(fact.set, continuation)?;
        Ok((PartKey::Set(fact.set, continuation), part.handovers.first().copied()))
    }

    /// The tokens of a part.
    pub(crate) fn tokens(&self, key: PartKey) -> Result<&TokenSet, Error> {
        match key {
            PartKey::Set(set, continuation) => Ok(&self.walked(set, continuation)?.tokens),
            PartKey::Lexeme(lexeme, continuation) => {
                let part = self.lexicon.part(lexeme, continuation);
                Ok(&part.expect("a part that has been named is kept").tokens)
            }
        }
    }

    /// The part of an open set of one item under a continuation.
    pub(crate) fn part(&self, set: SetId, continuation: ContinuationId) -> Result<&Part, Error> {
        if let Some(part) = self.parts.get(&(set, continuation)) {
            return Ok(part);
        }
        let lexicon = &*self.lexicon;
        let list = lexicon.continuation(continuation);
        if !list.is_heavier(lexicon.trie(), lexicon.outline(), self.config.large_walk) {
            return self.walked(set, continuation);
        }
        let mut findings = Findings::new(lexicon.ground());
        let mut composition = Composition::default();
        if !self.walk_by_lexemes(set, continuation, &mut findings, &mut composition)? {
            return self.walked(set, continuation);
        }
        Ok(self.keep(set, continuation, findings, composition))
    }

    /// The same by walking the set as it is.
    fn walked(&self, set: SetId, continuation: ContinuationId) -> Result<&Part, Error> {
        if let Some(part) = self.parts.get(&(set, continuation)) {
            return Ok(part);
        }
        let list = self.lexicon.continuation(continuation);
        let mut findings = Findings::new(self.lexicon.ground());
        findings.walk(&self.recognizer, set, list.nodes(self.lexicon.outline()))?;
        Ok(self.keep(set, continuation, findings, Composition::default()))
    }

    fn keep(
        &self,
        set: SetId,
        continuation: ContinuationId,
        findings: Findings<'_>,
        mut composition: Composition,
    ) -> &Part {
        let (tokens, own) = findings.finish();
        composition.handovers.extend(own.map(|places| self.lexicon.intern(&places)));
        composition.handovers.sort_unstable();
        composition.handovers.dedup();
        let part =
            Part { tokens, lexemes: composition.lexemes.into(), handovers: composition.handovers.into() };
        let lists = size_of_val(&*part.lexemes) + size_of_val(&*part.handovers);
        self.budget.spend(size_of::<Part>() + part.tokens.bytes_used() + lists);
        self.parts.insert((set, continuation), part).0
    }

    /// What an open set takes below many nodes: lexeme by lexeme, as the parts of lexemes are the same in every
    /// context; and what is no lexeme byte by byte until few nodes are left. Gives up, with `false`, where the grammar is so ambiguous
    /// that walking the set once is less work.
    fn walk_by_lexemes(
        &self,
        set: SetId,
        continuation: ContinuationId,
        findings: &mut Findings<'_>,
        composition: &mut Composition,
    ) -> Result<bool, Error> {
        let lexicon = &*self.lexicon;
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let mut tasks = vec![(set, continuation)];
        let mut walked = Walked::default();
        while let Some((set, continuation)) = tasks.pop() {
            if walked.0.len() > MANY_WALKS {
                return Ok(false);
            }
            let list = lexicon.continuation(continuation);
            let takes = self.recognizer.live_bytes(set)?;
            let bytes = list.first_bytes(trie, outline);
            if takes.intersection(bytes).is_empty()
                || walked.covers(lexicon.continuations(), set, continuation)
            {
                continue;
            }
            if !list.is_heavier(trie, outline, self.config.large_walk) {
                findings.walk(&self.recognizer, set, list.nodes(outline))?;
                continue;
            }
            let parts = self.recognizer.parts(set)?;
            for item in &parts.lexemes {
                let fact = self.fact(item.node)?;
                if fact.takes.intersection(bytes).is_empty() {
                    continue;
                }
                let (key, handover) = self.lexeme_part(fact, continuation)?;
                if !composition.lexemes.contains(&key) && !self.tokens(key)?.is_empty() {
                    composition.lexemes.push(key);
                }
                let Some(continuation) = handover else { continue };
                if item.origin.is_outermost() {
                    composition.handovers.push(continuation);
                    continue;
                }
                let next = self.recognizer.after(item.origin)?;
                if next.completes() {
                    composition.handovers.push(continuation);
                }
                tasks.push((next, continuation));
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
        let lexicon = &*self.lexicon;
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let first_bytes = list.first_bytes(trie, outline);
        let mut branches: Vec<BranchId> = Vec::new();
        for (class, bytes) in self.recognizer.network().class_bytes.iter().enumerate() {
            let bytes = bytes.intersection(first_bytes);
            if bytes.is_empty() {
                continue;
            }
            let next = self.recognizer.step_class(rest, Class::new(class))?;
            if next.is_dead() {
                continue;
            }
            branches.clear();
            for byte in bytes.iter() {
                let (children, fresh) = list.children(trie, outline, byte);
                lexicon.spend(fresh);
                for &node in children {
                    findings.reach(next, node);
                }
                branches.extend(children.iter().filter_map(|&node| outline.branch(node)));
            }
            if !next.goes_on() || branches.is_empty() {
                continue;
            }
            branches.sort_unstable();
            let ends = trie.ends_slice();
            let nodes = branches.iter().map(|&branch| outline.node(branch));
            let weight: usize = nodes.clone().map(|node| (ends[node.index()] - node.0 - 1) as usize).sum();
            if weight <= self.config.large_walk {
                findings.walk(&self.recognizer, next, nodes)?;
            } else {
                tasks.push((
                    next,
                    lexicon.intern(&Places::of_list(outline, lexicon.config().short_list, &branches)),
                ));
            }
        }
        Ok(())
    }
}

/// The sets that have been walked within one part, and below which nodes.
#[derive(Default)]
struct Walked(Vec<(SetId, ContinuationId)>);

impl Walked {
    /// Whether the set has been walked below these nodes, or more; notes that it will be now.
    fn covers(&mut self, continuations: &Continuations, set: SetId, continuation: ContinuationId) -> bool {
        let mut larger = self.0.iter().filter(|(other, _)| *other == set).map(|&(_, larger)| larger);
        let covered = larger.any(|larger| continuations.contains(larger, continuation));
        if !covered {
            self.0.push((set, continuation));
        }
        covered
    }
}
