//! The contract of the engine, method by method.

use std::sync::Arc;

use ahash::AHashMap;
use grammask_kbnf::config::{CompressionConfig, Config, Fsa, RegexConfig};
use grammask_kbnf::engine::{CreateEngineError, Engine, EngineConfig};
use grammask_kbnf::engine_like::{
    AcceptTokenError, AcceptTokenResult, EngineLike, MaskLogitsError, UpdateLogitsError, WriteBufferError,
};
use grammask_kbnf::grammar::CreateGrammarError;
use grammask_kbnf::vocabulary::{CreateVocabularyError, Token, Vocabulary};

const LIST: &str = "start ::= '[' item (',' item)* ']'; item ::= 'x' | start;";

fn token(bytes: &[u8]) -> Token {
    Token(bytes.into())
}

fn vocabulary(tokens: &[(u32, &str)]) -> Vocabulary {
    let tokens = tokens.iter().map(|&(id, text)| (id, token(text.as_bytes()))).collect();
    Vocabulary::new(tokens, AHashMap::new()).unwrap()
}

/// Ids 1 to 8 and 70, so that ids have gaps and more than one word of bits; 4 and 70 have the same bytes.
fn list_vocabulary() -> Vocabulary {
    vocabulary(&[(1, "["), (2, "]"), (3, ","), (4, "x"), (5, "]]"), (6, "x,"), (7, ""), (8, "q"), (70, "x")])
}

fn allowed(engine: &Engine) -> Vec<usize> {
    engine.allowed_token_ids_from_last_computation().ones().collect()
}

#[test]
fn accepting_computes_nothing() {
    let mut engine = Engine::new(LIST, list_vocabulary()).unwrap();
    assert_eq!(allowed(&engine), [0_usize; 0]);
    assert_eq!(engine.allowed_token_ids_from_last_computation().len(), 71);
    engine.compute_allowed_token_ids();
    assert_eq!(allowed(&engine), [1]);
    engine.try_accept_new_token(1).unwrap();
    assert_eq!(allowed(&engine), [1]);
    engine.compute_allowed_token_ids();
    assert_eq!(allowed(&engine), [1, 4, 6, 70]);
    engine.reset();
    assert_eq!(allowed(&engine), [0_usize; 0]);
}

#[test]
fn allowed_ids_are_those_that_are_accepted() {
    let mut engine = Engine::new(LIST, list_vocabulary()).unwrap();
    for next in [1, 1, 6, 70, 2, 3, 4] {
        engine.compute_allowed_token_ids();
        for id in 0..100 {
            let allowed = engine.allowed_token_ids_from_last_computation().contains(id as usize);
            let result = engine.clone().try_accept_new_token(id);
            // The token without bytes is accepted, but never among the ids.
            assert_eq!(allowed, result.is_ok() && id != 7, "id {id} in {engine:?}");
            let known = engine.vocab().token(id).is_some();
            let error = if known { AcceptTokenError::Rejected } else { AcceptTokenError::UnknownTokenID };
            assert!(result.is_ok() || result == Err(error), "id {id}: {result:?}");
        }
        assert_eq!(engine.try_accept_new_token(next), Ok(AcceptTokenResult::Ongoing));
    }
    assert_eq!(engine.try_accept_new_token(2), Ok(AcceptTokenResult::Finished));
}

#[test]
fn a_finished_engine_refuses_everything() {
    let mut engine = Engine::new(LIST, list_vocabulary()).unwrap();
    assert_eq!(engine.try_accept_new_bytes(b"[[x"), Ok(AcceptTokenResult::Ongoing));
    engine.compute_allowed_token_ids();
    let mut logits = [0.25; 71];
    assert_eq!(engine.update_logits(5, &mut logits), Ok(AcceptTokenResult::Finished));
    assert!(engine.is_finished());
    assert_eq!(logits, [0.25; 71], "nothing comes next, so there is nothing to mask");
    assert_eq!(allowed(&engine), [2, 3, 5], "the last computation is unchanged");

    assert_eq!(engine.try_accept_new_token(4), Err(AcceptTokenError::Finished));
    assert_eq!(engine.try_accept_new_token(12345), Err(AcceptTokenError::Finished));
    assert_eq!(engine.try_accept_new_bytes(b"x"), Err(AcceptTokenError::Finished));
    assert_eq!(engine.try_accept_new_bytes(b""), Err(AcceptTokenError::Finished));
    assert_eq!(engine.update_logits(4, &mut logits), Err(UpdateLogitsError::Finished));
    engine.compute_allowed_token_ids();
    assert_eq!(allowed(&engine), [0_usize; 0]);
    assert_eq!(logits, [0.25; 71]);

    engine.reset();
    assert!(!engine.is_finished());
    assert_eq!(engine.try_accept_new_token(1), Ok(AcceptTokenResult::Ongoing));
}

