//! Assembles the mask of a state from totals of summaries and entries of lexemes.

use std::sync::{Mutex, PoisonError};

use grammask_earley::{Error, Item, OriginId, SetId};
use grammask_trie::{Mask, TokenId, copy_row};
use smallvec::SmallVec;

use crate::descent::Buffers;
use crate::descent::completions::Completions;
use crate::descent::permutation::Selected;
use crate::descent::summary::EntryRef;
use crate::descent::total::TotalId;
use crate::lexicon::walk::output::Want;
use crate::lexicon::{EntryId, TokenView};
use crate::masks::budget::Fuel;
use crate::masks::delta_mask::{DeltaMask, RowId, Scratch, change};
use crate::node_set::continuation::ContinuationId;
use crate::{Ending, Masks};

/// Summaries of one mask. Beyond it, the trie is walked with the state as it is.
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

#[derive(Default)]
struct AssemblyScratch {
    completions: Completions,
    items: Vec<(Item, ContinuationId, Option<u32>)>,
    /// Completed origins, each with the nodes at which it completed and the completion before it.
    origins: Vec<(OriginId, ContinuationId, Option<u32>)>,
    lexemes: Vec<EntryRef>,
    totals: Vec<TotalId>,
    /// Nodes at which the text may end.
    ends: Vec<ContinuationId>,
    /// Buffer for the [`UnionKey`] of a look-up.
    key: Vec<u64>,
    changes: TokenChanges,
    buffers: Buffers,
}

/// Entries with many tokens, and their tokens.
type Many<'a> = SmallVec<[(EntryRef, TokenView<'a>); 8]>;

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

impl ScratchPool {
    fn take(&self) -> Box<AssemblyScratch> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put_back(&self, scratch_space: Box<AssemblyScratch>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(scratch_space);
    }
}

impl AssemblyScratch {
    fn clear(&mut self) {
        self.completions.clear();
        self.items.clear();
        self.origins.clear();
        self.lexemes.clear();
        self.totals.clear();
        self.ends.clear();
    }
}

impl Masks {
    /// Assembles the mask of a state: the items of the state below the root, then, wherever an origin
    /// completes, its callers.
    pub(crate) fn assemble(&self, state: SetId, scratch: &mut Scratch) -> Result<Assembled, Error> {
        let mut scratch_space = self.scratch_pool.take();
        scratch_space.clear();
        let fuel = Fuel::new(self, self.recognizer.kernel(state).len());
        let result = self.assemble_with(&mut scratch_space, state, &fuel, scratch);
        if let Ok(assembled) = &result {
            fuel.finish_mask(!matches!(assembled, Assembled::TooMuch));
        }
        self.scratch_pool.put_back(scratch_space);
        result
    }

