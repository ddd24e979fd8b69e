//! Assembles the mask of a state from totals of summaries and entries of lexemes.

use crate::lexicon::walk::output::NODES_PER_UNIT;
use grammask_work::{charge, charge_len};
use std::sync::{Mutex, PoisonError};

use grammask_earley::{Error, Item, OriginId, SetId};
use grammask_trie::{Mask, TokenId, copy_row};
use smallvec::SmallVec;

use crate::descent::Buffers;
use crate::descent::completions::Completions;
use crate::descent::permutation::PermutationOutcome;
use crate::descent::summary::{EntryRef, SummaryContext};
use crate::descent::total::TotalId;
use crate::lexicon::walk::output::Want;
use crate::lexicon::{EntryId, TokenView};
use crate::masks::budget::Fuel;
use crate::masks::delta_mask::{DeltaMask, RowId, Scratch, change};
use crate::node_set::continuation::ContinuationId;
use crate::{Ending, Masks};

/// Summaries of one mask. Beyond it, the trie is walked once with the Earley state.
const MAX_SUMMARIES_PER_MASK: usize = 8_192;

/// Tokens of the difference from a row; a mask with more gets a row of its own.
const MAX_DELTA_TOKENS: usize = 1024;

/// Tokens of a total in a difference; larger totals become part of the row if the difference is too large.
const MAX_TOKENS_PER_TOTAL_IN_DELTA: usize = 64;

/// Buffers for assembling masks, reused from one mask to the next.
#[derive(Default)]
#[expect(
    clippy::vec_box,
    reason = "a mask takes a scratch space out and puts it back, which moves a pointer"
)]
pub(crate) struct ScratchPool(Mutex<Vec<Box<AssemblyScratch>>>);

/// Outcome of assembling a mask.
pub(crate) enum Assembled {
    /// The mask is in the scratch.
    Written,
    /// The mask is this difference from a row.
    Delta(DeltaMask),
    /// The mask with this number has the same parts.
    Kept(u32),
    /// Walking the trie once is less work: the grammar is very ambiguous.
    TooMuch,
}

/// Operands of the union that is a mask, as sorted numbers: the number of entries with a bit for
/// completeness, the entries, and the totals. Masks with equal keys are equal.
pub(crate) type UnionKey = Box<[u64]>;

/// Buffers of one assembly.
#[derive(Default)]
struct AssemblyScratch {
    agenda: Agenda,
    operands: Operands,
    /// Nodes at which the text may end.
    ends: Vec<ContinuationId>,
    /// Buffer for the [`UnionKey`] of a look-up.
    key: Vec<u64>,
    changes: TokenChanges,
    buffers: Buffers,
}

/// Items and completed origins that are still to be processed. Each has the number of the completion that
/// precedes it on the path from the state.
#[derive(Default)]
struct Agenda {
    completions: Completions,
    /// Items, each with the nodes below which it is processed.
    items: Vec<(Item, ContinuationId, Option<u32>)>,
    /// Completed origins, each with the nodes at which it completed.
    origins: Vec<(OriginId, ContinuationId, Option<u32>)>,
}

/// The entries and totals whose union is a mask.
#[derive(Default)]
pub(crate) struct Operands {
    pub(crate) lexemes: Vec<EntryRef>,
    pub(crate) totals: Vec<TotalId>,
}

/// Entries with many tokens, and their tokens.
type LargeEntries<'a> = SmallVec<[(EntryRef, TokenView<'a>); 8]>;

/// Difference of a mask from a row: tokens that the mask lacks, and tokens that it adds.
#[derive(Default)]
struct TokenChanges {
    removed: Vec<TokenId>,
    added: Vec<TokenId>,
}

impl TokenChanges {
    fn clear(&mut self) {
        self.removed.clear();
        self.added.clear();
    }
}

/// Work of one item, or of one completed origin.
const UNITS_PER_ITEM: u64 = 16;

impl ScratchPool {
    fn take(&self) -> Box<AssemblyScratch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put_back(&self, space: Box<AssemblyScratch>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(space);
    }
}

impl AssemblyScratch {
    fn clear(&mut self) {
        self.agenda.completions.clear();
        self.agenda.items.clear();
        self.agenda.origins.clear();
        self.operands.lexemes.clear();
        self.operands.totals.clear();
        self.ends.clear();
    }
}

