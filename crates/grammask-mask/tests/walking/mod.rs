//! Compares masks from summaries, with every strategy, with masks from walking every node.

use std::collections::HashSet;
use std::sync::Arc;

use grammask_earley::{Network, Recognizer, SetId};
use grammask_mask::{Config, Ending, Lexicon, LexiconTuning, Masks, Scratch, Tuning};
use grammask_regular::Store;
use grammask_trie::{TokenId, Vocabulary};

/// Returns a vocabulary of all strings of at most three pieces, and of some long strings. If `has_longer`,
/// some tokens have more characters than a slice distinguishes. Otherwise, unbounded lexemes use slices.
pub(super) fn vocabulary(has_longer: bool) -> Arc<Vocabulary> {
    let pieces: [&[u8]; 8] = [b"a", b"b", b"x", b"\"", b" ", "é".as_bytes(), b"\xC3", b"\xFF"];
    let mut words: HashSet<Vec<u8>> = HashSet::from([Vec::new()]);
    for _ in 0..3 {
        let longer = words.iter().flat_map(|word| pieces.iter().map(move |piece| [word, *piece].concat()));
        words = longer.chain(words.clone()).collect();
    }
    // Only ASCII below a character of several bytes, and below invalid bytes.
    for stem in ["ö".as_bytes(), "bö".as_bytes(), b"\xE1", b"b\xFE"] {
        for length in 0..9 {
            words.insert([stem, &b"ab".repeat(length)[..length]].concat());
        }
    }
    // Characters within a line, line separators, and incomplete characters.
    let bytes: [&[u8]; 7] = [
        b"\xE2\x80\xA8",
        b"\xE2\x80\xA9",
        b"\xE2\x80\xA7",
        b"\xE2\x81\xA8",
        b"\xE2\x80",
        b"\xE2",
        b"\xE3\x80\xA8",
    ];
    for (stem, tail) in [("", ""), ("a", ""), ("é", ""), ("", "b"), ("ab é", " a")] {
        words.extend(bytes.map(|bytes| [stem.as_bytes(), bytes, tail.as_bytes()].concat()));
        words.extend(bytes.map(|bytes| [stem.as_bytes(), b"\xE2\x81\xA8", bytes, tail.as_bytes()].concat()));
    }
    // White space, characters adjacent in code point order, and incomplete ones.
    let characters = "\u{85}\u{1680}\u{1681}\u{2000}\u{200a}\u{200b}\u{2010}\u{202f}\u{205f}\u{2060}\u{3000}\u{3001}\u{fefe}\u{feff}\u{ff00}";
    for character in characters.chars() {
        for (stem, tail) in [("", ""), ("a", ""), ("é", "b"), ("ab", " a"), ("a\u{3000}", "x")] {
            words.insert(format!("{stem}{character}{tail}").into_bytes());
        }
        let cut = character.len_utf8() - 1;
        words.insert([b"ab", &character.to_string().as_bytes()[..cut]].concat());
    }
    for tail in ["é", "éc", "écé", "éé", "écécé"] {
        words.insert(["cccc", tail].concat().into_bytes());
    }
    // Characters, some with an incomplete character at the end.
    for (length, cut) in (0..4).flat_map(|length| (0..4).map(move |cut| (length, cut))) {
        words.insert([b"c", &b"aaa"[..length], &"😀".as_bytes()[..cut]].concat());
    }
    for length in 4..12 {
        words.insert(b"a".repeat(length));
        words.insert([&b"ab".repeat(length)[..], b"x"].concat());
        words.insert("é".repeat(length).into_bytes());
        for (stem, tail) in [("é", ""), ("é", "b"), ("é", "bb"), ("é", "bbb"), ("b", "bb")] {
            words.insert([stem.as_bytes(), &b"a".repeat(length), tail.as_bytes()].concat());
        }
        words.insert(["é".repeat(length).as_bytes(), b"\xC3"].concat());
        words.insert(["b é".repeat(length).as_bytes(), b"\" \""].concat());
    }
    // A lead byte of white space and of other characters; and spaces followed only by characters of several
    // bytes.
    let mut mixed: Vec<String> = vec![String::new()];
    for _ in 0..4 {
        let longer: Vec<String> = mixed
            .iter()
            .flat_map(|word| ["a", " ", "\u{a0}", "¡"].map(|piece| format!("{word}{piece}")))
            .collect();
        mixed.extend(longer);
    }
    words.extend(mixed.into_iter().map(String::into_bytes));
    words.extend(
        ["d ", "d é", "d  é", "d éé", "  é  é", " €", "a €", " €a", "\u{2003}€"]
            .map(|word| word.as_bytes().to_vec()),
    );
    words.insert(b"a \xC2".to_vec());
    // Below a space: words, further spaces, excluded words, and final characters.
    for tail in [
        "acnoa",
        "noa",
        "a b",
        "ac7",
        "zb--",
        "zb-",
        "no",
        "a bb",
        "xyzb",
        "x.b",
        "abababababab-",
        "é-",
        "ab\u{2028}",
    ] {
        words.insert(format!(" {tail}").into_bytes());
        words.insert(format!(" a {tail}").into_bytes());
    }
    words.extend(["aaaaaaaa.", "aaaaaab.", "aaaaaab.a"].map(|word| word.as_bytes().to_vec()));
    // A rule that may end or continue after many nodes.
    for stem in ["a", "b", "ab", "ba", "aba", "bab", "abab", "baba", "aab", "bba", "abba"] {
        words.extend(["!", "!x", "-", "-!", "-!.", "-!.x"].map(|tail| format!("{stem}{tail}").into_bytes()));
    }
    let longer = [253, 254, 255, 256, 270, 300, 330];
    for length in longer.into_iter().filter(|_| has_longer) {
        words.insert(b"a".repeat(length));
        words.insert([&b"a".repeat(length)[..], b" b"].concat());
        words.insert([b" ", &b"a".repeat(length)[..]].concat());
    }
    words.remove(&Vec::new());
    let mut words: Vec<Vec<u8>> = words.into_iter().collect();
    words.sort();
    let tokens = (0..).map(TokenId).zip(words);
    Arc::new(Vocabulary::new(tokens, [], &Default::default()).unwrap())
}