    fn assemble_with(
        &self,
        space: &mut AssemblyScratch,
        state: SetId,
        fuel: &Fuel<'_>,
        scratch: &mut Scratch,
    ) -> Result<Assembled, Error> {
        let lexicon = &*self.lexicon;
        let outline = lexicon.outline();
        let longest = u32::try_from(outline.height()).unwrap_or(u32::MAX);
        let AssemblyScratch { completions, items, origins, lexemes, totals, ends, key, changes, buffers } =
            space;
        for &item in self.recognizer.kernel(state) {
            items.push((item, ContinuationId::WHOLE, None));
        }
        let mut work = 0;
        loop {
            while let Some((item, continuation, after)) = items.pop() {
                let is_lexeme = self.recognizer.inspect().is_lexeme(item.node);
                work += usize::from(!is_lexeme);
                if work > MAX_SUMMARIES_PER_MASK || fuel.is_exhausted() {
                    return Ok(Assembled::TooMuch);
                }
                if is_lexeme {
                    let want = self.want_after(item.origin)?;
                    let (key, exit) = self.lexeme_entry(item.node, continuation, want, fuel)?;
                    lexemes.push(key);
                    origins.extend(exit.map(|continuation| (item.origin, continuation, after)));
                    continue;
                }
                if let Some(selection) = self.recognizer.inspect().permutation(item.node)? {
                    let lists = (&mut *totals, &mut *lexemes);
                    match self.selected(selection, continuation, fuel, buffers, lists)? {
                        Selected::Found => continue,
                        Selected::Longer => {}
                        Selected::TooMuch => return Ok(Assembled::TooMuch),
                    }
                }
                let key = (self.recognizer.inspect().saturate(item.node, longest), continuation);
                let Some(summary) = self.summary(key, fuel, buffers)? else { return Ok(Assembled::TooMuch) };
                let Some(total) = self.total_of(summary, fuel, buffers)? else {
                    return Ok(Assembled::TooMuch);
                };
                totals.push(total);
                origins.extend(summary.exits.iter().map(|&continuation| (item.origin, continuation, after)));
            }
            let (origin, continuation, after, told) = match origins.pop() {
                Some((origin, continuation, after)) => (origin, continuation, after, None),
                None => match completions.next(lexicon) {
                    Some((origin, continuation, number)) => (origin, continuation, None, Some(number)),
                    None => break,
                },
            };
            if origin == OriginId::ROOT {
                ends.push(continuation);
            }
            let Some(resumption) = self.recognizer.inspect().resumption(origin)? else { continue };
            let bytes = lexicon.continuation(continuation).first_bytes(outline);
            if resumption.is_end {
                ends.push(continuation);
            }
            if resumption.follow.intersection(bytes).is_empty() {
                continue;
            }
            let Some(completion) = told.or_else(|| completions.add(fuel, origin, continuation, after)) else {
                continue;
            };
            let goes_on = resumption.items.iter().filter(|(_, takes)| !takes.intersection(bytes).is_empty());
            items.extend(goes_on.map(|&(item, _)| (item, continuation, Some(completion))));
            origins
                .extend(resumption.overflow.iter().map(|&origin| (origin, continuation, Some(completion))));
        }
        totals.sort_unstable();
        totals.dedup();
        totals.iter().for_each(|&total| lexemes.extend_from_slice(&self.total(total).lexemes));
        lexemes.sort_unstable();
        lexemes.dedup();
        // With the eager ending or with special tokens, a mask depends on more than its key.
        let is_plain = self.ending != Ending::Eager && self.recognizer.network().specials.is_empty();
        if is_plain && self.config.keep_masks {
            key.clear();
            key.push((lexemes.len() as u64) << 1 | u64::from(state.completes()));
            key.extend(lexemes.iter().map(EntryRef::as_number));
            key.extend(totals.iter().map(|total| u64::from(total.number())));
            if let Some(&number) = self.masks_by_union.get(&key[..]) {
                return Ok(Assembled::Kept(number));
            }
            let delta_mask = match self.delta_mask(lexemes, totals, state, changes)? {
                Some(delta_mask) => delta_mask,
                None => {
                    let mask = scratch.anything();
                    self.unite(lexemes, totals, changes, mask)?;
                    self.finish(state, mask)?;
                    DeltaMask::of_row(self.row(mask))
                }
            };
            let number = self.keep_delta_mask(delta_mask);
            self.budget.spend(size_of::<(UnionKey, u32)>() + size_of_val(&key[..]));
            self.masks_by_union.insert(key.as_slice().into(), number);
            return Ok(Assembled::Kept(number));
        }
        let is_ended = self.ending == Ending::Eager && !ends.is_empty();
        if !is_ended && let Some(delta_mask) = self.delta_mask(lexemes, totals, state, changes)? {
            return Ok(Assembled::Delta(delta_mask));
        }
        let mask = scratch.anything();
        self.unite(lexemes, totals, changes, mask)?;
        if is_ended {
            ends.sort_unstable();
            ends.dedup();
            for &continuation in &*ends {
                self.forbid_below(lexicon.continuation(continuation).nodes(outline), mask);
            }
        }
        Ok(Assembled::Written)
    }

    /// Returns the output that an item needs: exits as well if its callers continue, or if the text ends
    /// there by itself.
    fn want_after(&self, origin: OriginId) -> Result<Want, Error> {
        let goes_on =
            self.recognizer.inspect().resumption(origin)?.is_some_and(|behind| !behind.follow.is_empty());
        Ok(if goes_on || self.ending == Ending::Eager { Want::TokensAndExits } else { Want::Tokens })
    }

    /// Returns the union of some entries and totals as a difference from a row. Returns `None` beyond
    /// `MAX_DELTA_TOKENS`.
    fn delta_mask(
        &self,
        lexemes: &[EntryRef],
        totals: &[TotalId],
        state: SetId,
        changes: &mut TokenChanges,
    ) -> Result<Option<DeltaMask>, Error> {
        let len = |total: &TotalId| self.total(*total).len();
        let many = self.split(lexemes, changes)?;
        let mut beside: SmallVec<[TotalId; 64]> = totals.into();
        let row = if changes.added.len() + totals.iter().map(len).sum::<usize>() <= MAX_DELTA_TOKENS {
            self.row_of(&many)?
        } else {
            let large: SmallVec<[TotalId; 16]> =
                totals.iter().copied().filter(|total| len(total) > MAX_TOKENS_PER_TOTAL_IN_DELTA).collect();
            beside.retain(|total| len(total) <= MAX_TOKENS_PER_TOTAL_IN_DELTA);
            if beside.iter().map(len).sum::<usize>() > MAX_DELTA_TOKENS {
                return Ok(None);
            }
            let row = self.row_with(lexemes, &large, &many, changes)?;
            changes.clear();
            Some(row)
        };
        let TokenChanges { removed, added } = changes;
        for total in beside.iter().map(|&total| self.total(total)) {
            added.extend_from_slice(&total.tokens);
            total.large.append_to(added);
        }
        let ends = self.ending.tokens();
        if self.ends_are_read {
            added.retain(|id| !ends.contains(id));
        }
        if let Some(row) = row {
            removed.extend(ends.iter().filter(|&&id| self.kept_row(row).allows(id)));
        }
        added.extend(self.beside_bytes(state)?);
        Ok((added.len() <= MAX_DELTA_TOKENS).then(|| DeltaMask::new(row, removed, added)))
    }

