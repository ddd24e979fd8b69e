//! `grammask generate`: a random model writes a text under the masks of a grammar, and reaches a complete
//! text.

use std::io::{self, IsTerminal, Write};
use std::time::Instant;

use grammask::{CancelFlag, Ending, Grammar, Mask, Matcher, Outcome, TokenId, Vocabulary};
use grammask_earley::{CompletionStep, SetId, Special};
use grammask_mask::tokens_of_set;
use serde_json::json;

use crate::Status;
use crate::args::{Generate, ReadingArgs};
use crate::command::mask::check_limit;
use crate::failure::Failure;
use crate::input::source::{Source, config};
use crate::input::vocabulary;
use crate::interrupt;
use crate::output::{Output, bytes_to_json};
use crate::random::Random;
use crate::shortest_completion::ShortestCompletion;
use crate::timing::{Times, readable};

/// Number of random tokens tried before the model takes a step towards a complete text instead.
const MAX_DRAWS: usize = 16;

pub(crate) fn run(arguments: &Generate, reading: &ReadingArgs, out: &mut Output) -> Result<Status, Failure> {
    let mut config = config(reading)?;
    let source = Source::read(&arguments.file, reading, &config)?;
    let loading = Instant::now();
    let (vocabulary, ending) = vocabulary::load(&arguments.vocabulary, reading.json)?;
    let vocabulary = Vocabulary::from(vocabulary);
    let loading = loading.elapsed();
    config.ending = ending;
    let compiled = source.compile_for(&config, Some(&vocabulary))?;
    let grammar =
        Grammar::from_ast(&compiled.ast, &vocabulary, &config).map_err(|error| source.failure(&error))?;
    let limit = (arguments.max_tokens as u64).saturating_mul(vocabulary.longest_token().max(1) as u64);
    let completion = ShortestCompletion::new(&compiled.network, &config.recognizer, limit)?;
    let specials = compiled.network.specials.iter();
    let specials = specials.map(|special| ids_of(&vocabulary, special, &config.ending)).collect();
    let interrupt = interrupt::flag();
    let mut matcher = grammar.matcher();
    matcher.set_cancel_flag(Some(interrupt.clone()));
    let mut model = Model {
        state: completion.initial(),
        completion,
        matcher,
        interrupt,
        specials,
        ending: config.ending,
        random: Random::new(arguments.seed),
        max_tokens: arguments.max_tokens,
        row: vec![0; vocabulary.mask_words()],
        vocabulary,
        times: Times::default(),
        tokens: Vec::new(),
        text: Vec::new(),
    };
    let end = model.write(out)?;
    let summary = model.times.summary();
    let seconds = |time: std::time::Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
    if out.is_json() {
        out.json(&json!({
            "output": bytes_to_json(&model.text),
            "tokens": model.tokens.iter().map(|id| id.0).collect::<Vec<_>>(),
            "end": end.name(),
            "complete": end.is_complete(),
            "seed": arguments.seed,
            "masks": model.times.len(),
            "mask_ns": summary.to_json(),
            "compile_ns": seconds(compiled.time),
            "vocabulary_ns": seconds(loading),
        }))?;
    } else {
        let break_line = if io::stdout().is_terminal() { "\n" } else { "" };
        // Best effort: the text is written, and the exit status is the result.
        let _ = writeln!(
            io::stderr(),
            "{break_line}{}: {} tokens, {} bytes; vocabulary in {}, grammar in {}\n{} masks: {summary}",
            end.name(),
            model.tokens.len(),
            model.text.len(),
            readable(seconds(loading)),
            readable(seconds(compiled.time)),
            model.times.len(),
        );
    }
    Ok(if end.is_complete() { Status::Yes } else { Status::Incomplete })
}

/// The reason why a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// It is complete, and has its end-of-sequence token.
    Finished,
    /// It is complete, and the vocabulary has no end-of-sequence token.
    Complete,
    /// It is incomplete, and has `--max-tokens` tokens.
    Spent,
    /// It is incomplete, and no token of the vocabulary can follow.
    Stuck,
    /// The reader has closed the pipe.
    Unread,
    /// By Ctrl-C.
    Interrupted,
}

impl End {
    const fn name(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Complete => "complete",
            Self::Spent => "incomplete at --max-tokens",
            Self::Stuck => "incomplete, because no token of the vocabulary can follow",
            Self::Unread => "the pipe is closed",
            Self::Interrupted => "interrupted",
        }
    }

    const fn is_complete(self) -> bool {
        matches!(self, Self::Finished | Self::Complete | Self::Unread)
    }
}