fn network(grammar: &str) -> Arc<Network> {
    let ast = grammask_syntax::parse(grammar, &Default::default()).unwrap();
    let mut store = Store::new(&Default::default());
    let normal = grammask_normal::normalize_in(&ast, &mut store, &Default::default()).unwrap();
    Arc::new(Network::build(&normal, store, &Default::default()).unwrap())
}

/// Returns states near the initial one, in breadth-first order.
fn states(masks: &Masks, most: usize) -> Vec<SetId> {
    let recognizer = masks.recognizer();
    let mut found = vec![recognizer.initial()];
    let mut place = 0;
    while let (Some(&state), true) = (found.get(place), found.len() < most) {
        place += 1;
        for byte in *b"abx\" \xC3\xA9\xB6\xE1\xFE\xFF\xE2\x80\xA8" {
            let next = recognizer.step(state, byte).unwrap();
            if next.goes_on() && !found.contains(&next) {
                found.push(next);
            }
        }
    }
    found
}

/// Compares masks of every configuration with those of walking, at states near the initial one of each
/// grammar. Returns the grammars for which some configuration used only walking.
pub(super) fn check(vocabulary: &Arc<Vocabulary>, grammars: &[&str]) -> HashSet<String> {
    let lexicon = |change: fn(&mut LexiconTuning)| {
        let mut tuning = LexiconTuning::eager();
        change(&mut tuning);
        Arc::new(Lexicon::new(Arc::clone(vocabulary), &tuning.into()))
    };
    // Shared by all grammars below, so that the results cached for one must be correct for the next.
    let lexicons = [
        lexicon(|_| ()),
        lexicon(|tuning| tuning.max_loop_exit_edges = usize::MAX),
        lexicon(|tuning| tuning.max_class_exit_edges = usize::MAX),
        lexicon(|tuning| tuning.min_base_nodes = usize::MAX),
        lexicon(|tuning| tuning.max_listed_nodes = 0),
        // Many nodes, none of them a base of slices.
        lexicon(|tuning| (tuning.min_base_nodes, tuning.max_listed_nodes) = (usize::MAX, 0)),
        lexicon(|tuning| tuning.slices = false),
    ];
    // Each grammar twice: as the whole text, where its end is not requested, and followed by a rule that is
    // not a lexeme.
    let followed = |grammar: &str| {
        let begun = grammar.replace("start", "begun");
        format!("start ::= begun behind; behind ::= 'a' behind 'x' | 'é' | ''; {begun}")
    };
    let grammars: Vec<String> =
        grammars.iter().flat_map(|grammar| [(*grammar).to_owned(), followed(grammar)]).collect();
    let mut walked = HashSet::new();
    for grammar in &grammars {
        let network = network(grammar);
        let bind = |lexicon: &Arc<Lexicon>, config: &Config| {
            let recognizer = Recognizer::new(Arc::clone(&network), &Default::default());
            let mut config = config.clone();
            // Walking takes more work than a mask may by default.
            config.limits.max_mask_work = u64::MAX;
            Masks::new(recognizer, Arc::clone(lexicon), &Ending::default(), &config).unwrap()
        };
        let by_walking = bind(
            &lexicons[lexicons.len() - 1],
            &Tuning { keep_summaries: false, ..Tuning::default() }.into(),
        );
        let mut scratch = Scratch::new(vocabulary.id_count());
        let all = states(&by_walking, 60);
        assert!(all.len() > 1, "{grammar}");
        for (number, lexicon) in lexicons.iter().enumerate() {
            for max_state_walk_nodes in [0, 2_048] {
                let masks = bind(lexicon, &Tuning { max_state_walk_nodes, ..Tuning::default() }.into());
                for (place, (&expected, &state)) in all.iter().zip(&states(&masks, 60)).enumerate() {
                    let expected = by_walking.mask(expected, &mut scratch).unwrap().clone();
                    let found = masks.mask(state, &mut scratch).unwrap();
                    assert_eq!(
                        *found, expected,
                        "{grammar}, lexicon {number}, max_state_walk_nodes {max_state_walk_nodes}, state {place}"
                    );
                }
                if masks.stats().summaries == 0 || lexicon.stats().entries == 0 {
                    walked.insert(grammar.clone());
                }
            }
        }
    }
    walked
}
