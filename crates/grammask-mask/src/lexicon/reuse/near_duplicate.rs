//! Lexemes that differ from one that loops at a few texts only, as "any string but one of these" does at every place of a key. What they
//! take is what their kin takes, which is known, but for a few nodes of the trie: only these are walked.

use std::sync::OnceLock;

use grammask_regular::{ByteSet, Error};
use grammask_trie::index::InnerId;
use grammask_trie::{TokenId, TokenSet, TrieNodeId};

use crate::lexicon::automaton::LexemeId;
use crate::lexicon::entry::Own;
use crate::lexicon::walk::output::Asked;
use crate::lexicon::{LexemePart, LexemeTokens, Lexicon};
use crate::masks::stats::Distance;
use crate::node_set::interned::{Continuation, ContinuationId};
use crate::node_set::{Places, no_bits};

/// A lexeme that nearly loops goes on to its kin after so many of the ASCII characters at least.
const MOST: usize = 48;

/// After so many nodes the two have less in common than was hoped.
const FAR: u64 = 4_096;

/// Where two lexemes differ.
#[derive(Default)]
pub(crate) struct Difference {
    /// Nodes whose tokens only the lexeme takes, and those whose tokens only its kin takes.
    pub(crate) more: Vec<TrieNodeId>,
    pub(crate) less: Vec<TrieNodeId>,
    /// Where only the lexeme is complete, and where only its kin is.
    pub(crate) handed: Vec<InnerId>,
    pub(crate) kept: Vec<InnerId>,
    /// How many nodes of the trie were looked at.
    pub(crate) nodes: u64,
}

impl Lexicon {
    /// The kin of a lexeme: the state that it goes on to after most characters, which loops there; or what it is without its exceptions, if these are
    /// few short texts.
    fn kin(&self, lexeme: LexemeId) -> Result<Option<LexemeId>, Error> {
        let place = &self.automaton.seldom(lexeme, &self.budget).kin;
        if let Some(known) = place.get() {
            return Ok(*known);
        }
        let mut counts: Vec<(LexemeId, usize)> = Vec::new();
        self.automaton.steps(lexeme, &ByteSet::range(0x20, 0x7E), &self.budget, |bytes, next| {
            match counts.iter_mut().find(|(other, _)| *other == next) {
                Some((_, count)) => *count += bytes.len(),
                None => counts.push((next, bytes.len())),
            }
            true
        })?;
        let most = counts.into_iter().max_by_key(|&(_, count)| count);
        let mut kin = None;
        if let Some((next, count)) = most
            && next != lexeme
            && !next.is_dead()
            && count >= MOST
            && self.automaton.step(next, b'~', &self.budget)? == next
        {
            kin = Some(next);
        }
        if kin.is_none() {
            kin = self.automaton.without_exceptions(lexeme, &self.budget)?;
        }
        Ok(*place.get_or_init(|| kin))
    }

    /// The part of a lexeme, from that of its kin; nothing where it has none, or where the two differ much.
    pub(crate) fn part_by_kin(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        asked: Asked,
    ) -> Result<Option<LexemePart>, Error> {
        if !self.may_have_kin(id) {
            return Ok(None);
        }
        let Some(kin) = self.kin(lexeme)? else { return Ok(None) };
        // Two may be each other's kin, and many go on in a ring; one that has none itself is found without asking further.
        if self.kin(kin)?.is_some() {
            return Ok(None);
        }
        match self.difference(lexeme, kin, self.continuation(id))? {
            Some(difference) => self.part_beside(kin, id, &difference, asked),
            None => Ok(None),
        }
    }

    /// Whether below these places a part can be kept as what another one has, but for a difference, and that pays.
    pub(crate) fn may_have_kin(&self, id: ContinuationId) -> bool {
        let continuation = self.continuation(id);
        let Places::List(places) = continuation.places() else { return false };
        self.is_apart(places) && continuation.is_heavier(self.trie(), self.outline(), FAR as usize)
    }

