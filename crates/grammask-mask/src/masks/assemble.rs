//! Putting the mask of a state together from parts.

use std::sync::{Mutex, PoisonError};

use grammask_earley::{Error, Item, OriginId, SetId};
use grammask_trie::{Mask, TokenId, copy_row};
use smallvec::SmallVec;

use crate::descent::Buffers;
use crate::descent::completions::Completions;
use crate::descent::permutation::Selected;
use crate::descent::summary::LexemeKey;
use crate::descent::total::TakingId;
use crate::lexicon::walk::output::Asked;
use crate::lexicon::{PartId, Taken};
use crate::masks::budget::Fuel;
use crate::masks::delta_mask::{Recipe, RowId, Scratch, change};
use crate::node_set::interned::ContinuationId;
use crate::{Ending, Masks};

/// A mask that is not put together from so many parts, those of lexemes not counted, is found by walking the trie with the state as it is. What
/// a lexeme takes is known for all later masks, and thousands of keys may stand side by side.
const MUCH_WORK: usize = 8_192;

/// A mask of more tokens beside a row has a row of its own.
const MUCH_MORE: usize = 1024;

/// Where the list beside a row would have more, parts that take more tokens than this are put into the row.
const MORE: usize = 64;

/// What putting masks together needs, kept from one to the next.
#[derive(Default)]
#[expect(
    clippy::vec_box,
    reason = "for each mask one is taken and put back: a pointer is moved, not the workbench"
)]
pub(crate) struct Workbenches(Mutex<Vec<Box<Workbench>>>);

/// What putting a mask together has come to.
pub(crate) enum Assembled {
    /// It is written.
    Written,
    /// It is written by this recipe.
    Recipe(Recipe),
    /// The mask by the recipe with this number is made of the same parts.
    Known(u32),
    /// The grammar is so ambiguous that walking the trie once is less work.
    TooMuch,
}

/// What a mask is put together from, sorted: whether the text may end, and how many lexemes' tokens there are; these; and what parts take. Each as
/// a number, so that comparing two takes no time.
pub(crate) type Composition = Box<[u64]>;

#[derive(Default)]
struct Workbench {
    completions: Completions,
    items: Vec<(Item, ContinuationId, Option<u32>)>,
    /// Origins that are complete, where, and after which completion.
    origins: Vec<(OriginId, ContinuationId, Option<u32>)>,
    lexemes: Vec<LexemeKey>,
    takings: Vec<TakingId>,
    /// Where the text may end.
    ends: Vec<ContinuationId>,
    /// A [`Composition`] that is looked up.
    composition: Vec<u64>,
    changes: Changes,
    buffers: Buffers,
}

/// Lexemes that take many tokens, and what they take.
type Many<'a> = SmallVec<[(LexemeKey, Taken<'a>); 8]>;

/// What is different from a row, while a recipe is made.
#[derive(Default)]
struct Changes {
    less: Vec<TokenId>,
    more: Vec<TokenId>,
}

impl Changes {
    fn clear(&mut self) {
        self.less.clear();
        self.more.clear();
    }
}

impl Workbenches {
    fn take(&self) -> Box<Workbench> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put_back(&self, workbench: Box<Workbench>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(workbench);
    }
}

impl Workbench {
    fn clear(&mut self) {
        self.completions.clear();
        self.items.clear();
        self.origins.clear();
        self.lexemes.clear();
        self.takings.clear();
        self.ends.clear();
    }
}

impl Masks {
    /// The union of the parts: those of the state's items under the whole trie; then, wherever an origin is complete, those of its
    /// callers.
    pub(crate) fn assemble(&self, state: SetId, scratch: &mut Scratch) -> Result<Assembled, Error> {
        let mut workbench = self.workbenches.take();
        workbench.clear();
        let fuel = Fuel::new(self, self.recognizer.kernel(state).len());
        let result = self.assemble_with(&mut workbench, state, &fuel, scratch);
        if let Ok(assembled) = &result {
            fuel.settle(!matches!(assembled, Assembled::TooMuch));
        }
        self.workbenches.put_back(workbench);
        result
    }

