//! Lexemes that accept the JSON spellings of a few known texts, all spellings but theirs, or all strings of a
//! loop but a few.
//!
//! The texts are followed through the trie. No state of the lexeme is created, which is most of the work
//! elsewhere.

use grammask_regular::Error;
use grammask_regular::analysis::{FiniteLanguage, SpellingCursor};
use grammask_trie::TrieNodeId;
use grammask_work::charge;

use crate::lexicon::automaton::{ExcludedTexts, LexemeId};
use crate::lexicon::reuse::near_duplicate::{Difference, MAX_DIFFERENCE_NODES};
use crate::lexicon::walk::output::{WalkOutput, Want};
use crate::lexicon::{Entry, EntryTokens, Lexicon};
use crate::masks::stats::WalkCost;
use crate::node_set::NodeSet;
use crate::node_set::continuation::{Continuation, ContinuationId};

/// Number of texts of a finite language; times the 16 bytes of a text, at most 1,024 steps are followed.
pub(crate) const MAX_TEXTS: usize = 64;

/// Work of one byte that is followed to a trie node.
const UNITS_PER_NODE: u64 = 2;

/// Minimum number of nodes of a set for which the children by a byte are looked up for the whole set.
const MIN_NODES_BY_BYTE: usize = 4;

/// The spellings of some texts, followed through the trie.
struct Speller<'a> {
    lexicon: &'a Lexicon,
    spelled: &'a FiniteLanguage,
    nodes: u64,
}

impl Speller<'_> {
    /// Follows all spellings from a set. Reports each node with the cursor there; a node may be reported
    /// several times.
    fn follow(&mut self, continuation: &Continuation, mut visit: impl FnMut(TrieNodeId, SpellingCursor)) {
        let trie_index = self.lexicon.trie_index();
        let mut open: Vec<(TrieNodeId, SpellingCursor)> = Vec::new();
        let list = match continuation.set() {
            NodeSet::List(list) if list.len() < MIN_NODES_BY_BYTE => &list[..],
            _ => {
                self.spelled.for_each_next(self.spelled.start(), |byte, phase| {
                    let (children, fresh) = continuation.children(trie_index, byte);
                    self.lexicon.spend(fresh);
                    open.extend(children.iter().map(|&child| (child, phase)));
                });
                &[]
            }
        };
        let below = |inner, phase, open: &mut Vec<(TrieNodeId, SpellingCursor)>| {
            self.spelled.for_each_next(phase, |byte, next| {
                open.extend(trie_index.child(inner, byte).map(|child| (child.node, next)));
            });
        };
        list.iter().for_each(|&inner| below(inner, self.spelled.start(), &mut open));
        let mut nodes = 0;
        while let Some((node, phase)) = open.pop() {
            nodes += 1;
            visit(node, phase);
            if let Some(inner) = trie_index.inner(node) {
                below(inner, phase, &mut open);
            }
        }
        self.nodes += nodes;
    }
}

impl Lexicon {
    /// Returns the entry of a lexeme whose texts are known. Returns `None` if they are not.
    pub(crate) fn entry_by_texts(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        want: Want,
    ) -> Result<Option<Entry>, Error> {
        let Some((spelled, all)) = self.automaton.spelled(lexeme)? else {
            return self.entry_without_strings(lexeme, id, want);
        };
        match all {
            None => Ok(Some(self.entry_of_texts(&spelled, id))),
            Some(all) if self.config.tuning.slices => self.entry_of_other_texts(&spelled, all, id, want),
            Some(_) => Ok(None),
        }
    }

    /// Returns the entry of the spellings of some texts.
    pub(crate) fn entry_of_texts(&self, spelled: &FiniteLanguage, id: ContinuationId) -> Entry {
        let mut speller = Speller { lexicon: self, spelled, nodes: 0 };
        let mut output = WalkOutput::new(self.context());
        speller.follow(self.continuation(id), |node, phase| {
            output.allow(node);
            if spelled.is_complete(phase)
                && let Some(inner) = self.trie_index().inner(node)
            {
                output.exit_at(inner);
            }
        });
        let nodes = speller.nodes;
        self.counters.add(WalkCost { walks: 1, nodes, taken: 0 });
        let (tokens, node_set) = output.finish();
        let exit = node_set.map(|node_set| self.intern(node_set));
        Entry::new(EntryTokens::of(tokens), exit, nodes)
    }

