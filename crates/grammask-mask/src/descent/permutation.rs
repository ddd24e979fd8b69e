//! Permutations, which are items in any order. The items that may still come differ between states, but each
//! item has one total below a set.
//!
//! The total of each item is stored once. The mask of a permutation is the union over the items that may
//! still come.

use grammask_cache::Row;
use grammask_earley::{CalleeId, Choice, Error, NetworkNodeId, Permutation};
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::Buffers;
use crate::descent::summary::{EntryRef, SummaryKey};
use crate::descent::total::TotalId;
use crate::lexicon::walk::output::Want;
use crate::masks::budget::Fuel;
use crate::node_set::continuation::ContinuationId;

/// Outcome of looking up a permutation for a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// The totals and entries of the permutation were appended.
    Found,
    /// An item completes inside a token, so that more items follow, or an item is a lexeme. The caller
    /// computes an ordinary summary.
    Longer,
    /// The fuel is exhausted, or a summary was given up.
    TooMuch,
}

/// Values in the row of a permutation's items. `NOTHING`: the item accepts no token. `COMPLETE`: it completes
/// inside a token, or is a lexeme and nothing else. Smaller values are numbers of totals.
const NOTHING: u32 = Row::LIMIT - 1;
const COMPLETE: u32 = Row::LIMIT - 2;

impl Masks {
    /// Appends the totals and entries of a permutation. Leaves both lists unchanged unless it returns
    /// `Found`.
    pub(crate) fn selected(
        &self,
        selection: Permutation<'_>,
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
        (totals, lexemes): (&mut Vec<TotalId>, &mut Vec<EntryRef>),
    ) -> Result<Selected, Error> {
        let before = (totals.len(), lexemes.len());
        let selected = match selection {
            Permutation::Items { callee, count, choices } => {
                self.items((callee, count, choices), continuation, fuel, buffers, totals)?
            }
            Permutation::Separator { start, back } => {
                let lists = (&mut *totals, &mut *lexemes);
                self.separated((start, back), continuation, fuel, buffers, lists)?
            }
        };
        if selected != Selected::Found {
            totals.truncate(before.0);
            lexemes.truncate(before.1);
        }
        Ok(selected)
    }

    /// Appends the result of a separator and of the items after it.
    fn separated(
        &self,
        (start, back): (NetworkNodeId, NetworkNodeId),
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
        (totals, lexemes): (&mut Vec<TotalId>, &mut Vec<EntryRef>),
    ) -> Result<Selected, Error> {
        let mut exits: SmallVec<[ContinuationId; 2]> = SmallVec::new();
        if self.recognizer.inspect().is_lexeme(start) {
            let (key, exit) = self.lexeme_entry(start, continuation, Want::TokensAndExits, fuel)?;
            lexemes.push(key);
            exits.extend(exit);
        } else {
            let Some(summary) = self.summary((start, continuation), fuel, buffers)? else {
                return Ok(Selected::TooMuch);
            };
            let Some(total) = self.total_of(summary, fuel, buffers)? else {
                return Ok(Selected::TooMuch);
            };
            totals.push(total);
            exits.extend_from_slice(&summary.exits);
        }
        if exits.is_empty() {
            return Ok(Selected::Found);
        }
        let Some(Permutation::Items { callee, count, choices }) =
            self.recognizer.inspect().permutation(back)?
        else {
            return Ok(Selected::Longer);
        };
        for exit in exits {
            match self.items((callee, count, choices), exit, fuel, buffers, totals)? {
                Selected::Found => {}
                other => return Ok(other),
            }
        }
        Ok(Selected::Found)
    }

