//! The language of a grammar is preserved by the normal form and by every pass, checked with the oracle on
//! random grammars and texts.

use grammask_normal::{Config, ErrorKind, PASSES, Pass, normalize, normalize_traced};
use grammask_syntax::{Ast, parse};
use grammask_testkit::random::{self, Rng, Shape};
use grammask_testkit::{Oracle, OracleError, start_of};

fn read(text: &str) -> Ast {
    parse(text, &grammask_syntax::Config::default()).unwrap_or_else(|errors| panic!("{text}: {errors}"))
}

/// Returns random grammars of several shapes, always the same; a quarter of `count` in debug builds.
fn grammars(count: u64, seed: u64) -> impl Iterator<Item = (Rng, String)> {
    let count = if cfg!(debug_assertions) { count / 4 } else { count };
    (0..count).map(move |number| {
        let mut rng = Rng::new(seed + number);
        let shape = Shape {
            nonterminals: 1 + rng.below(6),
            depth: rng.below(4),
            patterns: rng.chance(1, 2),
            extensions: rng.chance(1, 2),
            specials: rng.chance(1, 6),
            empty_output: true,
        };
        let text = random::grammar_text(&mut rng, &shape);
        (rng, text)
    })
}

/// Returns random grammars that repeat characters, or nearly do.
fn characters(count: u64, seed: u64) -> impl Iterator<Item = (Rng, String)> {
    let count = if cfg!(debug_assertions) { count / 4 } else { count };
    (0..count).map(move |number| {
        let mut rng = Rng::new(seed + number);
        let atoms = [
            "#'[a-p]'", "#'[^\"]'", "'\\\\' #'[nrt]'", "'a'", "'ab'", "hex", "(hex | 'x')", "''", "'\"'", "letter",
            "#'[a-z]{0,3}x'", "#'[a-q]?'", "#'[a-z]*'", "<|end|>", "'u' hex{2}", "letter{1,3}", "except!('ab', 4)", "(#'[^b]' & ~'a')",
            "'a text that is too long'", "nested", "text",
        ];
        let [a, b, c, d] = [(); 4].map(|()| *rng.pick(&atoms));
        let (least, most) = (rng.below(3), 2 + rng.below(5));
        let shapes = [
            format!("start ::= '\"' ({a} | {b})* '\"'; text ::= {c};"),
            format!("start ::= ({a} | {b} | {c})+ {d}; text ::= 'x' text | {a};"),
            format!("start ::= text{{{least},{most}}} {d}; text ::= {a} | {b} | {c};"),
            format!("start ::= {c} | start text {d}; text ::= {a} | {b} | nested;"),
            format!("start ::= items | '(' start ')'; items ::= text | items text; text ::= {a} | {b} {c};"),
            format!("start ::= text start | {d}; text ::= {a} | text {b} | text {c};"),
            format!("start ::= text+ ',' text* text?; text ::= {a} | {b} ({c} | {d});"),
            format!("start ::= text '!'; text ::= {a} text | {b} text | {c};"),
            format!("start ::= text {d} | text; text ::= text text | {a} | {b};"),
            format!("start ::= {a} start | text; text ::= {b} text | text text | {c} | {d};"),
            format!("start ::= text '\"'; text ::= text {a} | text text | {b} | {c};"),
            format!("start ::= text | '\"'; text ::= {a} text | {b} (#'a+' & #'b+') | text text;"),
        ];
        let shape = rng.pick(&shapes);
        let rest = "hex ::= #'[0-9a-f]'; letter ::= 'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h' | 'i' | 'j' | 'k' | 'l' | 'm' | 'n' | 'o' | 'p';";
        let nested = "nested ::= #'[a-z]' | '(' nested ')';";
        (rng, format!("{shape} {rest} {nested}"))
    })
}

/// Walks through both oracles at once. After each text, both must allow the same bytes and special tokens,
/// and agree on whether the text is complete.
fn compare(rng: &mut Rng, one: &Oracle, two: &Oracle, walks: usize, context: &str) {
    for _ in 0..walks {
        let (mut first, mut second) = (one.run(), two.run());
        let mut walked = Vec::new();
        for _ in 0..10 {
            let live = first.live_bytes();
            assert_eq!(live, second.live_bytes(), "after {:?}\n{context}", String::from_utf8_lossy(&walked));
            let specials = [(Some("<|end|>"), None), (Some("<|sep|>"), None), (None, Some(7))];
            let allowed: Vec<_> =
                specials.into_iter().filter(|&(name, id)| first.allows_special(name, id)).collect();
            for (name, id) in specials {
                assert_eq!(
                    first.allows_special(name, id),
                    second.allows_special(name, id),
                    "{name:?} {id:?} after {:?}\n{context}",
                    String::from_utf8_lossy(&walked)
                );
            }
            if !allowed.is_empty() && (live.is_empty() || rng.chance(1, 3)) {
                let (name, id) = *rng.pick(&allowed);
                walked.extend_from_slice(b"<special>");
                assert!(first.push_special(name, id) && second.push_special(name, id));
            } else {
                let Some(byte) = random::live_byte(rng, &first) else { break };
                walked.push(byte);
                assert!(first.push(byte) && second.push(byte), "after {walked:?}\n{context}");
            }
            assert_eq!(
                first.is_complete(),
                second.is_complete(),
                "complete after {:?}?\n{context}",
                String::from_utf8_lossy(&walked)
            );
        }
    }
}