impl Masks {
    /// Assembles the mask of a state: the items of the state below the root, then, wherever an origin
    /// completes, its callers.
    pub(crate) fn assemble(&self, state: SetId, scratch: &mut Scratch) -> Result<Assembled, Error> {
        let mut space = self.scratch_pool.take();
        space.clear();
        let fuel = Fuel::new(self, self.recognizer.kernel(state).len());
        let AssemblyScratch { agenda, operands, ends, key, changes, buffers } = &mut *space;
        let summaries = SummaryContext { masks: self, fuel: &fuel, buffers };
        let wants_ends = self.ending == Ending::Eager;
        let assembly =
            Assembly { masks: self, state, wants_ends, summaries, agenda, operands, ends, key, changes };
        let result = assembly.run(scratch);
        if let Ok(assembled) = &result {
            fuel.finish_mask(!matches!(assembled, Assembled::TooMuch));
        }
        self.scratch_pool.put_back(space);
        result
    }
}

impl Masks {
    /// Collects the operands whose union is the token set of a state, and the trie nodes at which its root
    /// origin completes. Returns `None` if the fuel or the maximum number of summaries does not suffice.
    pub(crate) fn assemble_parts(
        &self,
        state: SetId,
    ) -> Result<Option<(Operands, Vec<ContinuationId>)>, Error> {
        let mut space = self.scratch_pool.take();
        space.clear();
        let fuel = Fuel::new(self, self.recognizer.kernel(state).len());
        let AssemblyScratch { agenda, operands, ends, key, changes, buffers } = &mut *space;
        let summaries = SummaryContext { masks: self, fuel: &fuel, buffers };
        let wants_ends = true;
        let mut assembly =
            Assembly { masks: self, state, wants_ends, summaries, agenda, operands, ends, key, changes };
        let result = assembly.collect().map(|is_found| {
            is_found.then(|| {
                let mut ends = std::mem::take(assembly.ends);
                ends.sort_unstable();
                ends.dedup();
                (std::mem::take(assembly.operands), ends)
            })
        });
        self.scratch_pool.put_back(space);
        result
    }
}

/// The assembly of the mask of one state.
struct Assembly<'a> {
    masks: &'a Masks,
    state: SetId,
    /// True if the trie nodes at which the root origin completes are wanted.
    wants_ends: bool,
    summaries: SummaryContext<'a>,
    agenda: &'a mut Agenda,
    operands: &'a mut Operands,
    ends: &'a mut Vec<ContinuationId>,
    key: &'a mut Vec<u64>,
    changes: &'a mut TokenChanges,
}

impl<'a> Assembly<'a> {
    /// Collects the operands of the mask, and returns the mask that is their union.
    fn run(mut self, scratch: &mut Scratch) -> Result<Assembled, Error> {
        if !self.collect()? {
            return Ok(Assembled::TooMuch);
        }
        let Operands { lexemes, totals } = &mut *self.operands;
        totals.sort_unstable();
        totals.dedup();
        totals.iter().for_each(|&total| lexemes.extend_from_slice(&self.masks.total(total).lexemes));
        lexemes.sort_unstable();
        lexemes.dedup();
        // With the eager ending or with special tokens, a mask depends on more than its key.
        let is_plain =
            self.masks.ending != Ending::Eager && self.masks.recognizer.network().specials.is_empty();
        if is_plain && self.masks.config.tuning.keep_masks {
            self.find_or_keep(scratch)
        } else {
            self.write(scratch)
        }
    }

    /// Collects the operands of the union. Returns `false` if the fuel or `MAX_SUMMARIES_PER_MASK` does not
    /// suffice.
    fn collect(&mut self) -> Result<bool, Error> {
        let masks = self.masks;
        for &item in masks.recognizer.kernel(self.state) {
            self.agenda.items.push((item, ContinuationId::ROOT, None));
        }
        let mut summaries = 0;
        loop {
            while let Some((item, continuation, after)) = self.agenda.items.pop() {
                let is_lexeme = masks.recognizer.inspect().is_lexeme(item.node);
                charge(UNITS_PER_ITEM)?;
                summaries += usize::from(!is_lexeme);
                if summaries > MAX_SUMMARIES_PER_MASK || self.summaries.fuel.is_exhausted() {
                    return Ok(false);
                }
                if is_lexeme {
                    self.process_lexeme(item, continuation, after)?;
                } else if !self.process_rule(item, continuation, after)? {
                    return Ok(false);
                }
            }
            charge(UNITS_PER_ITEM)?;
            if !self.complete_next()? {
                return Ok(true);
            }
        }
    }

