//! Grammars and vocabularies that meet the conditions of the strategies for masks. Each mask must equal the
//! oracle and the result of reading each token, with any content of the shared lexicon.

use grammask::mask::LexiconTuning;
use grammask::{Config, Ending, Grammar, LexiconConfig, Matcher, TokenId, Vocabulary};
use grammask_testkit::Run;
use grammask_testkit::random::{RandomGrammar, Rng, conditions, tails, texts};

/// Ends texts, and has no bytes.
const STOP: TokenId = TokenId(100_000);

/// Number of grammars that share a vocabulary and its lexicon.
const TOGETHER: u64 = 8;

/// Vocabularies.
const BATCHES: u64 = 32;

/// Tokens of a vocabulary: enough for all that is looked for only where there is much to walk.
const TOKENS: usize = 2_600;

/// Tokens of an output at most.
const STEPS: usize = 10;

/// Where there are more ways to read on, the oracle takes too long.
const MOST_ITEMS: usize = 48;

/// A vocabulary, with tables that grammars share.
struct Words {
    tokens: Vec<Vec<u8>>,
    shared: Vocabulary,
}

impl Words {
    fn new(rng: &mut Rng) -> Self {
        let tokens = conditions::vocabulary(rng, TOKENS);
        let ids = (0..).map(TokenId).zip(tokens.iter().cloned());
        let plain = Vocabulary::new(ids, [(STOP, "<|stop|>".to_owned())]).unwrap();
        let shared = plain.with_lexicon(&lexicon(rng));
        Self { tokens, shared }
    }

    fn show(&self, id: TokenId) -> String {
        let bytes = self.tokens.get(id.0 as usize).map(|bytes| bytes.escape_ascii().to_string());
        bytes.unwrap_or_else(|| format!("{id}"))
    }
}

/// Limits that decide where a shortcut is looked for, and must not change any mask.
fn lexicon(rng: &mut Rng) -> LexiconConfig {
    let tuning = LexiconTuning {
        min_loop_nodes: *rng.pick(&[1, 12]),
        max_loop_exit_edges: *rng.pick(&[0, 1_024]),
        min_base_nodes: *rng.pick(&[1, 30, 16_384]),
        disabled: rng.pick(&[vec![], vec!["safe_class"], vec!["same_successors"]]).clone(),
        max_class_exit_edges: *rng.pick(&[0, 16_384, usize::MAX]),
        max_listed_nodes: *rng.pick(&[0, 64, 2_048]),
        ..LexiconTuning::default()
    };
    let mut config = LexiconConfig::from(tuning);
    if rng.chance(1, 8) {
        config.limits.regular.states = 100;
    }
    config
}

fn config(rng: &mut Rng, words: &Words) -> Config {
    let ending = match rng.below(6) {
        // Where a text ends at once, it shows where it was complete, also below tokens that are allowed
        // anyhow.
        0 | 1 => Ending::Eager,
        2 => Ending::EndOfSequence(vec![STOP, TokenId(rng.below(words.tokens.len()) as u32)]),
        _ => Ending::EndOfSequence(vec![STOP]),
    };
    let mut config = Config { ending, ..Config::default() };
    // Some of the grammars take more work than a mask may by default.
    config.masks.limits.max_mask_work = u64::MAX;
    config.masks.tuning.max_state_walk_nodes = *rng.pick(&[0, 512]);
    config
}

/// The mask by its definition.
fn expected(run: &Run<'_>, words: &Words, ending: &Ending) -> Vec<TokenId> {
    let allowed = match ending {
        Ending::Eager => run.allowed_eagerly(&words.tokens),
        Ending::EndOfSequence(_) | Ending::OfVocabulary => run.allowed(&words.tokens),
    };
    let ends = ending.tokens();
    let read = (0..).map(TokenId).zip(allowed).filter(|&(id, allowed)| allowed && !ends.contains(&id));
    let mut mask: Vec<TokenId> = read.map(|(id, _)| id).collect();
    if run.is_complete() {
        mask.extend(ends);
    }
    mask.sort_unstable();
    mask
}