/// A random model, and the text that it writes.
struct Model {
    matcher: Matcher,
    /// Set by Ctrl-C.
    interrupt: CancelFlag,
    /// Finds the nearest complete text. It has tables of its own, so that it does not fill the caches of the
    /// matcher.
    completion: ShortestCompletion,
    /// State of `completion` after the text.
    state: SetId,
    /// By special symbol of the network: its ids in the vocabulary. Empty if the vocabulary lacks it.
    specials: Vec<Vec<TokenId>>,
    ending: Ending,
    vocabulary: Vocabulary,
    random: Random,
    max_tokens: usize,
    /// Buffer for a mask.
    row: Vec<u32>,
    /// Times of the masks.
    times: Times,
    tokens: Vec<TokenId>,
    text: Vec<u8>,
}

impl Model {
    /// Writes the text, and returns the reason of its end.
    fn write(&mut self, out: &mut Output) -> Result<End, Failure> {
        loop {
            if self.matcher.is_finished() {
                return Ok(End::Finished);
            }
            if out.is_closed() {
                return Ok(End::Unread);
            }
            if self.interrupt.is_cancelled() {
                return Ok(End::Interrupted);
            }
            let is_complete = self.matcher.is_complete();
            let spent = self.tokens.len();
            if spent >= self.max_tokens {
                return Ok(if is_complete { End::Complete } else { End::Spent });
            }
            // Two draws make the probability of a guided step grow with the square of the number of tokens.
            let is_guided =
                self.random.below(self.max_tokens) < spent && self.random.below(self.max_tokens) < spent;
            let mask = match self.mask() {
                Err(_) if self.interrupt.is_cancelled() => return Ok(End::Interrupted),
                mask => mask?,
            };
            if mask.is_empty() {
                return Ok(if is_complete { End::Complete } else { End::Stuck });
            }
            match self.choose(&mask, is_guided)? {
                Some(token) => match self.take(token, out) {
                    Err(_) if self.interrupt.is_cancelled() => return Ok(End::Interrupted),
                    taken => taken?,
                },
                None => return Ok(End::Complete),
            }
        }
    }

    /// Returns the mask, in the way of an inference engine, and adds the time.
    fn mask(&mut self) -> Result<Mask, Failure> {
        let asked = Instant::now();
        let result = self.matcher.fill_mask(&mut self.row);
        self.times.push(asked.elapsed());
        result.map_err(|error| Failure::other(error.to_string()))?;
        check_limit(&self.matcher)?;
        let mut mask = Mask::new(self.vocabulary.id_count());
        mask.as_words_mut().copy_from_slice(&self.row);
        Ok(mask)
    }

    /// Chooses the next token. Returns `Ok(None)` if the text is complete and should end here.
    fn choose(&mut self, mask: &Mask, is_guided: bool) -> Result<Option<TokenId>, Failure> {
        let count = mask.count();
        let draw = |random: &mut Random| nth(mask, random.below(count));
        let Some(needed) = self.tokens_to_end(self.state)? else {
            return Ok(Some(draw(&mut self.random)));
        };
        let left = (self.max_tokens - self.tokens.len()) as u64;
        if !is_guided && needed <= left {
            for _ in 0..MAX_DRAWS {
                let token = draw(&mut self.random);
                if self.ending.tokens().contains(&token) {
                    return Ok(Some(token));
                }
                let next = self.after(self.state, token)?;
                if self.tokens_to_end(next)?.is_some_and(|needed| needed < left) {
                    return Ok(Some(token));
                }
            }
        }
        if self.matcher.is_complete() {
            return Ok(self.ending.tokens().first().copied());
        }
        self.guided_token(mask).map(Some)
    }

    /// Returns the longest token that begins a shortest completion of an incomplete text.
    fn guided_token(&mut self, mask: &Mask) -> Result<TokenId, Failure> {
        let path = self.completion.path(self.state, self.vocabulary.longest_token().max(1))?;
        if let Some(&CompletionStep::Special(index)) = path.first()
            && let Some([token, ..]) = self.specials.get(index).map(Vec::as_slice)
        {
            return Ok(*token);
        }
        let trie = self.vocabulary.trie();
        let mut node = grammask_trie::TrieNodeId::ROOT;
        let mut longest = None;
        for piece in path {
            let CompletionStep::Byte(byte) = piece else { break };
            let Some(child) = trie.child(node, byte) else { break };
            node = child;
            longest = trie.tokens(node).iter().copied().find(|&token| mask.allows(token)).or(longest);
        }
        match longest {
            Some(token) => Ok(token),
            None => self.token_nearest_to_end(mask),
        }
    }