#[test]
fn refused_updates_change_nothing() {
    let mut engine = Engine::new(LIST, list_vocabulary()).unwrap();
    let mut logits = [0.5; 71];
    engine.update_logits(1, &mut logits).unwrap();
    let masked = logits;
    let state = engine.matcher().state();
    let refusals = [
        (2, 71, UpdateLogitsError::Rejected),
        (9, 71, UpdateLogitsError::UnknownTokenID),
        (u32::MAX, 71, UpdateLogitsError::UnknownTokenID),
        (4, 70, UpdateLogitsError::InvalidLogitsLength),
        (4, 0, UpdateLogitsError::InvalidLogitsLength),
        (2, 0, UpdateLogitsError::Rejected),
    ];
    for (id, length, error) in refusals {
        assert_eq!(engine.update_logits(id, &mut logits[..length]), Err(error), "{id}, {length} logits");
        assert_eq!(engine.matcher().state(), state);
        assert_eq!(engine.matcher().text(), b"[");
        assert_eq!(allowed(&engine), [1, 4, 6, 70]);
        assert_eq!(logits, masked);
    }
    // Where no logits are needed, it does not matter how many there are.
    engine.try_accept_new_token(4).unwrap();
    assert_eq!(engine.update_logits(2, &mut []), Ok(AcceptTokenResult::Finished));
}

#[test]
fn masking_keeps_allowed_logits() {
    let mut engine = Engine::new(LIST, list_vocabulary()).unwrap();
    engine.try_accept_new_token(1).unwrap();
    engine.compute_allowed_token_ids();
    let before: [f32; 80] = std::array::from_fn(|id| id as f32);
    let mut logits = before;
    engine.mask_logits(&mut logits).unwrap();
    for (id, logit) in logits.into_iter().enumerate() {
        let expected = if [1, 4, 6, 70].contains(&id) { id as f32 } else { f32::NEG_INFINITY };
        assert_eq!(logit, expected, "id {id}");
    }
    let mut logits = before;
    assert_eq!(engine.mask_logits(&mut logits[..70]), Err(MaskLogitsError::InvalidLogitsLength));
    assert_eq!(logits, before);
}

#[test]
fn ids_are_written_in_order_or_not_at_all() {
    let mut engine = Engine::new(LIST, list_vocabulary()).unwrap();
    engine.try_accept_new_token(1).unwrap();
    engine.compute_allowed_token_ids();
    let mut buffer = [usize::MAX; 5];
    engine.write_allowed_token_ids_to_buffer(&mut buffer).unwrap();
    assert_eq!(buffer, [1, 4, 6, 70, usize::MAX]);
    let mut buffer = [usize::MAX; 3];
    assert_eq!(engine.write_allowed_token_ids_to_buffer(&mut buffer), Err(WriteBufferError::BufferTooSmall));
    assert_eq!(buffer, [usize::MAX; 3]);

    let mut buffer = [usize::MAX; 67];
    engine.write_disallowed_token_ids_to_buffer(&mut buffer).unwrap();
    let expected: Vec<usize> = (0..71).filter(|id| ![1, 4, 6, 70].contains(id)).collect();
    assert_eq!(buffer.to_vec(), expected);
    let short = engine.write_disallowed_token_ids_to_buffer(&mut buffer[..66]);
    assert_eq!(short, Err(WriteBufferError::BufferTooSmall));
}

#[test]
fn bytes_are_accepted_as_a_token_would_be() {
    let mut engine = Engine::new("start ::= 'abc' 'é';", vocabulary(&[(0, "a")])).unwrap();
    assert_eq!(engine.try_accept_new_bytes(b""), Ok(AcceptTokenResult::Ongoing));
    assert_eq!(engine.try_accept_new_bytes(b"abx"), Err(AcceptTokenError::Rejected));
    assert_eq!(engine.try_accept_new_bytes(b"ab"), Ok(AcceptTokenResult::Ongoing));
    assert_eq!(engine.try_accept_new_bytes(b"c\xc3"), Ok(AcceptTokenResult::Ongoing));
    assert_eq!(engine.try_accept_new_bytes(b"\xa9"), Ok(AcceptTokenResult::Finished));
}

#[test]
fn an_output_that_no_token_can_continue_allows_none() {
    let mut engine = Engine::new("start ::= 'abc';", vocabulary(&[(0, "ab"), (1, "x")])).unwrap();
    assert_eq!(engine.try_accept_new_token(0), Ok(AcceptTokenResult::Ongoing));
    engine.compute_allowed_token_ids();
    assert_eq!(allowed(&engine), [0_usize; 0]);
    assert!(!engine.is_finished());
}

