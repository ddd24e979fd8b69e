//! The recognizer against the oracle: on every case of the fixtures and on random grammars, with all kinds of
//! tuning.

use std::ops::Range;
use std::sync::Arc;

use grammask_earley::{Config, Network, Recognizer, Tuning};
use grammask_regular::Store;
use grammask_syntax::Ast;
use grammask_testkit::random::{self, RandomGrammar, Rng, Shape, operators, tails, texts};
use grammask_testkit::{Verdict, fixtures, start_of};

/// Every combination of `leo` and `keep_steps`. Two of them gather texts, and two make loops of right
/// recursion.
fn configs() -> impl Iterator<Item = Config> {
    let all = [
        [true, true, true, true],
        [true, false, false, false],
        [false, true, false, true],
        [false, false, true, false],
    ];
    all.into_iter().map(|[leo, keep_steps, gather_texts, loop_right_recursion]| Config {
        tuning: Tuning { leo, keep_steps, gather_texts, loop_right_recursion },
        ..Config::default()
    })
}

fn recognizer(ast: &Ast, start: &str, config: &Config) -> Result<Recognizer, String> {
    let mut store = Store::new(&grammask_regular::Limits::default());
    let normal_config = grammask_normal::Config { start: Some(start.into()), ..Default::default() };
    let normal =
        grammask_normal::normalize_in(ast, &mut store, &normal_config).map_err(|error| error.to_string())?;
    let network = Network::build(&normal, store, config).map_err(|error| error.to_string())?;
    network.check().map_err(|error| format!("{error}\n{network}"))?;
    Ok(Recognizer::new(Arc::new(network), config))
}

fn verdict(recognizer: &Recognizer, text: &[u8]) -> Verdict {
    let mut state = recognizer.initial();
    for (place, &byte) in text.iter().enumerate() {
        state = recognizer.step(state, byte).expect("no limit is near");
        if state.is_dead() {
            return Verdict::RejectAt(place);
        }
    }
    if state.completes() { Verdict::Accept } else { Verdict::LivePrefix }
}

#[test]
fn fixtures_have_the_expected_verdicts() {
    let mut cases = 0;
    fixtures::for_each_case(&fixtures::fixtures_root(), |case| {
        let Ok(ast) = grammask_syntax::parse(&case.grammar, &Default::default()) else {
            assert!(case.error.is_some(), "{}: does not parse", case.place());
            return;
        };
        for config in configs() {
            let made = recognizer(&ast, &case.start.clone().unwrap_or_else(|| start_of(&ast)), &config);
            case.check_error(made.as_ref().err().map(String::as_str))
                .unwrap_or_else(|error| panic!("{error}"));
            let Ok(recognizer) = made else { continue };
            for input in &case.inputs {
                let Some(bytes) = input.bytes() else { continue };
                case.check_verdict(input, verdict(&recognizer, &bytes))
                    .unwrap_or_else(|error| panic!("{error}"));
                cases += 1;
            }
        }
    });
    assert!(cases > 1_000, "only {cases} inputs were tried");
}

/// Compares verdicts on random texts of random grammars, with every tuning.
fn check_texts(seeds: Range<u64>, grammar: impl Fn(&mut Rng) -> RandomGrammar) {
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let grammar = grammar(&mut rng);
        let recognizers: Vec<Recognizer> = configs()
            .map(|config| {
                recognizer(&grammar.ast, &start_of(&grammar.ast), &config)
                    .unwrap_or_else(|error| panic!("{seed}: {error}\n{}", grammar.text))
            })
            .collect();
        for _ in 0..30 {
            let text = random::text(&mut rng, &grammar.oracle, 12);
            let expected = grammar.oracle.verdict(&text);
            for recognizer in &recognizers {
                let found = verdict(recognizer, &text);
                assert_eq!(
                    found,
                    expected,
                    "seed {seed}, text {:?}, {:?}\n{}\n{}",
                    String::from_utf8_lossy(&text),
                    recognizer.config(),
                    grammar.text,
                    recognizer.network()
                );
            }
        }
    }
}

#[test]
fn random_grammars_agree_with_the_oracle() {
    let shape = Shape { empty_output: true, ..Shape::default() };
    check_texts(0..400, |rng| random::grammar(rng, &shape));
}

#[test]
fn operator_grammars_agree_with_the_oracle() {
    check_texts(2_000..2_400, operators::grammar);
}

#[test]
fn text_loop_grammars_agree_with_the_oracle() {
    check_texts(4_000..4_800, texts::grammar);
}

#[test]
fn tail_recursive_grammars_agree_with_the_oracle() {
    check_texts(6_000..6_800, tails::grammar);
}

/// Returns how many grammars have a different network with this configuration than with the default one.
fn changed(seeds: Range<u64>, make: impl Fn(&mut Rng) -> RandomGrammar, other: &Config) -> usize {
    let is_changed = |seed: &u64| {
        let grammar = make(&mut Rng::new(*seed));
        let [one, other] = [&Config::default(), other]
            .map(|config| recognizer(&grammar.ast, "start", config).unwrap().network().to_string());
        one != other
    };
    seeds.filter(is_changed).count()
}

#[test]
fn text_loops_occur_in_many_random_grammars() {
    let tuning = Tuning { gather_texts: false, ..Tuning::default() };
    let plain = Config { tuning, ..Config::default() };
    let gathered = changed(4_000..4_800, texts::grammar, &plain);
    assert!(gathered > 300, "only in {gathered} of 800 grammars");
}

#[test]
fn tail_recursion_loops_occur_in_many_random_grammars() {
    let tuning = Tuning { loop_right_recursion: false, ..Tuning::default() };
    let plain = Config { tuning, ..Config::default() };
    let looped = changed(6_000..6_800, tails::grammar, &plain);
    assert!(looped > 400, "only in {looped} of 800 grammars");
}

#[test]
fn imported_states_keep_their_meaning() {
    for seed in 1_000..1_200 {
        let mut rng = Rng::new(seed);
        let grammar = random::grammar(&mut rng, &Shape::default());
        let mut old = recognizer(&grammar.ast, "start", &Config::default()).unwrap();
        let text = random::text(&mut rng, &grammar.oracle, 12);
        let mut run = grammar.oracle.run();
        let mut state = old.initial();
        for &byte in &text {
            let new = old.successor();
            state = new.import(&old, state).unwrap();
            old = new;
            state = old.step(state, byte).unwrap();
            let live = run.push(byte);
            assert_eq!(!state.is_dead(), live, "seed {seed}\n{}", grammar.text);
            if !live {
                break;
            }
            assert_eq!(state.completes(), run.is_complete(), "seed {seed}\n{}", grammar.text);
            let bytes: Vec<u8> = old.live_bytes(state).unwrap().iter().collect();
            assert_eq!(bytes, run.live_bytes(), "seed {seed}\n{}", grammar.text);
        }
    }
}
