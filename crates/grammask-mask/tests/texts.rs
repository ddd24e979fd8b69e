//! Keys and values with at most 80 texts. The store of each grammar finds the tokens of their spellings, and
//! all grammars that share a lexicon reuse them. Masks equal those of walking the trie, independent of
//! earlier queries and of their nodes.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_mask::{Ending, Lexicon, LexiconConfig, Masks, Scratch, Tuning};
use grammask_regular::Store;
use grammask_trie::{TokenId, Vocabulary};

/// Returns grammars with common keys: after a brace and after a comma, and at other positions in the next
/// grammar. The last grammar has more values than are followed individually.
fn grammars() -> Vec<String> {
    let many: Vec<String> = (0..80).map(|number| format!("'value{number}'")).collect();
    vec![
        r#"start ::= '{"' json!('key' | 'kin') '": ' value (', "' json!('key' | 'kin') '": ' value)* '}'; value ::= '"' json!('a"b' | 'é' | 'value7') '"';"#
            .to_owned(),
        r#"start ::= '["' json!('a"b' | 'é' | 'value7') '", "' json!('key' | 'kin') '": ' start? ']' | '"' json!('key' | 'kin') '"';"#.to_owned(),
        format!(
            r#"start ::= '{{"' json!('key' | 'kin') '": "' json!({}) '"}}' | '["' json!('kin') '", "' json!('é') '"]';"#,
            many.join(" | ")
        ),
    ]
}

const TEXTS: [&str; 7] = [
    r#"{"key": "a\"b", "kin": "\u00e9", "\u006bey": "value7"}"#,
    r#"{"kin": "é", "key": "value\u0037"}"#,
    r#"["value7", "key": ["\u00E9", "kin": ]]"#,
    r#""k\u0065y""#,
    r#"["a\u0022b", "kin": "kin"]"#,
    r#"{"key": "value79"}"#,
    r#"["kin", "é"]"#,
];

/// Returns the single bytes, and all substrings of the texts of 2 to 9 bytes.
fn vocabulary() -> Vocabulary {
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let pieces = TEXTS
        .iter()
        .flat_map(|text| (2..=9).flat_map(move |len| text.as_bytes().windows(len).map(<[u8]>::to_vec)));
    let mut tokens: Vec<Vec<u8>> = bytes.chain(pieces).collect();
    tokens.sort();
    tokens.dedup();
    Vocabulary::new((0..).map(TokenId).zip(tokens), [], &Default::default()).unwrap()
}

#[test]
fn masks_of_few_texts_are_those_of_walking_the_trie() {
    let networks: Vec<Arc<Network>> = grammars()
        .iter()
        .map(|grammar| {
            let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
            let mut store = Store::new(&Default::default());
            let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
            Arc::new(Network::build(&normal, store, &Default::default()).unwrap())
        })
        .collect();
    let vocabulary = Arc::new(vocabulary());
    let lexicon = || Arc::new(Lexicon::new(Arc::clone(&vocabulary), &LexiconConfig::default()));
    let mut compared = 0;
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let shared = lexicon();
        for number in order {
            let masks = |lexicon, keep_summaries| {
                let recognizer = Recognizer::new(Arc::clone(&networks[number]), &Default::default());
                let config = Tuning { keep_summaries, ..Tuning::default() }.into();
                Masks::new(recognizer, lexicon, &Ending::default(), &config).unwrap()
            };
            let (by_walking, by_parts) = (masks(lexicon(), false), masks(Arc::clone(&shared), true));
            let allowed = |masks: &Masks, text: &[u8]| {
                let state = masks.step_bytes(masks.recognizer().initial(), text).unwrap();
                let mut scratch = Scratch::new(vocabulary.id_count());
                let mask = masks.mask(state, &mut scratch).unwrap();
                (!state.is_dead()).then(|| mask.iter().collect::<Vec<_>>())
            };
            for text in TEXTS.map(str::as_bytes) {
                for end in 0..=text.len() {
                    let text = &text[..end];
                    let expected = allowed(&by_walking, text);
                    compared += usize::from(expected.is_some());
                    let place = String::from_utf8_lossy(text);
                    assert!(allowed(&by_parts, text) == expected, "{number} of {order:?}: {place:?}");
                }
            }
        }
    }
    assert!(compared > 500, "{compared} masks");
}