#[test]
fn clones_are_independent() {
    let mut one = Engine::new(LIST, list_vocabulary()).unwrap();
    one.try_accept_new_token(1).unwrap();
    one.compute_allowed_token_ids();
    let mut two = one.clone();
    two.try_accept_new_bytes(b"x]").unwrap();
    two.compute_allowed_token_ids();
    assert!(two.is_finished() && !one.is_finished());
    assert_eq!((allowed(&one), allowed(&two)), (vec![1, 4, 6, 70], vec![]));
}

#[test]
fn an_engine_works_in_a_box() {
    let mut engine: Box<dyn EngineLike> = Engine::new(LIST, list_vocabulary()).unwrap().into_boxed_engine();
    assert_eq!(engine.try_accept_new_bytes(b"[x]"), Ok(AcceptTokenResult::Finished));
    let vocabulary: Arc<Vocabulary> = engine.vocab();
    assert_eq!(vocabulary.vocab_size(), 71);
}

#[test]
fn engines_can_be_sent_and_shared() {
    fn check<T: Send + Sync + Clone + std::fmt::Debug + 'static>() {}
    check::<Engine>();
    check::<Vocabulary>();
    check::<Config>();
}

#[test]
fn vocabularies_map_ids_and_tokens_both_ways() {
    let texts = AHashMap::from_iter([(4, "ex".to_owned()), (1000, "unused".to_owned())]);
    let tokens = [(1, "["), (4, "x"), (7, ""), (70, "x")].map(|(id, text)| (id, token(text.as_bytes())));
    let vocabulary = Vocabulary::new(tokens.into_iter().collect(), texts).unwrap();
    assert_eq!(vocabulary.token(4), Some(&token(b"x")));
    assert_eq!(vocabulary.token(5), None);
    assert_eq!(vocabulary.token_string(4), Some("ex"));
    assert_eq!(vocabulary.token_string(1), None);
    assert_eq!(vocabulary.token_id(&token(b"x")), Some(4), "the smallest id");
    assert_eq!(vocabulary.token_id(&token(b"")), Some(7));
    assert_eq!(vocabulary.token_id(&token(b"xx")), None);
    assert_eq!(vocabulary.vocab_size(), 71);
    assert_eq!(Vocabulary::new(AHashMap::new(), AHashMap::new()).unwrap().vocab_size(), 0);
}

#[test]
fn vocabularies_beyond_the_limits_are_refused() {
    let limits = grammask::trie::Limits::default();
    let of = |id, bytes| Vocabulary::new(AHashMap::from_iter([(id, token(bytes))]), AHashMap::new());
    assert_eq!(
        of(1 << 30, b"x").unwrap_err(),
        CreateVocabularyError::VocabularyTooLarge((1 << 30) + 1, limits.max_ids as usize)
    );
    let long = vec![b'x'; limits.max_token_bytes as usize + 1];
    assert_eq!(
        of(0, &long).unwrap_err(),
        CreateVocabularyError::TokenTooLong(long.len(), limits.max_token_bytes.into())
    );
}

#[test]
fn errors_have_kind_and_place() {
    let error = |text: &str| match Engine::new(text, list_vocabulary()).unwrap_err() {
        CreateEngineError::GrammarError(error) => error,
        other => panic!("{text}: {other:?}"),
    };
    let syntax = error("start ::= 'a' | ; start ::= 'b");
    assert!(matches!(syntax, CreateGrammarError::ParsingError(_)), "{syntax:?}");
    assert!(syntax.diagnostics().len() >= 2, "{syntax}");
    let both = error("start ::= a | ; start ::= b;");
    assert!(matches!(both, CreateGrammarError::ParsingError(_)), "{both:?}");
    assert_eq!(both.diagnostics().len(), 3, "{both}");
    let meaning = error("start ::= a b 'c';");
    assert!(matches!(meaning, CreateGrammarError::SemanticError(_)), "{meaning:?}");
    assert_eq!(meaning.diagnostics().len(), 2, "{meaning}");
    assert!(meaning.to_string().contains('a'));
    let unknown = error("start ::= <|end|>;");
    assert!(unknown.to_string().contains("<|end|>"), "{unknown}");
}

#[test]
fn the_start_symbol_is_chosen() {
    let config = |name: &str| Config { start_nonterminal: name.to_owned(), ..Config::default() };
    let first = |text: &str, config| {
        let mut engine =
            Engine::with_config(text, vocabulary(&[(0, "a"), (1, "b"), (2, "c")]), config).unwrap();
        engine.compute_allowed_token_ids();
        allowed(&engine)
    };
    let text = "start ::= 'a'; other ::= 'b'; third ::= 'c';";
    assert_eq!(first(text, config("start")), [0]);
    assert_eq!(first(text, config("other")), [1]);
    let with_directive = format!("%start third; {text}");
    assert_eq!(first(&with_directive, Config::default()), [2]);
    assert_eq!(first(&with_directive, config("other")), [1]);
    let missing = Engine::with_config(text, list_vocabulary(), config("missing")).unwrap_err();
    assert!(missing.to_string().contains("missing"), "{missing}");
}