    fn assemble_with(
        &self,
        bench: &mut Workbench,
        state: SetId,
        fuel: &Fuel<'_>,
        scratch: &mut Scratch,
    ) -> Result<Assembled, Error> {
        let lexicon = &*self.lexicon;
        let outline = lexicon.outline();
        let longest = u32::try_from(outline.height()).unwrap_or(u32::MAX);
        let Workbench { completions, items, origins, lexemes, takings, ends, composition, changes, buffers } =
            bench;
        for &item in self.recognizer.kernel(state) {
            items.push((item, ContinuationId::WHOLE, None));
        }
        let mut work = 0;
        loop {
            while let Some((item, continuation, after)) = items.pop() {
                let is_lexeme = self.recognizer.inspect().is_lexeme(item.node);
                work += usize::from(!is_lexeme);
                if work > MUCH_WORK || fuel.is_burnt() {
                    return Ok(Assembled::TooMuch);
                }
                if is_lexeme {
                    let asked = self.asked_behind(item.origin)?;
                    let (key, handover) = self.lexeme_part(item.node, continuation, asked, fuel)?;
                    lexemes.push(key);
                    origins.extend(handover.map(|continuation| (item.origin, continuation, after)));
                    continue;
                }
                if let Some(selection) = self.recognizer.inspect().permutation(item.node)? {
                    let lists = (&mut *takings, &mut *lexemes);
                    match self.selected(selection, continuation, fuel, buffers, lists)? {
                        Selected::Found => continue,
                        Selected::Longer => {}
                        Selected::TooMuch => return Ok(Assembled::TooMuch),
                    }
                }
                let key = (self.recognizer.inspect().saturate(item.node, longest), continuation);
                let Some(part) = self.part(key, fuel, buffers)? else { return Ok(Assembled::TooMuch) };
                let Some(taking) = self.taking_of(part, fuel, buffers)? else {
                    return Ok(Assembled::TooMuch);
                };
                takings.push(taking);
                origins.extend(part.handovers.iter().map(|&continuation| (item.origin, continuation, after)));
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
        takings.sort_unstable();
        takings.dedup();
        takings.iter().for_each(|&taking| lexemes.extend_from_slice(&self.taking(taking).lexemes));
        lexemes.sort_unstable();
        lexemes.dedup();
        // What ends at once depends on more than the parts, and special tokens on the state.
        let is_plain = self.ending != Ending::Eager && self.recognizer.network().specials.is_empty();
        if is_plain && self.config.keep_masks {
            composition.clear();
            composition.push((lexemes.len() as u64) << 1 | u64::from(state.completes()));
            composition.extend(lexemes.iter().map(LexemeKey::as_number));
            composition.extend(takings.iter().map(|taking| u64::from(taking.number())));
            if let Some(&number) = self.compositions.get(&composition[..]) {
                return Ok(Assembled::Known(number));
            }
            let recipe = match self.recipe(lexemes, takings, state, changes)? {
                Some(recipe) => recipe,
                None => {
                    let mask = scratch.anything();
                    self.unite(lexemes, takings, changes, mask)?;
                    self.finish(state, mask)?;
                    Recipe::of_row(self.row(mask))
                }
            };
            let number = self.keep_recipe(recipe);
            self.budget.spend(size_of::<(Composition, u32)>() + size_of_val(&composition[..]));
            self.compositions.insert(composition.as_slice().into(), number);
            return Ok(Assembled::Known(number));
        }
        let is_ended = self.ending == Ending::Eager && !ends.is_empty();
        if !is_ended && let Some(recipe) = self.recipe(lexemes, takings, state, changes)? {
            return Ok(Assembled::Recipe(recipe));
        }
        let mask = scratch.anything();
        self.unite(lexemes, takings, changes, mask)?;
        if is_ended {
            ends.sort_unstable();
            ends.dedup();
            for &continuation in &*ends {
                self.forbid_below(lexicon.continuation(continuation).nodes(outline), mask);
            }
        }
        Ok(Assembled::Written)
    }

    /// What is asked of what an origin has begun: where it ends, if somebody goes on there or the text then ends by itself.
    fn asked_behind(&self, origin: OriginId) -> Result<Asked, Error> {
        let goes_on =
            self.recognizer.inspect().resumption(origin)?.is_some_and(|behind| !behind.follow.is_empty());
        Ok(if goes_on || self.ending == Ending::Eager { Asked::Places } else { Asked::Tokens })
    }

    /// How the union of some lexemes' tokens and some parts is written; nothing where that are too many tokens beside a row.
    fn recipe(
        &self,
        lexemes: &[LexemeKey],
        takings: &[TakingId],
        state: SetId,
        changes: &mut Changes,
    ) -> Result<Option<Recipe>, Error> {
        let len = |taking: &TakingId| self.taking(*taking).len();
        let many = self.split(lexemes, changes)?;
        let mut beside: SmallVec<[TakingId; 64]> = takings.into();
        let row = if changes.more.len() + takings.iter().map(len).sum::<usize>() <= MUCH_MORE {
            self.row_of(&many)?
        } else {
            let large: SmallVec<[TakingId; 16]> =
                takings.iter().copied().filter(|taking| len(taking) > MORE).collect();
            beside.retain(|taking| len(taking) <= MORE);
            if beside.iter().map(len).sum::<usize>() > MUCH_MORE {
                return Ok(None);
            }
            let row = self.row_with(lexemes, &large, &many, changes)?;
            changes.clear();
            Some(row)
        };
        let Changes { less, more } = changes;
        for taking in beside.iter().map(|&taking| self.taking(taking)) {
            more.extend_from_slice(&taking.tokens);
            taking.large.append_to(more);
        }
        let ends = self.ending.tokens();
        if self.ends_are_read {
            more.retain(|id| !ends.contains(id));
        }
        if let Some(row) = row {
            less.extend(ends.iter().filter(|&&id| self.kept_row(row).allows(id)));
        }
        more.extend(self.beside_bytes(state)?);
        Ok((more.len() <= MUCH_MORE).then(|| Recipe::new(row, less, more)))
    }

    /// The row of some lexemes' tokens and of what some parts take that take much: such parts stand together in many masks. `many` and `changes` are
    /// what the lexemes take.
    fn row_with(
        &self,
        lexemes: &[LexemeKey],
        takings: &[TakingId],
        many: &Many<'_>,
        changes: &Changes,
    ) -> Result<RowId, Error> {
        let key = union_key(lexemes, takings);
        if let Some(&row) = self.unions.get(&key[..]) {
            return Ok(row);
        }
        let mut union = match self.row_of(many)? {
            Some(row) => self.kept_row(row).clone(),
            None => Mask::new(self.vocabulary().id_count()),
        };
        self.add(changes, takings, &mut union);
        Ok(self.keep_union(&key, union))
    }

    /// Which of some lexemes take many tokens; and what is different from a row of all that these take, and their kin.
    fn split<'a>(&'a self, lexemes: &[LexemeKey], changes: &mut Changes) -> Result<Many<'a>, Error> {
        changes.clear();
        let Changes { less, more } = changes;
        let mut many: Many<'_> = SmallVec::new();
        for &key in lexemes {
            let taken = self.lexeme_tokens(key)?;
            if taken.kin.is_some() || !taken.are_many() {
                taken.own.append_to(more);
            }
            if taken.are_many() {
                many.push((key, taken));
            }
        }
        for (place, (_, taken)) in many.iter().enumerate() {
            let Some(kin) = taken.kin else { continue };
            let others = || many.iter().enumerate().filter(|&(other, _)| other != place);
            less.extend(kin.less.iter().filter(|&&id| !others().any(|(_, (_, other))| other.contains(id))));
        }
        Ok(many)
    }