#[test]
fn a_normal_form_has_the_language_of_its_grammar() {
    let (mut compared, mut all) = (0, 0);
    for (mut rng, text) in grammars(1_600, 1).chain(characters(1_200, 5_000_000)) {
        all += 1;
        let ast = read(&text);
        let normal = normalize(&ast, &Config::default());
        let oracle = match Oracle::new(&ast, &start_of(&ast)) {
            Ok(oracle) => oracle,
            Err(OracleError::TooLarge(_)) => continue,
            Err(error) => {
                let errors = normal.expect_err(&format!("the oracle says: {error}\n{text}"));
                let kind = &errors.errors()[0].kind;
                let is_empty =
                    matches!(kind, ErrorKind::EmptyLanguage { .. } | ErrorKind::OnlyEmptyText { .. });
                assert_eq!(is_empty, error == OracleError::EmptyLanguage, "{error}, {kind}\n{text}");
                continue;
            }
        };
        let normal = normal.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
        let context = format!("{text}\n{normal}");
        assert_eq!(normal.check(), Ok(()), "{context}");
        let again = normal.to_ast();
        assert_eq!(again.check(), Ok(()), "{context}");
        let Ok(second) = Oracle::new(&again, &start_of(&again)) else {
            panic!("the oracle does not take the normal form\n{context}");
        };
        compare(&mut rng, &oracle, &second, 6, &context);
        compared += 1;
    }
    assert!(compared * 2 > all, "only {compared} of {all} grammars had a language");
}

#[test]
fn every_pass_preserves_the_language_and_establishes_its_postcondition() {
    for (mut rng, text) in grammars(240, 1_000_000).chain(characters(240, 6_000_000)) {
        let ast = read(&text);
        let (Ok(oracle), Ok(trace)) =
            (Oracle::new(&ast, &start_of(&ast)), normalize_traced(&ast, &Config::default()))
        else {
            continue;
        };
        let mut before = text;
        for (name, grammar) in &trace.steps {
            let after = grammar.to_string();
            if let Some(pass) = Pass::find(name) {
                assert!(pass.holds(grammar), "{name} does not keep its word\n{before}\n{after}");
            }
            if after != before {
                let ast = read(&after);
                let context = format!("{name}\n{before}\n{after}");
                let second =
                    Oracle::new(&ast, &start_of(&ast)).unwrap_or_else(|error| panic!("{error}\n{context}"));
                compare(&mut rng, &oracle, &second, 2, &context);
            }
            before = after;
        }
    }
}

#[test]
fn each_pass_alone_preserves_the_language() {
    for (mut rng, text) in grammars(120, 2_000_000).chain(characters(120, 7_000_000)) {
        let ast = read(&text);
        let Ok(oracle) = Oracle::new(&ast, &start_of(&ast)) else { continue };
        for pass in PASSES {
            let config = Config::default();
            let mut store = grammask_regular::Store::new(&config.regular);
            let mut grammar =
                grammask_normal::Grammar::read(&ast, &mut store, &config).expect("the oracle takes it");
            pass.apply(&mut grammar, &mut store, &config).expect("the oracle takes it");
            let after = grammar.to_string();
            let context = format!("{}\n{text}\n{after}", pass.name);
            let ast = read(&after);
            let second =
                Oracle::new(&ast, &start_of(&ast)).unwrap_or_else(|error| panic!("{error}\n{context}"));
            compare(&mut rng, &oracle, &second, 2, &context);
        }
    }
}

#[test]
fn a_printed_normal_form_normalizes_to_the_same_language() {
    let (mut equal, mut all) = (0, 0);
    for (mut rng, text) in grammars(400, 3_000_000) {
        let ast = read(&text);
        let Ok(normal) = normalize(&ast, &Config::default()) else { continue };
        let again = normalize(&normal.to_ast(), &Config::default())
            .unwrap_or_else(|errors| panic!("{errors}\n{normal}"));
        assert_eq!(again.check(), Ok(()), "{normal}\n{again}");
        all += 1;
        if again == normal {
            equal += 1;
            continue;
        }
        // A second run may simplify further, but must preserve the language.
        let (one, two) = (normal.to_ast(), again.to_ast());
        let (Ok(first), Ok(second)) =
            (Oracle::new(&one, &start_of(&one)), Oracle::new(&two, &start_of(&two)))
        else {
            continue;
        };
        compare(&mut rng, &first, &second, 2, &format!("{text}\n{normal}\n{again}"));
    }
    assert!(all > 20 && equal * 100 >= all * 95, "{equal} of {all}");
}

#[test]
fn the_same_tree_gives_the_same_normal_form() {
    for (_, text) in grammars(100, 4_000_000) {
        let ast = read(&text);
        assert_eq!(normalize(&ast, &Config::default()), normalize(&ast, &Config::default()));
    }
}
