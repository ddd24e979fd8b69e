//! Languages that an expression refers to as a state of an automaton, instead of spelling them out.
//!
//! ```text
//! leaf               language                            state
//! acyclic_dfa        character classes, few short words  state of one shared minimal acyclic DFA
//! word_list          long texts, many words              range of a sorted list, and a depth
//! aho_corasick       strings without certain substrings  node of a trie with failure links
//! factor_automaton   substrings of one text              state of its suffix automaton
//! ```
//!
//! Numbers are leaves too; see `number`.

pub(crate) mod acyclic_dfa;
pub(crate) mod aho_corasick;
pub(crate) mod factor_automaton;
pub(crate) mod interner;
pub(crate) mod word_list;

use crate::number::state::{NumberState, Numbers};
use acyclic_dfa::AcyclicDfa;
use aho_corasick::AhoCorasick;
use factor_automaton::FactorAutomaton;
use interner::Interner;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use word_list::{WordList, WordRange};

/// Ranges of characters, ascending; both ends are inclusive.
type CharRanges = Arc<[(char, char)]>;

/// Heap bytes of an interned word range, approximately: the range, and its slot in the hash table.
const BYTES_PER_WORD_RANGE: usize = 32;

/// Texts in ascending order.
type SortedTexts = Arc<[Box<[u8]>]>;

/// The automata of all leaves of a store. Clones of a store share them.
#[derive(Clone)]
pub(crate) struct Leaves {
    pub(crate) acyclic: Arc<AcyclicDfa>,
    /// States of the acyclic DFA for character classes, by their ranges.
    pub(crate) classes: FxHashMap<CharRanges, u32>,
    pub(crate) word_lists: Interner<Arc<WordList>, Arc<WordList>>,
    pub(crate) word_ranges: Interner<WordRange, WordRange>,
    /// Automata for excluded texts, by their sorted texts.
    pub(crate) aho_corasick: Interner<SortedTexts, Arc<AhoCorasick>>,
    /// Automata for substrings, by their text.
    pub(crate) factor_automata: Interner<Arc<[u8]>, Arc<FactorAutomaton>>,
    pub(crate) numbers: Interner<Arc<Numbers>, Arc<Numbers>>,
    pub(crate) number_states: Interner<NumberState, NumberState>,
    /// Heap bytes of the tables, without the acyclic DFA.
    pub(crate) bytes: usize,
}

impl Default for Leaves {
    fn default() -> Self {
        Self {
            acyclic: Arc::new(AcyclicDfa::new()),
            classes: FxHashMap::default(),
            word_lists: Interner::default(),
            word_ranges: Interner::default(),
            aho_corasick: Interner::default(),
            factor_automata: Interner::default(),
            numbers: Interner::default(),
            number_states: Interner::default(),
            bytes: 0,
        }
    }
}

impl Leaves {
    pub(crate) fn intern_word_list(&mut self, list: Arc<WordList>) -> u32 {
        let bytes = list.bytes_used();
        let (id, is_new) = self.word_lists.intern(Arc::clone(&list), list);
        self.bytes += if is_new { bytes } else { 0 };
        id
    }

    pub(crate) fn intern_aho_corasick(&mut self, automaton: Arc<AhoCorasick>) -> u32 {
        let bytes = automaton.bytes_used();
        let (id, is_new) = self.aho_corasick.intern(Arc::clone(&automaton.texts), automaton);
        self.bytes += if is_new { bytes } else { 0 };
        id
    }

    pub(crate) fn intern_factor_automaton(&mut self, automaton: Arc<FactorAutomaton>) -> u32 {
        let bytes = automaton.bytes_used();
        let (id, is_new) = self.factor_automata.intern(Arc::clone(&automaton.text), automaton);
        self.bytes += if is_new { bytes } else { 0 };
        id
    }

    pub(crate) fn intern_numbers(&mut self, numbers: Arc<Numbers>) -> u32 {
        let bytes = numbers.bytes_used();
        let (id, is_new) = self.numbers.intern(Arc::clone(&numbers), numbers);
        self.bytes += if is_new { bytes } else { 0 };
        id
    }

    pub(crate) fn intern_number_state(&mut self, state: NumberState) -> u32 {
        let (id, is_new) = self.number_states.intern(state, state);
        self.bytes += if is_new { 3 * size_of::<NumberState>() } else { 0 };
        id
    }

    /// Returns the list of an interned range, and the range.
    pub(crate) fn words(&self, range: u32) -> (&WordList, std::ops::Range<u32>) {
        let WordRange { list, start, end } = self.word_ranges[range];
        (&self.word_lists[list], start..end)
    }

    /// Returns the only word of an interned range, if it has no other.
    pub(crate) fn only_word(&self, range: u32) -> Option<&[u8]> {
        let (list, words) = self.words(range);
        (words.len() == 1).then(|| list.word(words.start))
    }

    /// Returns the heap bytes, approximately. Shared automata count in each clone.
    pub(crate) fn bytes_used(&self) -> usize {
        self.bytes + self.acyclic.bytes_used() + self.word_ranges.len() * BYTES_PER_WORD_RANGE
    }
}