    /// The part of a lexeme that differs in this from its kin; nothing where that one's tokens are not kept as they are.
    pub(crate) fn part_beside(
        &self,
        kin: LexemeId,
        id: ContinuationId,
        difference: &Difference,
        asked: Asked,
    ) -> Result<Option<LexemePart>, Error> {
        let mut part = self.part(kin, id, asked)?;
        let known = self.part_of(part);
        self.walked.add(Distance { walks: 1, nodes: difference.nodes, taken: 0 });
        let trie = self.trie();
        let tokens = |nodes: &[TrieNodeId]| -> Vec<TokenId> {
            nodes.iter().flat_map(|&node| trie.tokens(node)).copied().collect()
        };
        let own = Own::Set(TokenSet::new(&tokens(&difference.more)));
        let less = tokens(&difference.less).into();
        let handover = match (asked, &difference.handed[..], &difference.kept[..]) {
            (Asked::Tokens, ..) => OnceLock::new(),
            (Asked::Places, [], []) => OnceLock::from(known.handover()),
            (Asked::Places, ..) => OnceLock::from(self.handover(known.handover(), difference)),
        };
        // What the kin takes must be its own, as nobody looks further.
        match &known.tokens.kin {
            None => {}
            Some((twin, differing)) if differing.is_empty() && known.tokens.own.is_empty() => part = *twin,
            Some(_) => return Ok(None),
        }
        let tokens = LexemeTokens { own, kin: Some((part, less)) };
        Ok(Some(LexemePart { tokens, handover, nodes: difference.nodes }))
    }

    /// Whether no place is below another, so that no token is taken from two places.
    fn is_apart(&self, places: &[InnerId]) -> bool {
        let ends = self.trie().columns().ends;
        places.windows(2).all(|pair| {
            let (one, next) = (self.outline().node(pair[0]), self.outline().node(pair[1]));
            ends[one.index()] <= next.0
        })
    }

    /// Where a lexeme is complete, given where its kin is.
    fn handover(&self, known: Option<ContinuationId>, difference: &Difference) -> Option<ContinuationId> {
        let short = self.config.short_list;
        let known = known.map(|known| self.continuation(known).places());
        if let None | Some(Places::List(_)) = known {
            let mut list: Vec<InnerId> = known.into_iter().flat_map(Places::iter).collect();
            let mut kept = difference.kept.clone();
            kept.sort_unstable();
            list.retain(|branch| kept.binary_search(branch).is_err());
            list.extend_from_slice(&difference.handed);
            list.sort_unstable();
            list.dedup();
            let places = (!list.is_empty()).then(|| Places::of_list(self.outline(), short, &list));
            return places.map(|places| self.intern(places));
        }
        let mut bits = no_bits(self.outline());
        if let Some(known) = known {
            known.mark(&mut bits);
        }
        for branch in &difference.kept {
            bits[branch.index() / 64] &= !(1 << (branch.index() % 64));
        }
        for branch in &difference.handed {
            bits[branch.index() / 64] |= 1 << (branch.index() % 64);
        }
        let places = Places::gather(self.outline(), short, Some(bits.into()), Vec::new(), &[], &[]);
        places.map(|places| self.intern(places))
    }

    /// Walks both at once, wherever they are not in the same state.
    fn difference(
        &self,
        lexeme: LexemeId,
        kin: LexemeId,
        continuation: &Continuation,
    ) -> Result<Option<Difference>, Error> {
        let (trie, outline) = (self.trie(), self.outline());
        let mut found = Difference::default();
        let mut open: Vec<(TrieNodeId, LexemeId, LexemeId)> =
            continuation.nodes(outline).map(|node| (node, lexeme, kin)).collect();
        while let Some((node, own, other)) = open.pop() {
            for child in trie.children(node) {
                found.nodes += 1;
                let byte = trie.byte(child);
                let own = self.automaton.step(own, byte, &self.budget)?;
                let other = self.automaton.step(other, byte, &self.budget)?;
                if own == other {
                    continue;
                }
                match (own.is_dead(), other.is_dead()) {
                    (false, true) => found.more.push(child),
                    (true, false) => found.less.push(child),
                    _ => {}
                }
                if let Some(branch) = outline.inner(child) {
                    match (own.completes(), other.completes()) {
                        (true, false) => found.handed.push(branch),
                        (false, true) => found.kept.push(branch),
                        _ => {}
                    }
                    open.push((child, own, other));
                }
            }
            if found.nodes > FAR {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }
}
