//! Snapshots of every stage for every fixture grammar: tree, normal form, network, sets along the first bytes
//! of the sample text, and masks over a small vocabulary.

use std::fmt::Write as _;
use std::sync::Arc;

use grammask::{Config, Grammar, TokenId, Vocabulary};
use grammask_earley::{Network, Recognizer};
use grammask_regular::Store;
use grammask_testkit::fixtures::{self, GrammarFixture};

/// Maximum length of a snapshot, in lines. A longer one ends in a line with the number and the hash of the
/// other lines.
const LINES: usize = 150;
/// How much of a sample text the sets are shown for, in bytes.
const BYTES: usize = 8;

fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    if lines.len() <= LINES {
        return text.to_owned();
    }
    let rest = lines[LINES..].join("\n");
    // FNV-1a: any change in the rest shows.
    let hash = rest
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{}\n… {} more lines, {hash:016x}", lines[..LINES].join("\n"), lines.len() - LINES)
}

fn network(fixture: &GrammarFixture) -> Network {
    let ast = grammask_syntax::parse(&fixture.grammar, &Default::default()).unwrap();
    let mut store = Store::new(&grammask_regular::Limits::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    assert_eq!(normal.check(), Ok(()), "{}", fixture.name);
    let network = Network::build(&normal, store, &Default::default()).unwrap();
    assert_eq!(network.check(), Ok(()), "{}", fixture.name);
    network
}

/// Every snapshot of a stage.
fn snapshots(stage: &str, show: impl Fn(&GrammarFixture) -> String) {
    let all = fixtures::grammars(&fixtures::fixtures_root());
    assert_eq!(all.len(), 10, "a fixture grammar was added or lost");
    for fixture in all {
        insta::assert_snapshot!(format!("{stage}_{}", fixture.name), shortened(&show(&fixture)));
    }
}

#[test]
fn trees() {
    snapshots("ast", |fixture| {
        grammask_syntax::parse(&fixture.grammar, &Default::default()).unwrap().to_string()
    });
}

#[test]
fn normal_forms() {
    snapshots("normal", |fixture| {
        let ast = grammask_syntax::parse(&fixture.grammar, &Default::default()).unwrap();
        grammask_normal::normalize(&ast, &Default::default()).unwrap().to_string()
    });
}

#[test]
fn networks() {
    snapshots("network", |fixture| format!("{:#}", network(fixture)));
}

#[test]
fn sets() {
    snapshots("sets", |fixture| {
        let recognizer = Recognizer::new(Arc::new(network(fixture)), &Default::default());
        let mut state = recognizer.initial();
        let mut shown = recognizer.show(state).unwrap();
        let mut seen = vec![state];
        for &byte in fixture.sample.as_bytes().iter().take(BYTES) {
            state = recognizer.step(state, byte).unwrap();
            let set =
                if seen.contains(&state) { format!("{state}\n") } else { recognizer.show(state).unwrap() };
            write!(shown, "after {:?}: {set}", char::from(byte)).unwrap();
            seen.push(state);
        }
        shown
    });
}

#[test]
fn masks() {
    let words = [
        "a", "b", "0", "7", " ", "\n", "(", ")", "{", "}", "[", "]", "<", ">", "/", ",", ";", ":", "=", "\"",
        "'",
    ];
    let long = [
        "tru", "SELECT", "int ", "\": ", "</", "/>", "){", "1, 2", "\n\n", "x\n", "item", "0x1", "20", "@ex",
        "é", "-",
    ];
    let all = words.iter().chain(&long);
    let tokens = all.enumerate().map(|(id, word)| (TokenId(id as u32), word.as_bytes().to_vec()));
    let vocabulary = Vocabulary::new(tokens, []).unwrap();
    snapshots("masks", |fixture| {
        let mut matcher =
            Grammar::compile(&fixture.grammar, &vocabulary, &Config::default()).unwrap().matcher();
        let (mut shown, mut before) = (String::new(), String::new());
        for &byte in fixture.sample.as_bytes().iter().take(60) {
            let text = String::from_utf8_lossy(matcher.text()).into_owned();
            let allowed: Vec<String> =
                matcher.mask().iter().map(|id| vocabulary.display(id).to_string()).collect();
            let allowed = allowed.join(" ");
            // A line for every change.
            if allowed != before {
                writeln!(shown, "{text:?}\n    {allowed}").unwrap();
            }
            before = allowed;
            assert!(matcher.accept_bytes(&[byte]).is_accepted(), "{}: {text}", fixture.name);
        }
        shown
    });
}
