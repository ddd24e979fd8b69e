//! Thousands of keys in any order. Their masks are composed like all others, and equal those of walking the
//! trie.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_mask::{Config, Ending, Lexicon, LexiconConfig, Masks, Scratch, Tuning};
use grammask_regular::Store;
use grammask_trie::{TokenId, Vocabulary};

/// Number of keys. It exceeds every bound on the summaries of a mask.
const ITEMS: usize = 9_000;

fn vocabulary() -> Vocabulary {
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let numbers = (0..1_000).map(|number: u32| number.to_string().into_bytes());
    // The last four distinguish keys.
    let words = [
        "\":",
        "\": ",
        "key",
        "{\"",
        "\"key",
        "7\"",
        "12\": 1",
        "1, \"",
        ", \"key8",
        "1}",
        "5, \"key",
        "y1",
        "{\"key8999\"",
        ", \"key8765",
        "\"key4321\":",
        "\"key9",
    ];
    let tokens = bytes.chain(numbers).chain(words.map(|word| word.as_bytes().to_vec()));
    let tokens = (0..).map(TokenId).zip(tokens);
    Vocabulary::new(tokens, [], &Default::default()).unwrap()
}

#[test]
fn masks_of_thousands_of_keys_are_those_of_walking_the_trie() {
    let items: Vec<_> =
        (0..ITEMS).map(|key| format!("'\"key{key}\"' value?")).map(|item| format!("({item})?")).collect();
    let grammar = format!(
        "start ::= '{{' unordered!({}, other*; ', '; {{0,}}) '}}'; value ::= ': ' #'[0-9]+'; other ::= '\"' #'[a-z]{{1,3}}' '!\"' value;",
        items.join(", ")
    );
    let ast = grammask_syntax::parse(&grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let network = Arc::new(Network::build(&normal, store, &Default::default()).unwrap());
    let vocabulary = Arc::new(vocabulary());
    let masks = |keep_summaries| {
        let recognizer = Recognizer::new(Arc::clone(&network), &Default::default());
        let lexicon = Arc::new(Lexicon::new(Arc::clone(&vocabulary), &LexiconConfig::default()));
        let mut config = Config::from(Tuning { keep_summaries, ..Tuning::default() });
        // Walking the trie with thousands of items takes more work than a mask may by default.
        config.limits.max_mask_work = u64::MAX;
        Masks::new(recognizer, lexicon, &Ending::default(), &config).unwrap()
    };
    let (by_parts, by_walking) = (masks(true), masks(false));
    let allowed = |masks: &Masks, text: &str| {
        let state = masks.step_bytes(masks.recognizer().initial(), text.as_bytes()).unwrap();
        assert!(!state.is_dead(), "{text}");
        let mut scratch = Scratch::new(vocabulary.id_count());
        masks.mask(state, &mut scratch).unwrap().iter().collect::<Vec<_>>()
    };
    for text in [
        "",
        "{",
        "{\"",
        "{\"key1",
        "{\"key12\"",
        "{\"key12\": 1",
        "{\"key7\": 1, \"key12\": 1, ",
        "{\"key7\", \"key",
    ] {
        let tokens = allowed(&by_parts, text);
        assert!(!tokens.is_empty() && tokens == allowed(&by_walking, text), "after {text}");
    }
}