    /// Returns the token after which the shortest completion is shortest, for vocabularies that cannot spell
    /// a shortest completion.
    fn token_nearest_to_end(&mut self, mask: &Mask) -> Result<TokenId, Failure> {
        let mut best = None;
        for token in mask.iter() {
            let next = self.after(self.state, token)?;
            let needed = self.tokens_to_end(next)?.unwrap_or(u64::MAX);
            if best.is_none_or(|(least, _)| needed < least) {
                best = Some((needed, token));
            }
        }
        // Unreachable: the caller passes a mask that is not empty.
        best.map(|(_, token)| token).ok_or_else(|| Failure::other("the mask is empty"))
    }

    /// Returns a number of tokens that suffices to end the text: one per byte, and the end-of-sequence token.
    fn tokens_to_end(&mut self, state: SetId) -> Result<Option<u64>, Failure> {
        let distance = self.completion.distance(state)?;
        Ok(distance.map(|distance| distance.saturating_add(u64::from(!self.ending.tokens().is_empty()))))
    }

    /// Returns the state after an allowed token that does not end the text.
    fn after(&self, state: SetId, token: TokenId) -> Result<SetId, Failure> {
        for (index, _) in self.specials.iter().enumerate().filter(|(_, tokens)| tokens.contains(&token)) {
            let next = self.completion.step(state, CompletionStep::Special(index))?;
            if !next.is_dead() {
                return Ok(next);
            }
        }
        Ok(self.completion.step_bytes(state, self.vocabulary.bytes(token).unwrap_or_default())?)
    }

    /// Appends a token to the text, and writes it.
    fn take(&mut self, token: TokenId, out: &mut Output) -> Result<(), Failure> {
        let is_end = self.matcher.is_complete() && self.ending.tokens().contains(&token);
        if !is_end {
            let next = self.after(self.state, token)?;
            self.state = self.completion.shrink(next)?;
        }
        match self.matcher.accept(token) {
            Outcome::LimitExceeded => return check_limit(&self.matcher),
            Outcome::Rejected => {
                return Err(Failure::other(format!("{token} is in the mask, but not accepted")));
            }
            _ => {}
        }
        self.tokens.push(token);
        if is_end {
            return Ok(());
        }
        let name = self.vocabulary.special_name(token).unwrap_or_default().as_bytes();
        let bytes = self.vocabulary.bytes(token).unwrap_or(name);
        self.text.extend_from_slice(bytes);
        if !out.is_json() {
            out.stream(bytes)?;
        }
        Ok(())
    }
}

/// Returns the ids of a special symbol. Empty if the vocabulary lacks it.
fn ids_of(vocabulary: &Vocabulary, special: &Special, ending: &Ending) -> Vec<TokenId> {
    match special {
        Special::Name(name) => vocabulary.special(name).into_iter().collect(),
        Special::Id(id) => vec![TokenId(*id)],
        Special::Set(set) => tokens_of_set(set, vocabulary, ending, |_| {}),
    }
}

/// Returns the token of a mask that has `rank` smaller ones.
fn nth(mask: &Mask, rank: usize) -> TokenId {
    let mut left = rank;
    for (place, &word) in (0..).zip(mask.as_words()) {
        let count = word.count_ones() as usize;
        if left < count {
            let mut rest = word;
            for _ in 0..left {
                rest &= rest - 1;
            }
            return TokenId(place * 32 + rest.trailing_zeros());
        }
        left -= count;
    }
    TokenId(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nth_returns_the_tokens_of_a_mask_in_order() {
        let mut mask = Mask::new(200);
        let ids = [0, 1, 31, 32, 63, 64, 100, 199].map(TokenId);
        for id in ids {
            mask.allow(id);
        }
        assert_eq!((0..ids.len()).map(|rank| nth(&mask, rank)).collect::<Vec<_>>(), ids);
        assert_eq!(nth(&mask, ids.len()), TokenId(u32::MAX));
    }
}
