//! Expressions with many operators. Hundreds of tokens begin with a text that may follow an operand, so masks
//! are unions of shared rows of lexemes and of shared summaries. They equal the masks of walking the trie,
//! independent of the earlier queries.

use std::sync::Arc;

use grammask_earley::{Network, Recognizer};
use grammask_mask::{Config, Ending, Lexicon, LexiconConfig, LexiconLimits, Masks, Scratch, Tuning};
use grammask_regular::Store;
use grammask_testkit::random::Rng;
use grammask_trie::{TokenId, Vocabulary};

/// A `text` begins with neither `t` nor `if`. Its result is thus that of another state without some tokens.
const GRAMMAR: &str = r##"
    start ::= ((any | list | '#' list | '<' any '>') ';')+;
    any ::= or ('?' any ':' any)?;
    or ::= or ' or ' and | and;
    and ::= and (' and ' | '&') sum | sum;
    sum ::= sum (' + ' | '-') product | product;
    product ::= product ('*' | ' / ' | '%') unary | unary;
    unary ::= ('!' | '-' | 'not ') unary | call;
    call ::= call '(' (any (',' any)*)? ')' | call '.' name | atom;
    atom ::= name | '(' any ')' | #'[0-9]+' | text | 'if (' any ') ' any;
    text ::= '"' (#'[^"]*' & ~#'(if|t).*') '"';
    nested ::= name | '(' nested ')';
    name ::= #'[a-z]+' & ~#'(if|or|and|not).*';
"##;

/// Maximum number of random tokens per output.
const STEPS: usize = 40;

/// Returns words and numbers, also with operators and brackets before and after them in one token.
fn tokens() -> Vec<Vec<u8>> {
    let letters = ["a", "b", "f", "i", "n", "o", "r", "t", "x"];
    let two = letters.iter().flat_map(|one| letters.iter().map(move |two| format!("{one}{two}")));
    let words: Vec<String> = letters
        .iter()
        .map(|one| (*one).to_owned())
        .chain(two)
        .chain(["17", "\"s", "(", "if (", "xor"].map(String::from))
        .collect();
    let before =
        ["", " + ", "-", "*", " / ", " or ", " and ", ".", ",", "?", "(", ") ", "!", "\"", ";", "))"];
    let texts = before[1..12].iter().map(|operator| format!("\"{operator}"));
    let before: Vec<String> = before.map(String::from).into_iter().chain(texts).collect();
    // Fewer tokens begin with these operators.
    let few = ["%", "&", ":", "\"%", "\"&", "\":"]
        .into_iter()
        .flat_map(|before| words.iter().step_by(4).map(move |word| format!("{before}{word}")));
    let behind = [")", "\"", "\";", " + ", "."];
    let longer = before.iter().flat_map(|before| words.iter().map(move |word| format!("{before}{word}")));
    let ended = words.iter().flat_map(|word| behind.iter().map(move |behind| format!("{word}{behind}")));
    let bytes = (0..=u8::MAX).map(|byte| vec![byte]);
    let mut tokens: Vec<Vec<u8>> =
        bytes.chain(longer.chain(few).chain(ended).map(String::into_bytes)).collect();
    tokens.sort();
    tokens.dedup();
    tokens
}

#[test]
fn masks_of_many_operators_are_those_of_walking_the_trie() {
    let bytes = tokens();
    let id = |token: &[u8]| TokenId(bytes.iter().position(|bytes| bytes == token).unwrap() as u32);
    // Tokens that end an output may have bytes and occur in rows.
    let ends = vec![id(b";"), id(b" + ab")];
    for ending in [Ending::default(), Ending::EndOfSequence(ends), Ending::Eager] {
        compare(&bytes, &ending);
    }
}

/// Compares the masks along random outputs.
fn compare(bytes: &[Vec<u8>], ending: &Ending) {
    // Many rules have a common prefix, and therefore accept equal tokens.
    let names: Vec<String> = (0..16).map(|number| format!("list_{number}")).collect();
    let lists: String = (0..16)
        .map(|number| format!("list_{number} ::= nested (' + ' | '.' | ')') list_{number}? '!{number}!';\n"))
        .collect();
    let grammar = format!("{GRAMMAR}list ::= {};\n{lists}", names.join(" | "));
    let ast = grammask_syntax::parse(&grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    let network = Arc::new(Network::build(&normal, store, &Default::default()).unwrap());
    let vocabulary = (0..).map(TokenId).zip(bytes.iter().cloned());
    let vocabulary = Arc::new(Vocabulary::new(vocabulary, [], &Default::default()).unwrap());
    let masks = |config: Config, lexicon: LexiconConfig| {
        let recognizer = Recognizer::new(Arc::clone(&network), &Default::default());
        let lexicon = Arc::new(Lexicon::new(Arc::clone(&vocabulary), &lexicon));
        Masks::new(recognizer, lexicon, ending, &config).unwrap()
    };
    let by_walking =
        masks(Tuning { keep_summaries: false, ..Tuning::default() }.into(), LexiconConfig::default());
    // Default configuration; without stored masks; and rule by rule only, without lexicon rows.
    let by_parts = [
        masks(Config::default(), LexiconConfig::default()),
        masks(Tuning { keep_masks: false, ..Tuning::default() }.into(), LexiconConfig::default()),
        masks(
            Tuning { max_state_walk_nodes: 0, ..Tuning::default() }.into(),
            LexiconLimits { budget: 0, ..LexiconLimits::default() }.into(),
        ),
    ];
    let mut scratches = [(); 4].map(|()| Scratch::new(vocabulary.id_count()));
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let mut text = Vec::new();
        let mut states = by_parts.each_ref().map(|masks| masks.recognizer().initial());
        let mut walked = by_walking.recognizer().initial();
        for _ in 0..STEPS {
            let expected: Vec<TokenId> = by_walking.mask(walked, &mut scratches[3]).unwrap().iter().collect();
            for ((masks, &state), scratch) in by_parts.iter().zip(&states).zip(&mut scratches) {
                let found: Vec<TokenId> = masks.mask(state, scratch).unwrap().iter().collect();
                assert!(found == expected, "after {:?}", String::from_utf8_lossy(&text));
            }
            // A token that ends the output is not part of the text.
            let expected: Vec<TokenId> =
                expected.into_iter().filter(|id| !ending.tokens().contains(id)).collect();
            if expected.is_empty() {
                break;
            }
            // With probability 1/4 any token, otherwise the longest of four.
            let some: Vec<&[u8]> = (0..4).map(|_| &*bytes[rng.pick(&expected).0 as usize]).collect();
            let token = if rng.below(4) == 0 {
                some[0]
            } else {
                some.into_iter().max_by_key(|token| token.len()).unwrap()
            };
            text.extend_from_slice(token);
            walked = by_walking.step_bytes(walked, token).unwrap();
            for (masks, state) in by_parts.iter().zip(&mut states) {
                *state = masks.step_bytes(*state, token).unwrap();
            }
        }
    }
}
