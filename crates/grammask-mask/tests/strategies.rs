//! Each strategy of the lexicon answers on a named grammar, and changes no mask.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_mask::{
    Config, Ending, Lexicon, LexiconConfig, LexiconTuning, Masks, STRATEGIES, Scratch, StrategyUses,
};
use grammask_regular::Store;
use grammask_trie::{Mask, TokenId, Vocabulary};

/// Name of a grammar, its KBNF, a text that begins in its language, and the strategies that it must use.
struct Fixture {
    name: &'static str,
    grammar: String,
    text: String,
    /// Length of the longest set of trie nodes that is stored as a list.
    max_listed_nodes: usize,
    uses: &'static [&'static str],
}

fn fixture(name: &'static str, uses: &'static [&'static str]) -> Fixture {
    Fixture {
        name,
        grammar: read(&format!("grammars/{name}.kbnf")),
        text: read(&format!("texts/{name}.txt")),
        max_listed_nodes: 64,
        uses,
    }
}

fn small(name: &'static str, grammar: &str, text: &str, uses: &'static [&'static str]) -> Fixture {
    Fixture { name, grammar: grammar.to_owned(), text: text.to_owned(), max_listed_nodes: 64, uses }
}

fn fixtures() -> Vec<Fixture> {
    vec![
        fixture("json", &["walk", "same_successors", "self_loop"]),
        fixture("c", &["few_bytes", "many_roots", "self_loop_class"]),
        fixture("patterns", &["split_prefix", "same_successors"]),
        fixture("text", &["near_duplicate"]),
        fixture("xml", &["safe_class"]),
        small(
            "texts",
            r#"start ::= #'[ab]+' '"' json!('c' | 'ab') '"' #'a+' start | #'b+' '"' json!('b') '"' #'c+';"#,
            r#"ab"ab"aabb"b"c"#,
            &["imported_texts"],
        ),
        small(
            "keys",
            r#"start ::= ((#'x*' '"' json!('name' | 'number') '"') & #'(?s:.)*') ':' '1';"#,
            r#"xx"name":1"#,
            &["finite_language"],
        ),
        small("length", r#"start ::= '"' #'[a-z ]{0,40}' '"';"#, r#""the list of"#, &["counted_slice"]),
        small("spelled", r#"start ::= json!(#'[^b]{0,20}') '"';"#, "the list of", &["counted_class"]),
        small("contains", r#"start ::= json!(#'(?s:.)*ab(?s:.)*') '"';"#, "the lab x", &["safe_class"]),
        small(
            "line",
            r#"start ::= '"' #'[^"
]*' '"' 'x'?;"#,
            r#""the list"#,
            &["self_loop_class"],
        ),
    ]
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    std::fs::read_to_string(root.join(path)).unwrap()
}

/// All bytes, and all words of the texts of the fixtures with their prefixes, some after a blank.
fn vocabulary() -> Arc<Vocabulary> {
    let mut words: BTreeSet<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    for name in ["arithmetic", "c", "json", "patterns", "sql", "text", "xml"] {
        let text = read(&format!("texts/{name}.txt"));
        for word in text.split_whitespace() {
            for (end, _) in word.char_indices().skip(1).chain([(word.len(), ' ')]).take(12) {
                words.insert(word.as_bytes()[..end].to_vec());
                words.insert(format!(" {}", &word[..end]).into_bytes());
            }
            words.extend(word.as_bytes().windows(2).map(<[u8]>::to_vec));
        }
    }
    let tokens = (0..).map(TokenId).zip(words);
    Arc::new(Vocabulary::new(tokens, [], &Default::default()).unwrap())
}

/// A lexicon in which slices pay below small subtrees, without the strategies `disabled`.
fn config(fixture: &Fixture, disabled: Vec<&'static str>) -> LexiconConfig {
    let tuning = LexiconTuning {
        min_base_nodes: 512,
        max_loop_exit_edges: 64,
        max_listed_nodes: fixture.max_listed_nodes,
        disabled,
        ..LexiconTuning::default()
    };
    tuning.into()
}

/// The masks before and after each byte of a text, and how often strategies answered.
fn masks(
    fixture: &Fixture,
    vocabulary: &Arc<Vocabulary>,
    config: &LexiconConfig,
) -> (Vec<Mask>, StrategyUses) {
    let ast = grammask_syntax::parse(&fixture.grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let network = Arc::new(Network::build(&normal, store, &Default::default()).unwrap());
    let lexicon = Arc::new(Lexicon::new(Arc::clone(vocabulary), config));
    let recognizer = Recognizer::new(network, &Default::default());
    let masks = Masks::new(recognizer, Arc::clone(&lexicon), &Ending::default(), &Config::default()).unwrap();
    let mut scratch = Scratch::new(vocabulary.id_count());
    let mut state = masks.recognizer().initial();
    let mut found = vec![masks.mask(state, &mut scratch).unwrap().clone()];
    for byte in fixture.text.bytes() {
        state = masks.recognizer().step(state, byte).unwrap();
        assert!(!state.is_dead(), "{}", fixture.name);
        found.push(masks.mask(state, &mut scratch).unwrap().clone());
    }
    (found, lexicon.stats().strategies)
}

#[test]
fn each_strategy_answers_on_a_named_grammar() {
    let vocabulary = vocabulary();
    let mut used = BTreeSet::new();
    let mut missing = Vec::new();
    for fixture in fixtures() {
        let (_, uses) = masks(&fixture, &vocabulary, &config(&fixture, Vec::new()));
        for &name in fixture.uses {
            used.insert(name);
            if uses.of(name) == 0 {
                missing.push(format!("{name} does not answer on {}: {uses:?}", fixture.name));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    for strategy in STRATEGIES {
        assert!(used.contains(strategy.name), "no grammar here uses {}", strategy.name);
    }
}

#[test]
fn masks_are_equal_without_any_one_strategy() {
    let vocabulary = vocabulary();
    for fixture in fixtures() {
        let (expected, _) = masks(&fixture, &vocabulary, &config(&fixture, Vec::new()));
        for &name in fixture.uses {
            let (found, uses) = masks(&fixture, &vocabulary, &config(&fixture, vec![name]));
            assert!(name == "walk" || uses.of(name) == 0, "{name} is disabled");
            assert_eq!(found, expected, "{} without {name}", fixture.name);
        }
        let all = STRATEGIES.iter().map(|strategy| strategy.name).collect();
        assert_eq!(
            masks(&fixture, &vocabulary, &config(&fixture, all)).0,
            expected,
            "{} by walking",
            fixture.name
        );
    }
}