    /// Adds the entry of an item that is a lexeme.
    fn process_lexeme(
        &mut self,
        item: Item,
        continuation: ContinuationId,
        after: Option<u32>,
    ) -> Result<(), Error> {
        let want = self.want_after(item.origin)?;
        let fuel = self.summaries.fuel;
        let (key, exit) = self.masks.lexeme_entry(item.node, continuation, want, fuel)?;
        self.operands.lexemes.push(key);
        self.agenda.origins.extend(exit.map(|continuation| (item.origin, continuation, after)));
        Ok(())
    }

    /// Adds the total of an item that is not a lexeme. Returns `false` if that is too much work.
    fn process_rule(
        &mut self,
        item: Item,
        continuation: ContinuationId,
        after: Option<u32>,
    ) -> Result<bool, Error> {
        let inspect = self.masks.recognizer.inspect();
        if let Some(permutation) = inspect.permutation(item.node)? {
            match self.summaries.permutation_totals(permutation, continuation, self.operands)? {
                PermutationOutcome::Found => return Ok(true),
                PermutationOutcome::Longer => {}
                PermutationOutcome::TooMuch => return Ok(false),
            }
        }
        let key = (inspect.saturate(item.node, self.masks.lexicon.max_token_bytes()), continuation);
        let Some(summary) = self.summaries.summary(key)? else { return Ok(false) };
        let Some(total) = self.summaries.total_of(summary)? else { return Ok(false) };
        self.operands.totals.push(total);
        let exits = summary.exits.iter();
        self.agenda.origins.extend(exits.map(|&continuation| (item.origin, continuation, after)));
        Ok(true)
    }

    /// Continues the callers of the next completed origin. Returns `false` if there is none.
    fn complete_next(&mut self) -> Result<bool, Error> {
        let (masks, lexicon) = (self.masks, &*self.masks.lexicon);
        let Agenda { completions, items, origins } = &mut *self.agenda;
        let (origin, continuation, after, number) = match origins.pop() {
            Some((origin, continuation, after)) => (origin, continuation, after, None),
            None => match completions.next(lexicon) {
                Some((origin, continuation, number)) => (origin, continuation, None, Some(number)),
                None => return Ok(false),
            },
        };
        if origin == OriginId::ROOT {
            self.ends.push(continuation);
        }
        let Some(resumption) = masks.recognizer.inspect().resumption(origin)? else { return Ok(true) };
        let bytes = lexicon.continuation(continuation).first_bytes(lexicon.trie_index());
        if resumption.is_end {
            self.ends.push(continuation);
        }
        if resumption.follow.intersection(bytes).is_empty() {
            return Ok(true);
        }
        let fuel = self.summaries.fuel;
        let number = number.or_else(|| completions.add(fuel, origin, continuation, after));
        let Some(number) = number else { return Ok(true) };
        let goes_on = resumption.items.iter().filter(|(_, first)| !first.intersection(bytes).is_empty());
        items.extend(goes_on.map(|&(item, _)| (item, continuation, Some(number))));
        origins.extend(resumption.overflow.iter().map(|&origin| (origin, continuation, Some(number))));
        Ok(true)
    }

    /// Returns the output that an item needs: exits as well if its callers continue, or if the text ends
    /// there by itself.
    fn want_after(&self, origin: OriginId) -> Result<Want, Error> {
        let resumption = self.masks.recognizer.inspect().resumption(origin)?;
        let goes_on = resumption.is_some_and(|resumption| !resumption.follow.is_empty());
        let needs_exits = goes_on || self.wants_ends;
        Ok(if needs_exits { Want::TokensAndExits } else { Want::Tokens })
    }

