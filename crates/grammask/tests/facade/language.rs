//! Every case of the language fixtures with the facade and with the oracle: inputs, special tokens, eager
//! endings and masks, with and without Leo items, with and without caches.

use std::collections::BTreeSet;

use grammask::{Config, Ending, Grammar, Outcome, TokenId, Vocabulary};
use grammask_syntax::{Ast, ExprKind, SpecialMember, is_special_name};
use grammask_testkit::fixtures::{self, Case, Input, Part};
use grammask_testkit::{Outcome as Eager, Verdict};

/// Ids below are left to the special tokens that grammars name by id.
const BYTES: u32 = 1 << 16;
const NAMES: u32 = BYTES + 256;

/// Every combination of the switches that must not matter; texts are gathered in two of them, and right
/// recursion is a loop in two.
fn configs() -> impl Iterator<Item = Config> {
    [(true, true), (true, false), (false, true), (false, false)].into_iter().map(|(leo, keep)| {
        let mut config = Config::default();
        config.recognizer.tuning.leo = leo;
        config.recognizer.tuning.gather_texts = leo == keep;
        config.recognizer.tuning.loop_right_recursion = leo;
        config.recognizer.tuning.keep_steps = keep;
        config.masks.tuning.keep_summaries = keep;
        config.masks.tuning.keep_masks = keep;
        config
    })
}

/// The special tokens of a case: those in its grammar and in its inputs.
fn specials(case: &Case, ast: &Ast) -> Vec<(TokenId, String)> {
    let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for expr in &ast.exprs {
        match &expr.kind {
            ExprKind::SpecialName(name) => drop(names.insert(name.to_string())),
            ExprKind::SpecialId(id) => drop(ids.insert(*id)),
            ExprKind::SpecialSet(set) => {
                for member in &set.members {
                    match member {
                        SpecialMember::Name(name) => drop(names.insert(name.clone())),
                        SpecialMember::Ids(first, last) => ids.extend(*first..=*last),
                    }
                }
            }
            ExprKind::Marker(text) if is_special_name(text) => drop(names.insert(text.to_string())),
            _ => {}
        }
    }
    for part in case.inputs.iter().flat_map(|input| &input.parts) {
        match part {
            Part::SpecialName(name) => drop(names.insert(name.clone())),
            Part::SpecialId(id) => drop(ids.insert(*id)),
            Part::Bytes(_) => {}
        }
    }
    assert!(ids.iter().all(|&id| id < BYTES), "{}: a special id is in the way", case.place());
    let by_name = names.into_iter().enumerate().map(|(place, name)| (TokenId(NAMES + place as u32), name));
    by_name.chain(ids.into_iter().map(|id| (TokenId(id), format!("<|id {id}|>")))).collect()
}

fn verdict(grammar: &Grammar, input: &Input) -> Verdict {
    let mut matcher = grammar.matcher();
    let mut place = 0;
    for part in &input.parts {
        let outcomes: Vec<Outcome> = match part {
            Part::Bytes(bytes) => bytes.iter().map(|&byte| matcher.accept_bytes(&[byte])).collect(),
            Part::SpecialName(name) => {
                let id = grammar
                    .vocabulary()
                    .special(name)
                    .expect("every special of the case is in the vocabulary");
                vec![matcher.accept(id)]
            }
            Part::SpecialId(id) => vec![matcher.accept(TokenId(*id))],
        };
        for outcome in outcomes {
            if !outcome.is_accepted() {
                return Verdict::RejectAt(place);
            }
            place += 1;
        }
    }
    if matcher.is_complete() { Verdict::Accept } else { Verdict::LivePrefix }
}

fn compile(case: &Case, vocabulary: &Vocabulary, config: &Config) -> Result<Grammar, String> {
    let mut config = config.clone();
    if let Some(start) = &case.start {
        config = config.with_start(start);
    }
    Grammar::compile(&case.grammar, vocabulary, &config).map_err(|error| error.render(&case.grammar, "case"))
}

fn words(words: &[String]) -> Vocabulary {
    let tokens = words.iter().enumerate().map(|(id, word)| (TokenId(id as u32), word.as_bytes().to_vec()));
    Vocabulary::new(tokens, []).expect("a small vocabulary")
}

fn check(case: &Case, config: &Config) -> Result<usize, String> {
    let ast = grammask_syntax::parse(&case.grammar, &config.syntax).unwrap_or_default();
    let bytes = (0..=255u8).map(|byte| (TokenId(BYTES + u32::from(byte)), vec![byte]));
    let vocabulary = Vocabulary::new(bytes, specials(case, &ast)).expect("a small vocabulary");
    let made = compile(case, &vocabulary, config);
    case.check_error(made.as_ref().err().map(String::as_str))?;
    let Ok(grammar) = made else { return Ok(1) };
    for input in &case.inputs {
        case.check_verdict(input, verdict(&grammar, input))?;
    }
    for eager in &case.eager {
        let config = Config { ending: Ending::Eager, ..config.clone() };
        let mut matcher = compile(case, &words(&eager.tokens), &config)?.matcher();
        let outcomes: Vec<Eager> = (0..eager.tokens.len() as u32)
            .map(|id| match matcher.accept(TokenId(id)) {
                Outcome::Finished => Eager::Finished,
                Outcome::Ongoing | Outcome::Stuck => Eager::Ongoing,
                Outcome::Rejected | Outcome::LimitExceeded => Eager::Rejected,
            })
            .collect();
        case.check_eager(eager, &outcomes)?;
    }
    for mask in &case.masks {
        let ending = if mask.eager { Ending::Eager } else { Ending::default() };
        let mut matcher =
            compile(case, &words(&mask.vocabulary), &Config { ending, ..config.clone() })?.matcher();
        let is_read = mask.after.bytes().all(|byte| matcher.accept_bytes(&[byte]).is_accepted());
        if !is_read {
            // The oracle reads on after the end of an eager output; a matcher does not.
            assert!(mask.eager && matcher.is_finished(), "{}: {:?} is not live", case.place(), mask.after);
            continue;
        }
        let allowed = matcher.mask();
        let allowed: Vec<bool> =
            (0..mask.vocabulary.len() as u32).map(|id| allowed.allows(TokenId(id))).collect();
        case.check_mask(mask, &allowed)?;
    }
    Ok(case.inputs.len() + case.eager.len() + case.masks.len())
}

#[test]
fn the_facade_gives_every_verdict() {
    let (mut cases, mut checks, mut failures) = (0, 0, Vec::new());
    fixtures::for_each_case(&fixtures::fixtures_root(), |case| {
        cases += 1;
        for config in configs() {
            match check(case, &config) {
                Ok(count) => checks += count,
                Err(failure) => failures.push(failure),
            }
        }
    });
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(cases >= 300 && checks >= 4_000, "only {cases} cases and {checks} checks");
}

#[test]
fn the_oracle_gives_every_verdict() {
    fixtures::for_each_case(&fixtures::fixtures_root(), |case| {
        case.check_oracle().unwrap_or_else(|failure| panic!("{failure}"));
    });
}