    /// The row of all that lexemes take which take many tokens, and their kin, if there are any.
    fn row_of(&self, many: &Many<'_>) -> Result<Option<RowId>, Error> {
        if many.is_empty() {
            return Ok(None);
        }
        self.union(many.iter().map(|(key, taken)| key.of_row(taken))).map(Some)
    }

    /// The row of some lexemes' tokens. The same few stand together in many masks, and in those of other grammars.
    fn union(&self, lexemes: impl Iterator<Item = LexemeKey>) -> Result<RowId, Error> {
        let mut lexemes: SmallVec<[LexemeKey; 8]> = lexemes.collect();
        lexemes.sort_unstable();
        lexemes.dedup();
        let shared: Option<SmallVec<[PartId; 8]>> = lexemes.iter().map(LexemeKey::as_shared).collect();
        if let Some(shared) = shared
            && let Some(number) = self.lexicon.union(&shared)
        {
            return Ok(RowId::Shared(number));
        }
        let key = union_key(&lexemes, &[]);
        if let Some(&row) = self.unions.get(&key[..]) {
            return Ok(row);
        }
        let all: SmallVec<[Taken<'_>; 8]> =
            lexemes.iter().map(|&key| self.lexeme_tokens(key)).collect::<Result<_, _>>()?;
        Ok(self.keep_union(&key, Taken::union(self.vocabulary().id_count(), &all)))
    }

    fn keep_union(&self, key: &[u64], union: Mask) -> RowId {
        let row = self.new_row(union);
        self.budget.spend(size_of_val(key) + size_of::<(Box<[u64]>, RowId)>());
        *self.unions.insert(key.into(), row).0
    }

    /// Writes the union of some lexemes' tokens and some parts.
    fn unite(
        &self,
        lexemes: &[LexemeKey],
        takings: &[TakingId],
        changes: &mut Changes,
        mask: &mut Mask,
    ) -> Result<(), Error> {
        let many = self.split(lexemes, changes)?;
        match self.row_of(&many)? {
            Some(row) => copy_row(self.kept_row(row).as_words(), mask.as_words_mut()),
            None => mask.clear(),
        }
        self.add(changes, takings, mask);
        Ok(())
    }

    /// Writes what is different from a row, and some parts, into a mask that is the row.
    fn add(&self, changes: &Changes, takings: &[TakingId], mask: &mut Mask) {
        let words = mask.as_words_mut();
        change(&changes.less, &changes.more, words);
        takings.iter().for_each(|&taking| self.taking(taking).union_into(words));
    }
}

/// What names a row of some lexemes' tokens and what some parts take.
fn union_key(lexemes: &[LexemeKey], takings: &[TakingId]) -> SmallVec<[u64; 32]> {
    let numbers = takings.iter().map(|taking| u64::from(taking.number()));
    let lists = [lexemes.len() as u64].into_iter().chain(lexemes.iter().map(LexemeKey::as_number));
    lists.chain(numbers).collect()
}
