//! What items in any order take. Which of them may still come differs from place to place; what each takes below the same places in the
//! trie does not. So that is found once for an item, and a selection's mask is put together from the items that may come. Below most places
//! nearly all items take the same: a quote.

use grammask_cache::Row;
use grammask_earley::{CalleeId, Choice, Error, NetworkNodeId, Permutation};
use smallvec::SmallVec;

use crate::Masks;
use crate::descent::Buffers;
use crate::descent::summary::{LexemeKey, PartKey};
use crate::descent::total::TakingId;
use crate::lexicon::walk::output::Asked;
use crate::masks::budget::Fuel;
use crate::node_set::interned::ContinuationId;

/// How a selection takes part in a mask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    /// By what has been found.
    Found,
    /// Some item is complete inside of a token, so that more items follow, or an item is a lexeme: it is a part like others.
    Longer,
    /// It is too much work to find out.
    TooMuch,
}

/// In the row of a selection's items: the item takes nothing; it is complete inside of a token, or is nothing but a lexeme, which is left to
/// others. Numbers of takings are below.
const NOTHING: u32 = Row::LIMIT - 1;
const COMPLETE: u32 = Row::LIMIT - 2;

impl Masks {
    /// What is taken at a place among items in any order: appended to `takings` and `lexemes`, unless it is not found so.
    pub(crate) fn selected(
        &self,
        selection: Permutation<'_>,
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
        (takings, lexemes): (&mut Vec<TakingId>, &mut Vec<LexemeKey>),
    ) -> Result<Selected, Error> {
        let before = (takings.len(), lexemes.len());
        let selected = match selection {
            Permutation::Items { callee, count, choices } => {
                self.items((callee, count, choices), continuation, fuel, buffers, takings)?
            }
            Permutation::Separator { start, back } => {
                let lists = (&mut *takings, &mut *lexemes);
                self.separated((start, back), continuation, fuel, buffers, lists)?
            }
        };
        if selected != Selected::Found {
            takings.truncate(before.0);
            lexemes.truncate(before.1);
        }
        Ok(selected)
    }

    /// What a separator takes, and the items behind it.
    fn separated(
        &self,
        (start, back): (NetworkNodeId, NetworkNodeId),
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
        (takings, lexemes): (&mut Vec<TakingId>, &mut Vec<LexemeKey>),
    ) -> Result<Selected, Error> {
        let mut exits: SmallVec<[ContinuationId; 2]> = SmallVec::new();
        if self.recognizer.inspect().is_lexeme(start) {
            let (key, exit) = self.lexeme_part(start, continuation, Asked::Places, fuel)?;
            lexemes.push(key);
            exits.extend(exit);
        } else {
            let Some(part) = self.part((start, continuation), fuel, buffers)? else {
                return Ok(Selected::TooMuch);
            };
            let Some(taking) = self.taking_of(part, fuel, buffers)? else {
                return Ok(Selected::TooMuch);
            };
            takings.push(taking);
            exits.extend_from_slice(&part.handovers);
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
            match self.items((callee, count, choices), exit, fuel, buffers, takings)? {
                Selected::Found => {}
                other => return Ok(other),
            }
        }
        Ok(Selected::Found)
    }

    /// What those of a selection's items take that may come; how many items it has says how long their row is.
    fn items(
        &self,
        (callee, count, choices): (CalleeId, usize, &[Choice]),
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
        takings: &mut Vec<TakingId>,
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
                    // However many they are: what has been found is known for the next mask, and a walk with all of them finds it anew for each.
                    if fuel.is_burnt() {
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
                // Neighbours mostly take the same, and what is listed twice is dropped later.
                known if known == last || known == NOTHING => {}
                known => {
                    takings.push(TakingId::from_number(known));
                    last = known;
                }
            }
        }
        Ok(Selected::Found)
    }

    /// What an item takes that begins at this node, as it is noted in a row.
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

    /// The same for an item that begins with a lexeme, as with a key, and goes on at `back`. It need not be run as a whole, and behind most keys
    /// nothing fits into a token.
    fn keyed_item(
        &self,
        (lexeme, back): (NetworkNodeId, NetworkNodeId),
        continuation: ContinuationId,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<u32>, Error> {
        let (key, exit) = self.lexeme_part(lexeme, continuation, Asked::Places, fuel)?;
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
        let behind = (behind != NOTHING).then(|| TakingId::from_number(behind));
        Ok(Some(self.taking_of_lexeme(key, behind, &mut buffers.gathering)?.number()))
    }

    /// Whether a node goes on by a byte that some of the places go on by.
    fn takes_some(&self, node: NetworkNodeId, continuation: ContinuationId) -> Result<bool, Error> {
        let lexicon = &*self.lexicon;
        let bytes = lexicon.continuation(continuation).first_bytes(lexicon.outline());
        Ok(!self.recognizer.inspect().first_bytes(node)?.intersection(bytes).is_empty())
    }

    /// What an item takes from a node on, as it is noted in a row.
    fn part_of_item(
        &self,
        key: PartKey,
        fuel: &Fuel<'_>,
        buffers: &mut Buffers,
    ) -> Result<Option<u32>, Error> {
        let Some(part) = self.part(key, fuel, buffers)? else { return Ok(None) };
        if !part.handovers.is_empty() {
            return Ok(Some(COMPLETE));
        }
        Ok(self.taking_of(part, fuel, buffers)?.map(TakingId::number))
    }
}