/// Follows one output with shared tables and with tables of its own. Returns the number of compared masks.
fn walk(rng: &mut Rng, random: &RandomGrammar, words: &Words) -> Result<usize, String> {
    let config = config(rng, words);
    let alone = words.shared.with_lexicon(&lexicon(rng));
    let compile = |vocabulary: &Vocabulary| {
        Grammar::compile(&random.text, vocabulary, &config)
            .map(|grammar| grammar.matcher())
            .map_err(|error| error.to_string())
    };
    let mut matchers = [("shared", compile(&words.shared)?), ("alone", compile(&alone)?)];
    let mut run = random.oracle.run();
    for step in 0..STEPS {
        let expected = expected(&run, words, &config.ending);
        for (name, matcher) in &mut matchers {
            let ending = &config.ending;
            compare(matcher, &expected, run.is_complete(), words)
                .map_err(|what| format!("{name} tables, {ending:?}: {what}"))?;
        }
        let ends = config.ending.tokens();
        if rng.chance(1, 4) {
            reads(&matchers[0].1, &expected, ends, words)?;
        }
        let live: Vec<TokenId> = expected.into_iter().filter(|id| !ends.contains(id)).collect();
        if live.is_empty() {
            return Ok(step + 1);
        }
        // Mostly a long one, so that bounds come near; else a short one, so that no place near a bound is
        // passed by.
        let length = |&id: &TokenId| words.tokens[id.0 as usize].len();
        let few: Vec<TokenId> = (0..1 + rng.below(4)).map(|_| *rng.pick(&live)).collect();
        let is_short = rng.chance(1, 3);
        let token = few
            .into_iter()
            .max_by_key(|id| if is_short { usize::MAX - length(id) } else { length(id) })
            .unwrap();
        run.push_all(&words.tokens[token.0 as usize]);
        for (_, matcher) in &mut matchers {
            assert!(matcher.accept(token).is_accepted());
        }
        if config.ending == Ending::Eager && run.is_complete() || run.items() > MOST_ITEMS {
            return Ok(step + 1);
        }
    }
    Ok(STEPS)
}

/// Whether the matcher goes on by the bytes of a token just where the token is expected: no mask is needed
/// for that.
fn reads(matcher: &Matcher, expected: &[TokenId], ends: &[TokenId], words: &Words) -> Result<(), String> {
    for (id, bytes) in (0..).map(TokenId).zip(&words.tokens).filter(|(id, _)| !ends.contains(id)) {
        let is_read = matcher.clone().accept_bytes(bytes).is_accepted();
        if is_read != expected.binary_search(&id).is_ok() {
            return Err(format!("{}: {} is read: {is_read}", place(matcher), words.show(id)));
        }
    }
    Ok(())
}

fn compare(
    matcher: &mut Matcher,
    expected: &[TokenId],
    is_complete: bool,
    words: &Words,
) -> Result<(), String> {
    let mask: Vec<TokenId> = matcher.mask().iter().collect();
    if let Some(error) = matcher.error() {
        return Err(error.to_string());
    }
    if matcher.is_complete() != is_complete {
        return Err(format!("{}: complete {}", place(matcher), matcher.is_complete()));
    }
    if mask == expected {
        return Ok(());
    }
    let some = |some: &[TokenId], without: &[TokenId]| -> Vec<String> {
        let those = some.iter().filter(|id| without.binary_search(id).is_err());
        those.take(10).map(|&id| words.show(id)).collect()
    };
    let (more, less) = (some(&mask, expected), some(expected, &mask));
    Err(format!("{}: allowed and not expected {more:?}, expected and not allowed {less:?}", place(matcher)))
}

fn place(matcher: &Matcher) -> String {
    format!("after \"{}\"", matcher.text().escape_ascii())
}

#[test]
fn strategies_give_the_mask_of_the_oracle() {
    let mut masks = 0;
    for batch in 0..BATCHES {
        let words = Words::new(&mut Rng::new(batch));
        for seed in batch * TOGETHER..(batch + 1) * TOGETHER {
            let mut rng = Rng::new(!seed);
            let random = match rng.below(6) {
                0 => texts::grammar(&mut rng),
                1 => tails::grammar(&mut rng),
                _ => conditions::grammar(&mut rng),
            };
            masks += walk(&mut rng, &random, &words)
                .unwrap_or_else(|what| panic!("seed {seed}, {what}\n{}", random.text));
        }
    }
    assert!(masks > 800, "{masks} masks");
}