#[test]
fn settings_do_not_change_results() {
    let default = Config::default();
    assert_eq!(default.expected_output_length, u32::MAX as usize);
    assert_eq!(default.compression_config, CompressionConfig { min_terminals: 5 });
    let mut configs = vec![default.clone()];
    for bits in 0..8 {
        let [cache_enabled, compaction_enabled, rejected_token_prefix_cache_enabled] =
            [1, 2, 4].map(|bit| bits & bit != 0);
        let engine_config =
            EngineConfig { cache_enabled, compaction_enabled, rejected_token_prefix_cache_enabled };
        configs.push(Config { engine_config, ..default.clone() });
    }
    let regex_config = RegexConfig {
        max_memory_usage: Some(1 << 24),
        fsa_type: Fsa::Dfa,
        min_tokens_required_for_eager_regex_cache: None,
    };
    let compression_config = CompressionConfig { min_terminals: 0 };
    configs.push(Config { regex_config, compression_config, expected_output_length: 1, ..default });

    let grammar = "start ::= '[' item (',' item)* ']'; item ::= #'x+' | start;";
    for config in configs {
        let mut engine = Engine::with_config(grammar, list_vocabulary(), config.clone()).unwrap();
        let mut seen = Vec::new();
        for id in [1, 6, 1, 4, 70, 2] {
            engine.try_accept_new_token(id).unwrap();
            engine.compute_allowed_token_ids();
            seen.push(allowed(&engine));
        }
        let inside = vec![2, 3, 4, 5, 6, 70];
        let expected =
            [vec![1, 4, 6, 70], vec![1, 4, 6, 70], vec![1, 4, 6, 70], inside.clone(), inside, vec![2, 3]];
        assert_eq!(seen, expected, "{config:?}");
    }
}

#[test]
fn the_cache_can_be_off() {
    for cache_enabled in [true, false] {
        let mut config = Config::default();
        config.engine_config.cache_enabled = cache_enabled;
        let mut engine = Engine::with_config(LIST, list_vocabulary(), config).unwrap();
        engine.compute_allowed_token_ids();
        let stats = engine.matcher().grammar().stats().tables;
        assert_eq!((stats.masks > 0, stats.summaries > 0), (cache_enabled, cache_enabled), "{stats:?}");
    }
}

#[test]
fn too_little_memory_for_regexes_is_an_error() {
    let mut config = Config::default();
    config.regex_config.max_memory_usage = Some(2000);
    let grammar = r"start ::= #'[\\p{L}\\p{N}]{3,500}@(com|org|net|edu)' ';';";
    let error = Engine::with_config(grammar, list_vocabulary(), config).unwrap_err();
    assert!(error.to_string().contains("2000"), "the error names the limit: {error}");
    assert!(Engine::new(grammar, list_vocabulary()).is_ok());
}

#[test]
fn a_limit_exceeded_later_refuses_the_token() {
    let mut config = Config::default();
    config.regex_config.max_memory_usage = Some(200_000);
    let grammar = "start ::= #'[ab]*a[ab]{40}c';";
    let mut engine = Engine::with_config(grammar, vocabulary(&[(0, "a"), (1, "b")]), config).unwrap();
    let mut bits = 0x9e37_79b9_u32;
    let refused = (0..10_000).find_map(|_| {
        bits = bits.rotate_left(5).wrapping_mul(0x9e37_79b1) ^ 0x55;
        let length = engine.matcher().text().len();
        engine.try_accept_new_token(bits >> 31).err().map(|error| (error, length))
    });
    let (error, length) = refused.expect("the automaton has about 2^40 states");
    assert_eq!(error, AcceptTokenError::Rejected);
    assert!(
        engine.matcher().error().unwrap().to_string().contains("200000"),
        "{:?}",
        engine.matcher().error()
    );
    assert_eq!(engine.matcher().text().len(), length);
}

#[test]
fn results_and_errors_can_be_shown() {
    let shown = [
        AcceptTokenResult::Ongoing.to_string(),
        AcceptTokenResult::Finished.to_string(),
        AcceptTokenError::UnknownTokenID.to_string(),
        AcceptTokenError::Rejected.to_string(),
        AcceptTokenError::Finished.to_string(),
        MaskLogitsError::InvalidLogitsLength.to_string(),
        WriteBufferError::BufferTooSmall.to_string(),
    ];
    let distinct: std::collections::BTreeSet<_> = shown.iter().collect();
    assert_eq!(distinct.len(), shown.len(), "{shown:?}");
}