    /// Returns the row of some entries and large totals, which occur together in many masks.
    fn row_with(
        &self,
        lexemes: &[EntryRef],
        totals: &[TotalId],
        many: &Many<'_>,
        changes: &TokenChanges,
    ) -> Result<RowId, Error> {
        let key = row_key(lexemes, totals);
        if let Some(&row) = self.unions.get(&key[..]) {
            return Ok(row);
        }
        let mut union = match self.row_of(many)? {
            Some(row) => self.kept_row(row).clone(),
            None => Mask::new(self.vocabulary().id_count()),
        };
        self.add(changes, totals, &mut union);
        Ok(self.keep_union(&key, union))
    }

    /// Separates the entries with many tokens from the others, whose tokens are added to `changes`.
    fn split<'a>(&'a self, lexemes: &[EntryRef], changes: &mut TokenChanges) -> Result<Many<'a>, Error> {
        changes.clear();
        let TokenChanges { removed, added } = changes;
        let mut many: Many<'_> = SmallVec::new();
        for &key in lexemes {
            let view = self.lexeme_tokens(key)?;
            if view.base.is_some() || !view.are_many() {
                view.own.append_to(added);
            }
            if view.are_many() {
                many.push((key, view));
            }
        }
        for (place, (_, view)) in many.iter().enumerate() {
            let Some(base) = view.base else { continue };
            let others = || many.iter().enumerate().filter(|&(other, _)| other != place);
            removed.extend(
                base.removed.iter().filter(|&&id| !others().any(|(_, (_, other))| other.contains(id))),
            );
        }
        Ok(many)
    }

    /// Returns the row of the entries with many tokens, if there are any.
    fn row_of(&self, many: &Many<'_>) -> Result<Option<RowId>, Error> {
        if many.is_empty() {
            return Ok(None);
        }
        self.union(many.iter().map(|(key, view)| key.of_row(view))).map(Some)
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
        let all: SmallVec<[TokenView<'_>; 8]> =
            lexemes.iter().map(|&key| self.lexeme_tokens(key)).collect::<Result<_, _>>()?;
        Ok(self.keep_union(&key, TokenView::union(self.vocabulary().id_count(), &all)))
    }

    fn keep_union(&self, key: &[u64], union: Mask) -> RowId {
        let row = self.new_row(union);
        self.budget.spend(size_of_val(key) + size_of::<(Box<[u64]>, RowId)>());
        *self.unions.insert(key.into(), row).0
    }

    /// Writes the union of some entries and totals into a mask.
    fn unite(
        &self,
        lexemes: &[EntryRef],
        totals: &[TotalId],
        changes: &mut TokenChanges,
        mask: &mut Mask,
    ) -> Result<(), Error> {
        let many = self.split(lexemes, changes)?;
        match self.row_of(&many)? {
            Some(row) => copy_row(self.kept_row(row).as_words(), mask.as_words_mut()),
            None => mask.clear(),
        }
        self.add(changes, totals, mask);
        Ok(())
    }

    /// Applies a difference and some totals to a mask that equals the row.
    fn add(&self, changes: &TokenChanges, totals: &[TotalId], mask: &mut Mask) {
        let words = mask.as_words_mut();
        change(&changes.removed, &changes.added, words);
        totals.iter().for_each(|&total| self.total(total).union_into(words));
    }
}

/// Returns the key of a row of some entries and totals.
fn row_key(lexemes: &[EntryRef], totals: &[TotalId]) -> SmallVec<[u64; 32]> {
    let numbers = totals.iter().map(|total| u64::from(total.number()));
    let lists = [lexemes.len() as u64].into_iter().chain(lexemes.iter().map(EntryRef::as_number));
    lists.chain(numbers).collect()
}
