//! Putting the mask of a state together from parts.

use grammask_earley::{Error, Item, OriginId, SetId};
use grammask_trie::Mask;

use crate::completions::Completions;
use crate::continuation::ContinuationId;
use crate::parts::PartKey;
use crate::{Ending, Masks};

/// A mask that is not put together from so many parts is found by walking the trie with the state as it is.
const MUCH_WORK: usize = 4096;

impl Masks {
    /// The union of the parts: those of the state's items under the whole trie; then, wherever an origin is complete, those of its
    /// callers. Gives up, with `false`, where the grammar is so ambiguous that walking the trie once is less work.
    pub(crate) fn assemble(&self, state: SetId, mask: &mut Mask) -> Result<bool, Error> {
        let lexicon = &*self.lexicon;
        let (trie, outline) = (lexicon.trie(), lexicon.outline());
        let mut completions = Completions::default();
        let mut items: Vec<(Item, ContinuationId, Option<u32>)> =
            self.recognizer.kernel(state).iter().map(|&item| (item, ContinuationId::WHOLE, None)).collect();
        let mut origins: Vec<(OriginId, ContinuationId, Option<u32>)> = Vec::new();
        let mut lexemes: Vec<PartKey> = Vec::new();
        let mut work = 0;
        loop {
            while let Some((item, continuation, after)) = items.pop() {
                work += 1;
                if work > MUCH_WORK {
                    return Ok(false);
                }
                let fact = self.fact(item.node)?;
                let bytes = lexicon.continuation(continuation).first_bytes(trie, outline);
                if fact.takes.intersection(bytes).is_empty() {
                    continue;
                }
                let mut hand_over = |continuation| {
                    if self.may_follow(item.origin, continuation)? {
                        origins.push((item.origin, continuation, after));
                    }
                    Ok::<_, Error>(())
                };
                if fact.lexeme.is_some() {
                    let (key, handover) = self.lexeme_part(fact, continuation)?;
                    handover.map_or(Ok(()), &mut hand_over)?;
                    if !lexemes.contains(&key) {
                        lexemes.push(key);
                    }
                    continue;
                }
                let part = self.part(fact.set, continuation)?;
                mask.union_set(&part.tokens);
                for key in &part.lexemes {
                    if !lexemes.contains(key) {
                        lexemes.push(*key);
                    }
                }
                part.handovers.iter().try_for_each(|&continuation| hand_over(continuation))?;
            }
            let Some((origin, continuation, after)) = origins.pop() else { break };
            let Some(completion) =
                completions.add(lexicon.continuations(), outline, origin, continuation, after)
            else {
                continue;
            };
            for &caller in self.recognizer.callers(origin) {
                let (is_final, goes_on) = self.recognizer.nature(caller.node);
                if is_final && self.may_follow(caller.origin, continuation)? {
                    origins.push((caller.origin, continuation, Some(completion)));
                }
                if goes_on {
                    items.push((caller, continuation, Some(completion)));
                }
            }
        }
        for key in lexemes {
            mask.union_set(self.tokens(key)?);
        }
        if self.ending == Ending::Eager {
            for continuation in completions.of(OriginId::ROOT) {
                self.forbid_below(lexicon.continuation(continuation).nodes(outline), mask);
            }
        }
        Ok(true)
    }

    /// Whether the mask can depend on an origin being complete at these nodes: something goes on, or the text ends there eagerly.
    fn may_follow(&self, origin: OriginId, continuation: ContinuationId) -> Result<bool, Error> {
        if self.ending == Ending::Eager {
            return Ok(true);
        }
        let lexicon = &*self.lexicon;
        let bytes = lexicon.continuation(continuation).first_bytes(lexicon.trie(), lexicon.outline());
        Ok(!self.recognizer.follow_bytes(origin)?.intersection(bytes).is_empty())
    }
}