    /// Returns the number of the mask with these operands; computes and keeps the mask if it is new.
    fn find_or_keep(mut self, scratch: &mut Scratch) -> Result<Assembled, Error> {
        let masks = self.masks;
        let Operands { lexemes, totals } = &*self.operands;
        self.key.clear();
        self.key.push((lexemes.len() as u64) << 1 | u64::from(self.state.completes()));
        self.key.extend(lexemes.iter().map(EntryRef::as_number));
        self.key.extend(totals.iter().map(|total| u64::from(total.number())));
        if let Some(&number) = masks.masks_by_union.get(&self.key[..]) {
            return Ok(Assembled::Kept(number));
        }
        let delta_mask = match self.delta_mask()? {
            Some(delta_mask) => delta_mask,
            None => {
                let mask = scratch.anything();
                self.unite(mask)?;
                masks.finish(self.state, mask)?;
                DeltaMask::of_row(masks.row(mask))
            }
        };
        let number = masks.keep_delta_mask(delta_mask);
        masks.budget.spend(size_of::<(UnionKey, u32)>() + size_of_val(&self.key[..]));
        masks.masks_by_union.insert(self.key.as_slice().into(), number);
        Ok(Assembled::Kept(number))
    }

    /// Returns the mask as a difference from a row, or writes it to `scratch`.
    fn write(mut self, scratch: &mut Scratch) -> Result<Assembled, Error> {
        let is_ended = self.masks.ending == Ending::Eager && !self.ends.is_empty();
        if !is_ended && let Some(delta_mask) = self.delta_mask()? {
            return Ok(Assembled::Delta(delta_mask));
        }
        let mask = scratch.anything();
        self.unite(mask)?;
        if is_ended {
            self.ends.sort_unstable();
            self.ends.dedup();
            let lexicon = &*self.masks.lexicon;
            for &continuation in &*self.ends {
                self.masks.forbid_below(lexicon.continuation(continuation).nodes(lexicon.trie_index()), mask);
            }
        }
        Ok(Assembled::Written)
    }

    /// Returns the union of the operands as a difference from a row. Returns `None` beyond
    /// `MAX_DELTA_TOKENS`.
    fn delta_mask(&mut self) -> Result<Option<DeltaMask>, Error> {
        let masks = self.masks;
        let len = |total: &TotalId| masks.total(*total).len();
        let entries = self.split()?;
        let totals = &self.operands.totals;
        // Totals whose tokens are listed in the difference.
        let mut listed: SmallVec<[TotalId; 64]> = totals[..].into();
        let row = if self.changes.added.len() + totals.iter().map(len).sum::<usize>() <= MAX_DELTA_TOKENS {
            masks.row_of(&entries)?
        } else {
            let large: SmallVec<[TotalId; 16]> =
                totals.iter().copied().filter(|total| len(total) > MAX_TOKENS_PER_TOTAL_IN_DELTA).collect();
            listed.retain(|total| len(total) <= MAX_TOKENS_PER_TOTAL_IN_DELTA);
            if listed.iter().map(len).sum::<usize>() > MAX_DELTA_TOKENS {
                return Ok(None);
            }
            let row = self.row_of_large(&large, &entries)?;
            self.changes.clear();
            Some(row)
        };
        let TokenChanges { removed, added } = &mut *self.changes;
        for total in listed.iter().map(|&total| masks.total(total)) {
            added.extend_from_slice(&total.tokens);
            total.large.append_to(added);
        }
        let ends = masks.ending.tokens();
        if masks.ends_are_read {
            added.retain(|id| !ends.contains(id));
        }
        if let Some(row) = row {
            removed.extend(ends.iter().filter(|&&id| masks.kept_row(row).allows(id)));
        }
        added.extend(masks.tokens_beside_bytes(self.state)?);
        Ok((added.len() <= MAX_DELTA_TOKENS).then(|| DeltaMask::new(row, removed, added)))
    }