    /// Appends the totals of the items that may still come. `count` is the number of all items, the length of
    /// their row.
    fn items(
        &self,
        (callee, count, choices): (CalleeId, usize, &[Choice]),
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
        totals: &mut Vec<TotalId>,
    ) -> Result<Selected, Error> {
        let key = (callee, continuation);
        let row = match self.selections.get(&key) {
            Some(row) => row,
            None => {
                let row = Row::new(count);
                self.budget.spend(row.bytes_used() + size_of::<((CalleeId, ContinuationId), Row)>());
                self.selections.insert(key, row).0
            }
        };
        let mut last = NOTHING;
        for choice in choices.iter().map(Choice::item) {
            let known = match row.get(choice) {
                Some(known) => known,
                None => {
                    // The number of items is not limited: totals are reused by later masks, while a walk with
                    // the state repeats the work for each mask.
                    if fuel.is_exhausted() {
                        return Ok(Selected::TooMuch);
                    }
                    let start = self.recognizer.inspect().item_start(callee, choice)?;
                    let Some(found) = self.item(start, continuation, fuel, buffers)? else {
                        return Ok(Selected::TooMuch);
                    };
                    row.set(choice, found);
                    found
                }
            };
            match known {
                COMPLETE => return Ok(Selected::Longer),
                // Neighbouring items mostly have one total; other repetitions are dropped later.
                known if known == last || known == NOTHING => {}
                known => {
                    totals.push(TotalId::from_number(known));
                    last = known;
                }
            }
        }
        Ok(Selected::Found)
    }

    /// Returns the value in the row for an item that begins at a node. Returns `None` if that is too much
    /// work.
    fn item(
        &self,
        start: NetworkNodeId,
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<u32>, Error> {
        if !self.takes_some(start, continuation)? {
            return Ok(Some(NOTHING));
        }
        if let Some((lexeme, back)) = self.recognizer.inspect().only_lexeme(start)? {
            return self.keyed_item((lexeme, back), continuation, fuel, buffers);
        }
        if self.recognizer.inspect().is_lexeme(start) {
            return Ok(Some(COMPLETE));
        }
        self.part_of_item((start, continuation), fuel, buffers)
    }

    /// As [`item`](Self::item), for an item that begins with a lexeme, such as a key, and continues at
    /// `back`. The item is not run as a whole: after most keys, nothing more fits into a token.
    fn keyed_item(
        &self,
        (lexeme, back): (NetworkNodeId, NetworkNodeId),
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<u32>, Error> {
        let (key, exit) = self.lexeme_entry(lexeme, continuation, Want::TokensAndExits, fuel)?;
        let behind = match exit {
            None => NOTHING,
            Some(_) if self.recognizer.inspect().flags(back).is_final => return Ok(Some(COMPLETE)),
            Some(exit) if !self.takes_some(back, exit)? => NOTHING,
            Some(exit) => match self.part_of_item((back, exit), fuel, buffers)? {
                Some(COMPLETE) => return Ok(Some(COMPLETE)),
                Some(behind) => behind,
                None => return Ok(None),
            },
        };
        let behind = (behind != NOTHING).then(|| TotalId::from_number(behind));
        Ok(Some(self.total_of_lexeme(key, behind, &mut buffers.total_builder)?.number()))
    }

    /// Returns `true` if a node continues by a byte of some edge from the trie nodes.
    fn takes_some(&self, node: NetworkNodeId, continuation: ContinuationId) -> Result<bool, Error> {
        let lexicon = &*self.lexicon;
        let bytes = lexicon.continuation(continuation).first_bytes(lexicon.outline());
        Ok(!self.recognizer.inspect().first_bytes(node)?.intersection(bytes).is_empty())
    }

    /// Returns the value in the row for an item from a node on. Returns `None` if that is too much work.
    fn part_of_item(
        &self,
        key: SummaryKey,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<u32>, Error> {
        let Some(summary) = self.summary(key, fuel, buffers)? else { return Ok(None) };
        if !summary.exits.is_empty() {
            return Ok(Some(COMPLETE));
        }
        Ok(self.total_of(summary, fuel, buffers)?.map(TotalId::number))
    }
}