    /// Returns the entry of all spellings but those of some texts, as a difference from the entry of all.
    fn entry_of_other_texts(
        &self,
        spelled: &FiniteLanguage,
        all: LexemeId,
        id: ContinuationId,
        want: Want,
    ) -> Result<Option<Entry>, Error> {
        if !self.allows_difference(id) {
            return Ok(None);
        }
        self.entry_with_difference(all, id, &self.difference_of_other_texts(spelled, id), want)
    }

    /// Returns the entry of a loop without a few strings, as a difference from the entry of the loop. Returns
    /// `None` if the lexeme has another form.
    fn entry_without_strings(
        &self,
        lexeme: LexemeId,
        id: ContinuationId,
        want: Want,
    ) -> Result<Option<Entry>, Error> {
        if !self.allows_difference(id) {
            return Ok(None);
        }
        let Some(excluded) = self.automaton.excluded(lexeme)? else { return Ok(None) };
        match self.difference_of_excluded(&excluded, id)? {
            Some(difference) => self.entry_with_difference(excluded.all, id, &difference, want),
            None => Ok(None),
        }
    }

    /// Returns the difference of a loop without a few texts from the loop. Returns `None` beyond
    /// `MAX_DIFFERENCE_NODES`.
    fn difference_of_excluded(
        &self,
        excluded: &ExcludedTexts,
        id: ContinuationId,
    ) -> Result<Option<Difference>, Error> {
        let trie_index = self.trie_index();
        let mut difference = Difference::default();
        let mut open = Vec::new();
        for root in self.continuation(id).set().iter() {
            for text in &excluded.texts {
                let mut bytes = text.iter();
                let after = bytes.try_fold(root, |inner, &byte| trie_index.child(inner, byte)?.inner());
                difference.nodes += 1 + (text.len() - bytes.len()) as u64;
                if difference.nodes > u64::from(MAX_DIFFERENCE_NODES) {
                    return Ok(None);
                }
                // The node itself is no exit of an empty text, as no byte is read.
                if excluded.ends.completes() && !text.is_empty() {
                    difference.removed_exits.extend(after);
                }
                if excluded.ends.goes_on() {
                    open.extend(after.map(|inner| (inner, excluded.ends)));
                }
            }
        }
        while let Some((inner, state)) = open.pop() {
            if difference.nodes > u64::from(MAX_DIFFERENCE_NODES) {
                return Ok(None);
            }
            for child in trie_index.children(inner) {
                difference.nodes += 1;
                let next = self.automaton.step(state, child.byte)?;
                if next.is_dead() {
                    continue;
                }
                difference.removed.push(child.node);
                if let Some(inner) = child.inner() {
                    if next.completes() {
                        difference.removed_exits.push(inner);
                    }
                    open.push((inner, next));
                }
            }
        }
        charge(UNITS_PER_NODE * difference.nodes)?;
        Ok(Some(difference))
    }

