//! Putting the mask of a state together from parts.

use std::sync::{Mutex, PoisonError};

use grammask_earley::{Error, Item, OriginId, SetId};
use grammask_trie::Mask;

use crate::completions::Completions;
use crate::continuation::ContinuationId;
use crate::parts::{Fuel, LexemeKey, PartKey, Whole};
use crate::{Ending, Masks};

/// A mask that is not put together from so many parts is found by walking the trie with the state as it is.
const MUCH_WORK: usize = 4096;

/// What putting masks together needs, kept from one to the next.
#[derive(Default)]
pub(crate) struct Workbenches(Mutex<Vec<Workbench>>);

/// What putting a mask together has come to.
pub(crate) enum Assembled {
    /// It is written.
    Written,
    /// The mask with this number is made of the same parts.
    Known(u32),
    /// The grammar is so ambiguous that walking the trie once is less work.
    TooMuch,
}

/// What a mask is put together from, sorted: the tokens of lexemes, and parts; and whether the text may end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Composition {
    lexemes: Box<[LexemeKey]>,
    parts: Box<[PartKey]>,
    completes: bool,
}

#[derive(Default)]
struct Workbench {
    completions: Completions,
    items: Vec<(Item, ContinuationId, Option<u32>)>,
    /// Origins that are complete, where, and after which completion.
    origins: Vec<(OriginId, ContinuationId, Option<u32>)>,
    lexemes: Vec<LexemeKey>,
    parts: Vec<PartKey>,
    /// Where the text may end.
    ends: Vec<ContinuationId>,
}

impl Workbenches {
    fn take(&self) -> Workbench {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    fn put_back(&self, workbench: Workbench) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(workbench);
    }
}

impl Workbench {
    fn clear(&mut self) {
        self.completions.clear();
        self.items.clear();
        self.origins.clear();
        self.lexemes.clear();
        self.parts.clear();
        self.ends.clear();
    }
}

impl Masks {
    /// The union of the parts: those of the state's items under the whole trie; then, wherever an origin is complete, those of its
    /// callers.
    pub(crate) fn assemble(&self, state: SetId, mask: &mut Mask) -> Result<Assembled, Error> {
        let mut workbench = self.workbenches.take();
        workbench.clear();
        let result = self.assemble_with(&mut workbench, state, mask);
        self.workbenches.put_back(workbench);
        result
    }

    fn assemble_with(
        &self,
        bench: &mut Workbench,
        state: SetId,
        mask: &mut Mask,
    ) -> Result<Assembled, Error> {
        let lexicon = &*self.lexicon;
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let longest = u32::try_from(outline.height()).unwrap_or(u32::MAX);
        let Workbench { completions, items, origins, lexemes, parts, ends } = bench;
        let mut wholes: Vec<&Whole> = Vec::with_capacity(64);
        for &item in self.recognizer.kernel(state) {
            items.push((item, ContinuationId::WHOLE, None));
        }
        let (mut work, fuel) = (0, Fuel::new(trie));
        loop {
            while let Some((item, continuation, after)) = items.pop() {
                work += 1;
                if work > MUCH_WORK || fuel.is_burnt() {
                    return Ok(Assembled::TooMuch);
                }
                if self.recognizer.is_lexeme(item.node) {
                    let (key, handover) = self.lexeme_part(item.node, continuation, &fuel)?;
                    lexemes.push(key);
                    origins.extend(handover.map(|continuation| (item.origin, continuation, after)));
                    continue;
                }
                let key = (self.recognizer.saturated(item.node, longest), continuation);
                let Some(part) = self.part(key, &fuel)? else { return Ok(Assembled::TooMuch) };
                parts.push(key);
                let Some(whole) = self.whole(part)? else { return Ok(Assembled::TooMuch) };
                wholes.push(whole);
                lexemes.extend_from_slice(&whole.lexemes);
                origins.extend(part.handovers.iter().map(|&continuation| (item.origin, continuation, after)));
            }
            let Some((origin, continuation, after)) = origins.pop() else { break };
            if origin == OriginId::ROOT {
                ends.push(continuation);
            }
            let Some(resumption) = self.recognizer.resumption(origin)? else { continue };
            let bytes = lexicon.continuation(continuation).first_bytes(trie, outline);
            if resumption.is_end {
                ends.push(continuation);
            }
            if resumption.follow.intersection(bytes).is_empty() {
                continue;
            }
            let Some(completion) =
                completions.add(lexicon.continuations(), outline, origin, continuation, after)
            else {
                continue;
            };
            let goes_on = resumption.items.iter().filter(|(_, takes)| !takes.intersection(bytes).is_empty());
            items.extend(goes_on.map(|&(item, _)| (item, continuation, Some(completion))));
            origins.extend(resumption.beyond.iter().map(|&origin| (origin, continuation, Some(completion))));
        }
        lexemes.sort_unstable();
        lexemes.dedup();
        // What ends at once depends on more than the parts, and special tokens on the state.
        let is_plain = self.ending != Ending::Eager && self.recognizer.network().specials.is_empty();
        if is_plain && self.config.keep_masks {
            parts.sort_unstable();
            parts.dedup();
            let composition = Composition {
                lexemes: lexemes.as_slice().into(),
                parts: parts.as_slice().into(),
                completes: state.completes(),
            };
            if let Some(&number) = self.compositions.get(&composition) {
                return Ok(Assembled::Known(number));
            }
            self.unite(lexemes, &wholes, mask)?;
            self.finish(state, mask)?;
            let number = self.number(mask);
            self.budget.spend(
                size_of::<(Composition, u32)>()
                    + size_of_val(&*composition.lexemes)
                    + size_of_val(&*composition.parts),
            );
            self.compositions.insert(composition, number);
            return Ok(Assembled::Known(number));
        }
        self.unite(lexemes, &wholes, mask)?;
        if self.ending == Ending::Eager {
            ends.sort_unstable();
            ends.dedup();
            for &continuation in &*ends {
                self.forbid_below(lexicon.continuation(continuation).nodes(outline), mask);
            }
        }
        Ok(Assembled::Written)
    }

    /// Writes the union of some lexemes' tokens and some parts. The same few lexemes stand together in many masks, so their union is kept.
    fn unite(&self, lexemes: &[LexemeKey], wholes: &[&Whole], mask: &mut Mask) -> Result<(), Error> {
        if lexemes.len() < 2 {
            mask.clear();
            for &key in lexemes {
                mask.union_set(self.lexeme_tokens(key)?);
            }
        } else {
            let key: Box<[LexemeKey]> = lexemes.into();
            let union = match self.unions.get(&key) {
                Some(union) => union,
                None => {
                    let mut union = Mask::new(mask.id_count());
                    for &key in lexemes {
                        union.union_set(self.lexeme_tokens(key)?);
                    }
                    self.budget.spend(size_of_val(&*key) + size_of_val(union.as_words()) + size_of::<Mask>());
                    self.unions.insert(key, union).0
                }
            };
            mask.as_words_mut().copy_from_slice(union.as_words());
        }
        for whole in wholes {
            whole.tokens.iter().for_each(|&token| mask.allow(token));
            if !whole.large.is_empty() {
                mask.union_set(&whole.large);
            }
        }
        Ok(())
    }
}
