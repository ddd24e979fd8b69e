//! Permutations, which are items in any order. The items that may still come differ between states, but each
//! item has one total below a set.
//!
//! The total of each item is stored once. The mask of a permutation is the union over the items that may
//! still come.

use grammask_cache::Row;
use grammask_earley::{CalleeId, Choice, Error, NetworkNodeId, Permutation};
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::summary::{SummaryContext, SummaryKey};
use crate::descent::total::TotalId;
use crate::lexicon::walk::output::Want;
use crate::masks::assemble::Operands;
use crate::node_set::continuation::ContinuationId;

/// Outcome of looking up a permutation for a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PermutationOutcome {
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

/// The items of a permutation that may still come.
#[derive(Clone, Copy)]
struct ItemChoices<'a> {
    callee: CalleeId,
    /// Number of all items, the length of their row.
    count: usize,
    choices: &'a [Choice],
}

impl SummaryContext<'_> {
    /// Appends the totals and entries of a permutation. Leaves `operands` unchanged unless it returns
    /// `Found`.
    pub(crate) fn permutation_totals(
        &mut self,
        permutation: Permutation<'_>,
        continuation: ContinuationId,
        operands: &mut Operands,
    ) -> Result<PermutationOutcome, Error> {
        let before = (operands.totals.len(), operands.lexemes.len());
        let outcome = match permutation {
            Permutation::Items { callee, count, choices } => {
                self.item_totals(ItemChoices { callee, count, choices }, continuation, &mut operands.totals)?
            }
            Permutation::Separator { start, back } => {
                self.separator_totals(start, back, continuation, operands)?
            }
        };
        if outcome != PermutationOutcome::Found {
            operands.totals.truncate(before.0);
            operands.lexemes.truncate(before.1);
        }
        Ok(outcome)
    }

    /// Appends the result of a separator that begins at `start`, and of the items after it, at `back`.
    fn separator_totals(
        &mut self,
        start: NetworkNodeId,
        back: NetworkNodeId,
        continuation: ContinuationId,
        operands: &mut Operands,
    ) -> Result<PermutationOutcome, Error> {
        let inspect = self.masks.recognizer.inspect();
        let mut exits: SmallVec<[ContinuationId; 2]> = SmallVec::new();
        if inspect.is_lexeme(start) {
            let (key, exit) =
                self.masks.lexeme_entry(start, continuation, Want::TokensAndExits, self.fuel)?;
            operands.lexemes.push(key);
            exits.extend(exit);
        } else {
            let Some(summary) = self.summary((start, continuation))? else {
                return Ok(PermutationOutcome::TooMuch);
            };
            let Some(total) = self.total_of(summary)? else { return Ok(PermutationOutcome::TooMuch) };
            operands.totals.push(total);
            exits.extend_from_slice(&summary.exits);
        }
        if exits.is_empty() {
            return Ok(PermutationOutcome::Found);
        }
        let Some(Permutation::Items { callee, count, choices }) = inspect.permutation(back)? else {
            return Ok(PermutationOutcome::Longer);
        };
        for exit in exits {
            let items = ItemChoices { callee, count, choices };
            match self.item_totals(items, exit, &mut operands.totals)? {
                PermutationOutcome::Found => {}
                other => return Ok(other),
            }
        }
        Ok(PermutationOutcome::Found)
    }

    /// Appends the totals of the items that may still come.
    fn item_totals(
        &mut self,
        ItemChoices { callee, count, choices }: ItemChoices<'_>,
        continuation: ContinuationId,
        totals: &mut Vec<TotalId>,
    ) -> Result<PermutationOutcome, Error> {
        let masks = self.masks;
        let key = (callee, continuation);
        let row = match masks.permutation_rows.get(&key) {
            Some(row) => row,
            None => {
                let row = Row::new(count);
                masks.budget.spend(row.bytes_used() + size_of::<((CalleeId, ContinuationId), Row)>());
                masks.permutation_rows.insert(key, row).0
            }
        };
        let mut last = NOTHING;
        for choice in choices.iter().map(Choice::item) {
            let known = match row.get(choice) {
                Some(known) => known,
                None => {
                    // The number of items is not limited: totals are reused by later masks, while a walk with
                    // the state repeats the work for each mask.
                    if self.fuel.is_exhausted() {
                        return Ok(PermutationOutcome::TooMuch);
                    }
                    let start = masks.recognizer.inspect().item_start(callee, choice)?;
                    let Some(found) = self.item_value(start, continuation)? else {
                        return Ok(PermutationOutcome::TooMuch);
                    };
                    row.set(choice, found);
                    found
                }
            };
            match known {
                COMPLETE => return Ok(PermutationOutcome::Longer),
                // Neighbouring items mostly have one total; other repetitions are dropped later.
                known if known == last || known == NOTHING => {}
                known => {
                    totals.push(TotalId::from_number(known));
                    last = known;
                }
            }
        }
        Ok(PermutationOutcome::Found)
    }

    /// Returns the value in the row for an item that begins at a node. Returns `None` if that is too much
    /// work.
    fn item_value(
        &mut self,
        start: NetworkNodeId,
        continuation: ContinuationId,
    ) -> Result<Option<u32>, Error> {
        let inspect = self.masks.recognizer.inspect();
        if !self.masks.continues_below(start, continuation)? {
            return Ok(Some(NOTHING));
        }
        if let Some((lexeme, back)) = inspect.only_lexeme(start)? {
            return self.keyed_item_value(lexeme, back, continuation);
        }
        if inspect.is_lexeme(start) {
            return Ok(Some(COMPLETE));
        }
        self.rest_of_item_value((start, continuation))
    }

    /// As [`item_value`](Self::item_value), for an item that begins with a lexeme, such as a key, and
    /// continues at the node `back`. Combines the lexeme's entry with the summary of `back`. The latter is
    /// mostly not needed, because few tokens reach beyond a key.
    fn keyed_item_value(
        &mut self,
        lexeme: NetworkNodeId,
        back: NetworkNodeId,
        continuation: ContinuationId,
    ) -> Result<Option<u32>, Error> {
        let masks = self.masks;
        let (key, exit) = masks.lexeme_entry(lexeme, continuation, Want::TokensAndExits, self.fuel)?;
        let rest = match exit {
            None => NOTHING,
            Some(_) if masks.recognizer.inspect().flags(back).is_final => return Ok(Some(COMPLETE)),
            Some(exit) if !masks.continues_below(back, exit)? => NOTHING,
            Some(exit) => match self.rest_of_item_value((back, exit))? {
                Some(COMPLETE) => return Ok(Some(COMPLETE)),
                Some(rest) => rest,
                None => return Ok(None),
            },
        };
        let rest = (rest != NOTHING).then(|| TotalId::from_number(rest));
        Ok(Some(masks.total_of_lexeme(key, rest, &mut self.buffers.total_builder)?.number()))
    }

    /// Returns the value in the row for an item from a node on. Returns `None` if that is too much work.
    fn rest_of_item_value(&mut self, key: SummaryKey) -> Result<Option<u32>, Error> {
        let Some(summary) = self.summary(key)? else { return Ok(None) };
        if !summary.exits.is_empty() {
            return Ok(Some(COMPLETE));
        }
        Ok(self.total_of(summary)?.map(TotalId::number))
    }
}

impl Masks {
    /// Returns `true` if a node continues by a byte of some edge from the trie nodes.
    fn continues_below(&self, node: NetworkNodeId, continuation: ContinuationId) -> Result<bool, Error> {
        let lexicon = &*self.lexicon;
        let bytes = lexicon.continuation(continuation).first_bytes(lexicon.trie_index());
        Ok(!self.recognizer.inspect().first_bytes(node)?.intersection(bytes).is_empty())
    }
}