    /// Returns the difference of all spellings but those of some texts from all spellings.
    fn difference_of_other_texts(&self, spelled: &FiniteLanguage, id: ContinuationId) -> Difference {
        let mut speller = Speller { lexicon: self, spelled, nodes: 0 };
        let mut difference = Difference::default();
        speller.follow(self.continuation(id), |node, phase| {
            if spelled.is_in_suffix(phase) {
                difference.removed.push(node);
            }
            if spelled.is_complete(phase) {
                difference.removed_exits.extend(self.trie_index().inner(node));
            }
        });
        difference.nodes = speller.nodes;
        // A text with several escapes is met once by each of them.
        difference.removed.sort_unstable();
        difference.removed.dedup();
        difference
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use grammask_regular::{RegularId, Store};
    use grammask_trie::{Mask, TokenId, Vocabulary};

    use super::*;
    use crate::LexiconConfig;
    use crate::lexicon::walk::{self, Walk};

    /// A lexicon with all single bytes, all strings of two of some bytes, and longer ones.
    fn lexicon() -> Lexicon {
        let mut words: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
        let some = b"anou\"\\/0069,d\xC3\xA9\xF0\x9F";
        words.extend(some.iter().flat_map(|&one| some.iter().map(move |&two| vec![one, two])));
        let longer: [&[u8]; 24] = [
            b"\\u00",
            b"\\u006",
            b"\\u0061",
            b"\\u0061\"",
            b"u006E",
            b"\\u006e\\u006F",
            b"no\"",
            b"no\",",
            b"\"no",
            b"\"no\"",
            b"one",
            b"one\":",
            b"\\ud8",
            b"\\ud83d\\",
            b"\\uD83D\\uDE00",
            b"\\ud83d\\ude00\"",
            b"\\\"\"",
            b"\\\\\",",
            b"\\/\"",
            "\u{1F600}".as_bytes(),
            "é\"".as_bytes(),
            b"\"\"",
            b"nan",
            b"anno\\u",
        ];
        words.extend(longer.iter().map(|word| word.to_vec()));
        words.sort_unstable();
        words.dedup();
        let tokens = (0..).map(TokenId).zip(words);
        let vocabulary = Vocabulary::new(tokens, [], &Default::default()).unwrap();
        Lexicon::new(Arc::new(vocabulary), &LexiconConfig::default())
    }

    /// Returns the first states that are reachable from a state, at most `most`, each once.
    fn reachable(store: &mut Store, start: RegularId, most: usize) -> Vec<RegularId> {
        let mut found = vec![start];
        let mut position = 0;
        while let Some(&state) = found.get(position) {
            position += 1;
            for byte in 0..=u8::MAX {
                let next = store.derivative(state, byte).unwrap();
                if !found.contains(&next) && found.len() < most {
                    found.push(next);
                }
            }
        }
        found
    }

    /// Returns the tokens and the exits of an entry, computed by walking the automaton.
    fn walked(lexicon: &Lexicon, lexeme: LexemeId, id: ContinuationId) -> (Mask, Option<ContinuationId>) {
        let mut output = WalkOutput::new(lexicon.context());
        let mut walk = Walk::new(lexicon, lexeme);
        walk::below(&mut walk, lexicon.continuation(id), false, &mut output).unwrap();
        let (tokens, node_set) = output.finish();
        let mut mask = Mask::new(lexicon.vocabulary().id_count());
        mask.union_set(&tokens);
        (mask, node_set.map(|node_set| lexicon.intern(node_set)))
    }

    /// Compares the entry of known texts with a walk. Returns `false` if the entry cannot be stored as a
    /// difference.
    fn check_entry(
        lexicon: &Lexicon,
        lexeme: LexemeId,
        spelled: &FiniteLanguage,
        all: Option<LexemeId>,
        id: ContinuationId,
    ) -> bool {
        let entry = match all {
            None => lexicon.entry_of_texts(spelled, id),
            Some(all) => {
                let difference = lexicon.difference_of_other_texts(spelled, id);
                let known = lexicon.find_entry(all, id, Want::TokensAndExits).unwrap();
                if lexicon.entry(known).tokens.base.is_some() {
                    return false;
                }
                lexicon.entry_with_difference(all, id, &difference, Want::TokensAndExits).unwrap().unwrap()
            }
        };
        let known = lexicon.keep((lexeme, id), entry);
        let mut mask = Mask::new(lexicon.vocabulary().id_count());
        lexicon.view(known).union_into(&mut mask);
        assert_eq!((mask, lexicon.entry(known).exit()), walked(lexicon, lexeme, id), "{spelled:?}");
        true
    }

    #[test]
    fn loops_without_strings_accept_what_their_automata_accept() {
        let lexicon = lexicon();
        let mut store = Store::new(&Default::default());
        let mut compared = 0;
        for characters in [r#"(?:[^"\\]|\\["\\nu])*"#, r#"[^"]*"#, "[a-z]*", "[a-z]+", "(?s-u:[^\"])*"] {
            for excluded in
                ["no", "|n|no|nan", "one|no|a", "é|\u{1F600}a?", r#"\\"|u\\"#, "a{3}n", "[ano]{2}"]
            {
                for ends in ["", r#"""#, r#"",?"#, r#"(?:";?)?"#, r#""(?: ?:|\\)"#, "n\""] {
                    let [all, few] = [characters, excluded].map(|pattern| store.regex(pattern).unwrap());
                    let others = store.complement(few).unwrap();
                    let others = store.intersection(&[all, others]).unwrap();
                    let ends = store.regex(ends).unwrap();
                    let start = store.concat(&[others, ends]).unwrap();
                    for state in reachable(&mut store, start, 20) {
                        let (lexeme, _) = lexicon.lexeme(&store, state).unwrap();
                        let (_, exit) = walked(&lexicon, lexeme, ContinuationId::ROOT);
                        for id in [Some(ContinuationId::ROOT), exit].into_iter().flatten() {
                            // As `allows_difference` demands.
                            let NodeSet::List(roots) = lexicon.continuation(id).set() else { continue };
                            if !lexicon.is_apart(roots) {
                                continue;
                            }
                            let Some(excluded) = lexicon.automaton.excluded(lexeme).unwrap() else {
                                continue;
                            };
                            let Some(difference) = lexicon.difference_of_excluded(&excluded, id).unwrap()
                            else {
                                continue;
                            };
                            let Some(entry) = lexicon
                                .entry_with_difference(excluded.all, id, &difference, Want::TokensAndExits)
                                .unwrap()
                            else {
                                continue;
                            };
                            let known = lexicon.keep((lexeme, id), entry);
                            let mut mask = Mask::new(lexicon.vocabulary().id_count());
                            lexicon.view(known).union_into(&mut mask);
                            let found = (mask, lexicon.entry(known).exit());
                            assert_eq!(found, walked(&lexicon, lexeme, id), "{characters} {excluded:?}");
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 100, "{compared} entries");
    }

    #[test]
    fn spellings_accept_what_their_automata_accept() {
        let lexicon = lexicon();
        let mut store = Store::new(&Default::default());
        let any = store.regex("(?s:.)*").unwrap();
        let quote = store.literal(b"\"").unwrap();
        let mut compared = 0;
        // More texts than `MAX_TEXTS`.
        let many: Vec<String> = (0..2 * MAX_TEXTS)
            .map(|index| format!("an{}o{index:03}", ["", "o", "u\"", "é"][index % 4]))
            .collect();
        let many = many.join("|");
        for pattern in [
            "no",
            "|n|no|nan",
            "one|no|a",
            "é|\u{1F600}a?",
            "\"|\\\\|/",
            "\n|a\u{0}",
            "a{3}n",
            "anno|anna|ann",
            "\u{1F600}\u{1F601}|\u{1F600}n",
            &many,
        ] {
            let cases = [(false, false), (false, true), (true, false), (true, true)];
            let afters: [&[u8]; 3] = [b"\"", b"\",", b"n\""];
            for ((is_complement, is_opened), after) in
                cases.into_iter().flat_map(|case| afters.map(|after| (case, after)))
            {
                let after = store.literal(after).unwrap();
                let mut text = store.regex(pattern).unwrap();
                if is_complement {
                    let complement = store.complement(text).unwrap();
                    text = store.intersection(&[any, complement]).unwrap();
                }
                let spelling = store.json_text(text).unwrap();
                let before = if is_opened { quote } else { RegularId::EPSILON };
                let start = store.concat(&[before, spelling, after]).unwrap();
                // From every reachable state, below the root and below the rest of each token.
                for state in reachable(&mut store, start, 60) {
                    let (lexeme, _) = lexicon.lexeme(&store, state).unwrap();
                    let Some((spelled, all)) = lexicon.automaton.spelled(lexeme).unwrap() else {
                        // Only states after a prefix, and complements, need not be spellings of a few texts.
                        assert!(state != start || is_complement, "{pattern}");
                        continue;
                    };
                    let (_, exit) = walked(&lexicon, lexeme, ContinuationId::ROOT);
                    for id in [Some(ContinuationId::ROOT), exit].into_iter().flatten() {
                        if !check_entry(&lexicon, lexeme, &spelled, all, id) {
                            continue;
                        }
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 500, "{compared} entries");
    }
}
