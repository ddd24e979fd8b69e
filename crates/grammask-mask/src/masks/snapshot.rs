//! Whole masks as plain data that can be saved. Summaries and the lexicon are not part of it: they are
//! computed again when a state without a mask needs them.

use grammask_earley::SetId;
use grammask_trie::{Mask, TokenId};
use grammask_work::{charge, charge_len, narrow};
use rustc_hash::FxHashMap;

use crate::Masks;
use crate::masks::delta_mask::{DeltaMask, MaskId};

/// Masks of states: plain data, to be stored and loaded. Made by [`Masks::save`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SavedMasks {
    masks: Vec<SavedMask>,
    /// Positions of states in the recognizer, ascending, with the positions of their masks.
    states: Vec<(u32, u32)>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum SavedMask {
    /// Run lengths of forbidden and allowed ids, alternating. All ids after the last run are forbidden.
    Runs(Vec<u32>),
    /// The words of the row.
    Words(Vec<u32>),
}

/// Number of tokens up to which a loaded mask is stored as a list. Larger masks are stored as rows.
const MAX_LISTED_TOKENS: usize = 64;

/// Error: the saved masks cannot be those of this grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("saved masks are damaged: {0}")]
pub struct DamagedMasks(&'static str);

/// Error of a call that its account of work has stopped. The caller reports the account instead.
const STOPPED: DamagedMasks = DamagedMasks("loading was stopped");

impl Masks {
    /// Returns the masks of all states that have one.
    pub fn save(&self) -> SavedMasks {
        let mut saved = SavedMasks::default();
        let mut scratch = self.scratch();
        // Difference masks have numbers of their own, and two of them may be equal masks.
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut contents: FxHashMap<Mask, u32> = FxHashMap::default();
        for (position, state) in self.recognizer.states().enumerate() {
            let Some(MaskId(delta_mask)) = self.at(state).known else { continue };
            let number = *numbers.entry(delta_mask).or_insert_with(|| {
                let next = narrow(saved.masks.len());
                let mask = self.mask(state, &mut scratch).expect("a mask that is known hits no limit");
                *contents.entry(mask.clone()).or_insert_with(|| {
                    saved.masks.push(SavedMask::new(mask));
                    next
                })
            });
            saved.states.push((narrow(position), number));
        }
        saved
    }

    /// Stores masks that were saved. The recognizer must have the states that it had then. `room` is the
    /// maximum number of bytes of the tables, including those of the recognizer; masks that do not fit are
    /// skipped.
    ///
    /// Loading checks that a mask allows only tokens that are possible, and that texts end where they are
    /// complete. It does not check that the other tokens belong to a state: load trusted data only.
    ///
    /// # Errors
    /// Returns an error if the masks cannot be those of the states. Some of them may be stored then.
    pub fn load(&self, saved: &SavedMasks, room: usize) -> Result<(), DamagedMasks> {
        let states: Vec<SetId> = self.recognizer.states().collect();
        let mut possible = Mask::new(self.vocabulary().id_count());
        let readable = self.vocabulary().tokens().filter(|(_, bytes)| !bytes.is_empty());
        possible.extend(readable.map(|(id, _)| id));
        possible.extend(self.specials.tokens().chain(self.ending.tokens().iter().copied()));
        let mut ends = Mask::new(self.vocabulary().id_count());
        ends.extend(self.ending.tokens().iter().copied());
        // Masks by position, each built on first use.
        let mut known: Vec<Option<LoadedMask>> = vec![None; saved.masks.len()];
        for &(position, number) in &saved.states {
            charge(1).map_err(|_| STOPPED)?;
            if self.bytes_used() > room {
                break;
            }
            let Some(&state) = states.get(position as usize) else {
                return Err(DamagedMasks("a mask belongs to a state that does not exist"));
            };
            let Some(known) = known.get_mut(number as usize) else {
                return Err(DamagedMasks("a state refers to a mask that does not exist"));
            };
            let known = match *known {
                Some(known) => known,
                None => {
                    charge_len(possible.as_words().len()).map_err(|_| STOPPED)?;
                    let mask = saved.masks[number as usize].mask(&possible)?;
                    let number = self.keep_content(&mask);
                    let mut allowed = mask;
                    allowed.intersect(&ends);
                    let ends_texts = allowed == ends;
                    self.specials.tokens().for_each(|id| allowed.forbid(id));
                    *known.insert(LoadedMask { number, ends_texts, ends_no_text: allowed.is_empty() })
                }
            };
            if !(if state.completes() { known.ends_texts } else { known.ends_no_text }) {
                return Err(DamagedMasks(
                    "a mask allows the end of an incomplete text, or forbids that of a complete one",
                ));
            }
            self.store_mask_id(state, known.number);
        }
        Ok(())
    }

    fn keep_content(&self, mask: &Mask) -> u32 {
        let more: Vec<TokenId> = mask.iter().take(MAX_LISTED_TOKENS + 1).collect();
        let delta_mask = if more.len() <= MAX_LISTED_TOKENS {
            DeltaMask::new(None, &[], &more)
        } else {
            DeltaMask::of_row(self.row(mask))
        };
        self.keep_delta_mask(delta_mask)
    }
}

/// A mask that has been built.
#[derive(Clone, Copy)]
struct LoadedMask {
    number: u32,
    /// True if it allows all tokens that end texts.
    ends_texts: bool,
    /// True if it allows none of these tokens except those that the grammar names.
    ends_no_text: bool,
}

impl SavedMask {
    fn new(mask: &Mask) -> Self {
        let words = mask.as_words();
        // A stored word takes up to 5 bytes, a stored run mostly 1 or 2.
        let most = 2 * words.len();
        let mut runs = Vec::new();
        let (mut before, mut end) = (0, 0);
        for id in mask.iter() {
            if id.0 != end || runs.is_empty() {
                if !runs.is_empty() {
                    runs.push(end - before);
                }
                runs.push(id.0 - end);
                before = id.0;
                if runs.len() > most {
                    return Self::Words(words.to_vec());
                }
            }
            end = id.0 + 1;
        }
        if end > before {
            runs.push(end - before);
        }
        Self::Runs(runs)
    }

    /// Returns the mask, with as many ids as `possible`. Returns an error if it allows other tokens.
    fn mask(&self, possible: &Mask) -> Result<Mask, DamagedMasks> {
        let damaged = DamagedMasks("a mask allows tokens that the vocabulary does not contain");
        let mut mask = Mask::new(possible.id_count());
        match self {
            Self::Words(words) if words.len() == mask.as_words().len() => {
                mask.as_words_mut().copy_from_slice(words);
            }
            Self::Words(_) => return Err(damaged),
            Self::Runs(runs) => {
                let mut at = 0u32;
                for pair in runs.chunks(2) {
                    let &[gap, length] = pair else { return Err(damaged) };
                    let first = at.checked_add(gap);
                    let end = first.and_then(|first| first.checked_add(length));
                    let (Some(first), Some(end)) = (first, end) else { return Err(damaged) };
                    if end as usize > mask.id_count() || length == 0 || (gap == 0 && at > 0) {
                        return Err(damaged);
                    }
                    allow(mask.as_words_mut(), first, end);
                    at = end;
                }
            }
        }
        let is_possible =
            mask.as_words().iter().zip(possible.as_words()).all(|(word, most)| word & !most == 0);
        if is_possible { Ok(mask) } else { Err(damaged) }
    }
}

/// Sets the bits from `first` to `end`, exclusive. The range must not be empty.
fn allow(words: &mut [u32], first: u32, end: u32) {
    let (low, high) = ((first / 32) as usize, ((end - 1) / 32) as usize);
    let (from, to) = (u32::MAX << (first % 32), u32::MAX >> (31 - (end - 1) % 32));
    if low == high {
        words[low] |= from & to;
        return;
    }
    words[low] |= from;
    words[low + 1..high].fill(u32::MAX);
    words[high] |= to;
}
