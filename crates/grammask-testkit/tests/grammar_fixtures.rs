//! The grammars of the fixtures take their sample texts, and stop at damage in them.

use grammask_syntax::{Config, parse};
use grammask_testkit::fixtures::{fixtures_root, grammars};
use grammask_testkit::{Oracle, Verdict, start_of};

#[test]
fn samples_are_accepted_and_all_their_beginnings_are_live() {
    let fixtures = grammars(&fixtures_root());
    assert!(fixtures.len() >= 10, "{} grammars", fixtures.len());
    for fixture in fixtures {
        let ast = parse(&fixture.grammar, &Config::default())
            .unwrap_or_else(|errors| panic!("{}: {errors}", fixture.name));
        let oracle =
            Oracle::new(&ast, start_of(&ast)).unwrap_or_else(|error| panic!("{}: {error}", fixture.name));
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
    for (name, from, to) in [
        ("json", "1287.50", "01287.50"),
        ("json", "\"open\": true,", "\"open\": true"),
        ("arithmetic", "2 * pi", "2 ** pi"),
        ("c", "counter++;", "counter++"),
        ("c", "int main(void) {", "int main(void) {{"),
        ("sql", "GROUP BY", "GROUPBY"),
        ("sql", "'key%'", "'key%"),
        ("xml", "<empty></empty>", "<empty></empty"),
        ("xml", " - of - ", " -- of -- "),
        ("patterns", "2024-02-29", "2024-13-29"),
        ("patterns", "192.168.0.254", "192.168.0.256"),
        ("text", "\n\n> x\n", "\n> x\n\nx"),
        ("left", ", plum", ",plum"),
        ("right", ", plum", ", , plum"),
        ("middle", "heart", "heart)"),
    ] {
        let fixtures = grammars(&fixtures_root());
        let fixture = fixtures.iter().find(|fixture| fixture.name == name).expect("a fixture");
        let ast = parse(&fixture.grammar, &Config::default()).expect("KBNF");
        let oracle = Oracle::new(&ast, "start").expect("a language");
        assert!(fixture.sample.contains(from), "{name} has no {from}");
        let damaged = fixture.sample.replacen(from, to, 1);
        assert_ne!(oracle.verdict(damaged.as_bytes()), Verdict::Accept, "{name} with {to}");
    }
}