    /// Returns the row of the entries, which `split` has separated, and some large totals. These occur
    /// together in many masks.
    fn row_of_large(&self, totals: &[TotalId], entries: &LargeEntries<'_>) -> Result<RowId, Error> {
        let masks = self.masks;
        let key = row_key(&self.operands.lexemes, totals);
        if let Some(&row) = masks.unions.get(&key[..]) {
            return Ok(row);
        }
        let mut union = match masks.row_of(entries)? {
            Some(row) => masks.kept_row(row).clone(),
            None => Mask::new(masks.vocabulary().id_count()),
        };
        self.apply(totals, &mut union);
        Ok(masks.keep_union(&key, union))
    }

    /// Separates the entries with many tokens from the others, whose tokens are added to `changes`.
    fn split(&mut self) -> Result<LargeEntries<'a>, Error> {
        self.changes.clear();
        let TokenChanges { removed, added } = &mut *self.changes;
        let mut large: LargeEntries<'a> = SmallVec::new();
        for &key in &self.operands.lexemes {
            let view = self.masks.lexeme_tokens(key)?;
            if view.base.is_some() || !view.are_many() {
                view.own.append_to(added);
            }
            if view.are_many() {
                large.push((key, view));
            }
        }
        for (index, (_, view)) in large.iter().enumerate() {
            let Some(base) = view.base else { continue };
            let in_other = |id: TokenId| {
                large.iter().enumerate().any(|(other, (_, view))| other != index && view.contains(id))
            };
            removed.extend(base.removed.iter().filter(|&&id| !in_other(id)));
        }
        Ok(large)
    }

    /// Writes the union of the operands into a mask.
    fn unite(&mut self, mask: &mut Mask) -> Result<(), Error> {
        let entries = self.split()?;
        match self.masks.row_of(&entries)? {
            Some(row) => copy_row(self.masks.kept_row(row).as_words(), mask.as_words_mut()),
            None => mask.clear(),
        }
        self.apply(&self.operands.totals, mask);
        Ok(())
    }

    /// Applies the changes and some totals to a mask that equals the row of the entries.
    fn apply(&self, totals: &[TotalId], mask: &mut Mask) {
        let words = mask.as_words_mut();
        change(&self.changes.removed, &self.changes.added, words);
        totals.iter().for_each(|&total| self.masks.total(total).union_into(words));
    }
}

impl Masks {
    /// Returns the row of the entries with many tokens, if there are any.
    fn row_of(&self, entries: &LargeEntries<'_>) -> Result<Option<RowId>, Error> {
        if entries.is_empty() {
            return Ok(None);
        }
        self.union(entries.iter().map(|(key, view)| key.of_row(view))).map(Some)
    }

    /// Returns the row of some entries, of the lexicon if all of them are its own.
    fn union(&self, lexemes: impl Iterator<Item = EntryRef>) -> Result<RowId, Error> {
        let mut lexemes: SmallVec<[EntryRef; 8]> = lexemes.collect();
        lexemes.sort_unstable();
        lexemes.dedup();
        let shared: Option<SmallVec<[EntryId; 8]>> = lexemes.iter().map(EntryRef::as_shared).collect();
        if let Some(shared) = shared
            && let Some(number) = self.lexicon.union(&shared)
        {
            return Ok(RowId::Lexicon(number));
        }
        let key = row_key(&lexemes, &[]);
        if let Some(&row) = self.unions.get(&key[..]) {
            return Ok(row);
        }
        charge_len(lexemes.len() * self.vocabulary().id_count() / NODES_PER_UNIT)?;
        let all: SmallVec<[TokenView<'_>; 8]> =
            lexemes.iter().map(|&key| self.lexeme_tokens(key)).collect::<Result<_, _>>()?;
        Ok(self.keep_union(&key, TokenView::union(self.vocabulary().id_count(), &all)))
    }

    fn keep_union(&self, key: &[u64], union: Mask) -> RowId {
        let row = self.new_row(union);
        self.budget.spend(size_of_val(key) + size_of::<(Box<[u64]>, RowId)>());
        *self.unions.insert(key.into(), row).0
    }
}

/// Returns the key of a row of some entries and totals.
fn row_key(lexemes: &[EntryRef], totals: &[TotalId]) -> SmallVec<[u64; 32]> {
    let numbers = totals.iter().map(|total| u64::from(total.number()));
    let lists = [lexemes.len() as u64].into_iter().chain(lexemes.iter().map(EntryRef::as_number));
    lists.chain(numbers).collect()
}
