//! The grammars of the fixtures accept their sample texts, and reject damaged ones.

use grammask_syntax::{Config, parse};
use grammask_testkit::fixtures::{fixtures_root, grammars};
use grammask_testkit::{Oracle, Verdict, start_of};

#[test]
fn samples_are_accepted_and_all_their_prefixes_are_live() {
    let fixtures = grammars(&fixtures_root());
    assert!(fixtures.len() >= 10, "{} grammars", fixtures.len());
    for fixture in fixtures {
        let ast = parse(&fixture.grammar, &Config::default())
            .unwrap_or_else(|errors| panic!("{}: {errors}", fixture.name));
        let oracle =
            Oracle::new(&ast, &start_of(&ast)).unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
        let sample = fixture.sample.as_bytes();
        let verdict = oracle.verdict(sample);
        let read = if let Verdict::RejectAt(offset) = verdict { &sample[..offset + 1] } else { sample };
        let shown = read[read.len().saturating_sub(60)..].escape_ascii();
        assert_eq!(verdict, Verdict::Accept, "{}: after \"{shown}\"", fixture.name);
        assert!((500..=4000).contains(&sample.len()), "{}: {} bytes", fixture.name, sample.len());
    }
}

#[test]
fn damaged_samples_are_rejected() {
    let mut damaged = 0;
    for fixture in grammars(&fixtures_root()) {
        let ast = parse(&fixture.grammar, &Config::default()).expect("KBNF");
        let oracle = Oracle::new(&ast, "start").expect("a language");
        for text in fixture.damaged() {
            damaged += 1;
            assert_ne!(oracle.verdict(text.as_bytes()), Verdict::Accept, "{}: {text}", fixture.name);
        }
    }
    assert_eq!(damaged, 15, "a damage without a grammar");
}
