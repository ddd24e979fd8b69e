//! Forced tokens: never one that the tokenizer would not have put there, for random byte pair encodings and
//! grammars.

use grammask::trie::TokenizerMismatch;
use grammask::{Config, Ending, ForcedError, Grammar, Matcher, TokenId, Vocabulary};
use grammask_testkit::random::{Rng, live_byte};

use crate::random_setup::SHAPES;

const END: TokenId = TokenId(1000);
const CALL: TokenId = TokenId(1001);

/// A byte pair encoding with random merges; ids are ranks.
pub struct Bpe {
    tokens: Vec<Vec<u8>>,
}

impl Bpe {
    fn random(rng: &mut Rng) -> Self {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        for _ in 0..4 + rng.below(30) {
            // Of the letters that texts mostly have, and of what was merged before.
            let mut part = || match rng.below(3) {
                0 if tokens.len() > 256 => tokens[256 + rng.below(tokens.len() - 256)].clone(),
                _ => vec![*rng.pick(b"aabbc\n\xc3")],
            };
            let token = [part(), part()].concat();
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
        Self { tokens }
    }

    fn encode(&self, bytes: &[u8]) -> Vec<TokenId> {
        let mut parts: Vec<Vec<u8>> = bytes.iter().map(|&byte| vec![byte]).collect();
        loop {
            let merged = (1..parts.len()).filter_map(|at| {
                let token = [&parts[at - 1][..], &parts[at]].concat();
                self.tokens.iter().position(|other| *other == token).map(|rank| (rank, at))
            });
            let Some((rank, at)) = merged.min() else { break };
            parts[at - 1] = self.tokens[rank].clone();
            parts.remove(at);
        }
        let rank = |part: &Vec<u8>| self.tokens.iter().position(|token| token == part).unwrap();
        parts.iter().map(|part| TokenId(rank(part) as u32)).collect()
    }

    fn vocabulary(&self) -> Vocabulary {
        let tokens = (0..).map(TokenId).zip(self.tokens.iter().cloned());
        Vocabulary::new(tokens, [(END, "<|end|>".to_owned()), (CALL, "<|call|>".to_owned())]).unwrap()
    }
}

fn compile(text: &str, bpe: &Bpe, ends: &[TokenId]) -> Grammar {
    let config = Config::default().ending_with(ends.iter().copied());
    Grammar::compile(text, &bpe.vocabulary(), &config).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Checks after each token of a text that the forced tokens are the next ones. Returns the number of tokens
/// that could be skipped.
fn check_canonical(grammar: &Grammar, bpe: &Bpe, text: &[u8], ends: &[TokenId]) -> usize {
    let mut tokens = bpe.encode(text);
    tokens.extend(ends);
    let mut matcher = grammar.matcher();
    let mut spared = 0;
    let mut covered = 0;
    for place in 0..=tokens.len() {
        let forced = matcher.forced_tokens(|bytes| bpe.encode(bytes)).unwrap();
        let rest = &tokens[place..];
        assert!(
            rest.starts_with(&forced),
            "{forced:?} in place of {rest:?} after {matcher:?} of {:?}",
            text.escape_ascii().to_string()
        );
        spared += (place + forced.len()).saturating_sub(covered.max(place));
        covered = covered.max(place + forced.len());
        let Some(&next) = tokens.get(place) else { break };
        assert!(matcher.accept(next).is_accepted());
    }
    spared
}

/// After any front of a text, however it was accepted, forced tokens are those that the tokenizer has from
/// that byte on.
fn check_anywhere(grammar: &Grammar, bpe: &Bpe, text: &[u8], rng: &mut Rng) {
    let tokens = bpe.encode(text);
    let mut matcher = grammar.matcher();
    loop {
        let forced = matcher.forced_tokens(|bytes| bpe.encode(bytes)).unwrap();
        let at = matcher.text().len();
        if !forced.is_empty() && forced[0] != END {
            let mut place = 0;
            let mut end = 0;
            while end < at {
                end += bpe.tokens[tokens[place].index()].len();
                place += 1;
            }
            assert_eq!(end, at, "{forced:?} stands across a token of {:?}", text.escape_ascii().to_string());
            let bytes = forced.iter().take_while(|&&token| token != END).count();
            assert!(tokens[place..].starts_with(&forced[..bytes]), "{matcher:?}, {forced:?}");
        }
        if at == text.len() {
            break;
        }
        let length = 1 + rng.below(3.min(text.len() - at));
        assert!(matcher.accept_bytes(&text[at..at + length]).is_accepted());
    }
}

#[test]
fn forced_tokens_are_tokens_of_every_continuation() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let random = grammask_testkit::random::grammar(&mut rng, &SHAPES[0]);
        let bpe = Bpe::random(&mut rng);
        let ends: &[TokenId] = if seed % 2 == 0 { &[] } else { &[END] };
        let grammar = compile(&random.text, &bpe, ends);
        for _ in 0..3 {
            let mut run = random.oracle.run();
            let mut text = Vec::new();
            while text.len() < 30 && !(run.is_complete() && rng.chance(1, 3)) {
                let Some(byte) = live_byte(&mut rng, &run) else { break };
                text.push(byte);
                run.push(byte);
            }
            if run.is_complete() {
                check_canonical(&grammar, &bpe, &text, ends);
                check_anywhere(&grammar, &bpe, &text, &mut rng);
            }
        }
    }
}

/// The choices for each word of a text.
fn template(rng: &mut Rng) -> Vec<Vec<String>> {
    let word = |rng: &mut Rng| -> String {
        (0..1 + rng.below(7)).map(|_| *rng.pick(&["a", "a", "b", "b", "c", "é", "è"])).collect()
    };
    let many = |rng: &mut Rng| if rng.chance(1, 2) { 1 } else { 2 + rng.below(3) };
    (0..1 + rng.below(7)).map(|_| (0..many(rng)).map(|_| word(rng)).collect()).collect()
}

#[test]
fn long_words_are_forced_up_to_their_last_tokens() {
    let (mut spared, mut all) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let bpe = Bpe::random(&mut rng);
        let ends: &[TokenId] = if seed % 2 == 0 { &[] } else { &[END] };
        let template = template(&mut rng);
        let places = template.iter().map(|words| format!(" ('{}')", words.join("' | '")));
        let grammar = compile(&format!("start ::={};", places.collect::<String>()), &bpe, ends);
        for _ in 0..3 {
            let text: String = template.iter().map(|words| rng.pick(words).as_str()).collect();
            all += bpe.encode(text.as_bytes()).len();
            spared += check_canonical(&grammar, &bpe, text.as_bytes(), ends);
            check_anywhere(&grammar, &bpe, text.as_bytes(), &mut rng);
        }
    }
    assert!(spared * 3 > all, "{spared} of {all} tokens are forced");
}

/// Merges "ab" first, then "bc".
fn small() -> Bpe {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.extend([b"ab".to_vec(), b"bc".to_vec()]);
    Bpe { tokens }
}

const AB: TokenId = TokenId(256);

fn forced(grammar: &str, ends: &[TokenId], text: &str) -> Vec<TokenId> {
    let mut matcher = compile(grammar, &small(), ends).matcher();
    assert!(text.is_empty() || matcher.accept_bytes(text.as_bytes()).is_accepted());
    let before = matcher.state();
    let tokens = matcher.forced_tokens(|bytes| small().encode(bytes)).unwrap();
    assert_eq!(matcher.state(), before);
    for &token in &tokens {
        assert!(matcher.accept(token).is_accepted());
    }
    tokens
}

fn letter(letter: char) -> TokenId {
    TokenId(u32::from(letter))
}

#[test]
fn a_token_that_may_grow_is_held_back() {
    assert_eq!(forced("start ::= 'xa' ('b' | 'c');", &[], ""), [letter('x')]);
    assert_eq!(forced("start ::= 'xa' 'b'?;", &[], ""), [letter('x')]);
    assert_eq!(forced("start ::= 'xx' ('b' | 'c');", &[], ""), [letter('x'); 2]);
    assert_eq!(forced("start ::= 'xab';", &[], ""), [letter('x'), AB]);
}

#[test]
fn a_token_begun_by_the_text_so_far_is_not_split() {
    // The tokenizer has "ab" there.
    assert_eq!(forced("start ::= 'abx';", &[], "a"), []);
    assert_eq!(forced("start ::= 'axb';", &[], "a"), [letter('x'), letter('b')]);
}

#[test]
fn tokens_without_bytes_are_forced_if_nothing_else_can_follow() {
    assert_eq!(forced("start ::= 'ab';", &[END], ""), [AB, END]);
    assert_eq!(forced("start ::= 'ab' 'b'*;", &[END], ""), []);
    assert_eq!(forced("start ::= 'ab';", &[END, CALL], ""), [AB], "either may end it");
    let call = "start ::= 'a' <|call|> 'b' ('a' | 'x');";
    assert_eq!(forced(call, &[], ""), [letter('a'), CALL]);
    let call = "start ::= 'a' <|call|> 'b' 'a';";
    assert_eq!(forced(call, &[END], ""), [letter('a'), CALL, letter('b'), letter('a'), END]);
    assert_eq!(forced(call, &[END], "a"), [CALL, letter('b'), letter('a'), END]);
    assert_eq!(forced("start ::= 'a' (<|call|> | <|end|>);", &[], ""), [letter('a')]);
    let endless = forced("start ::= <|call|> start;", &[], "");
    assert!(endless.iter().all(|&token| token == CALL) && endless.len() == 1 << 16);
}

#[test]
fn the_tokenizer_is_given_the_text_since_the_last_token_without_bytes() {
    let grammar = compile("start ::= 'xa' <|call|> 'bxxx' ('x' | 'y');", &small(), &[]);
    let mut matcher = grammar.matcher();
    for token in [letter('x'), letter('a'), CALL, letter('b')] {
        assert!(matcher.accept(token).is_accepted());
    }
    let mut asked = Vec::new();
    let tokens = matcher.forced_tokens(|bytes| {
        asked.push(bytes.to_vec());
        small().encode(bytes)
    });
    assert_eq!(tokens.unwrap(), [letter('x'); 3]);
    assert_eq!(asked, [b"bxxx"]);
}

#[test]
fn the_tokenizer_is_not_called_if_nothing_is_forced() {
    for (grammar, text) in
        [("start ::= 'a' | 'b';", ""), ("start ::= 'a';", "a"), ("start ::= 'xa' 'b'*;", "x")]
    {
        let mut matcher = compile(grammar, &small(), &[]).matcher();
        assert!(text.is_empty() || matcher.accept_bytes(text.as_bytes()).is_accepted());
        let tokens = matcher.forced_tokens(|bytes| panic!("asked for {bytes:?}"));
        assert_eq!(tokens, Ok(vec![]), "{grammar}");
    }
}

#[test]
fn tokens_that_do_not_spell_the_text_are_an_error() {
    let grammar = compile("start ::= 'abx';", &small(), &[]);
    let answers: [(&[u32], u32, usize); 5] = [
        (&[256, 97], 97, 2),
        (&[1000, 256], 1000, 0),
        (&[256, 120, 120], 120, 3),
        (&[5000], 5000, 0),
        (&[98], 98, 0),
    ];
    for (answer, token, offset) in answers {
        let result = grammar.matcher().forced_tokens(|_| answer.iter().copied().map(TokenId).collect());
        let token = TokenId(token);
        assert_eq!(result, Err(ForcedError::Misspelled(TokenizerMismatch { token, offset })), "{answer:?}");
    }
}

#[test]
fn tokens_may_be_missing_at_the_end() {
    let grammar = compile("start ::= 'abx';", &small(), &[]);
    assert_eq!(grammar.matcher().forced_tokens(|_| vec![AB]), Ok(vec![AB]));
    assert_eq!(grammar.matcher().forced_tokens(|_| vec![]), Ok(vec![]));
}

#[test]
fn a_token_that_ends_outputs_is_not_forced_as_text() {
    // The tokenizer's "ab" is a token that ends outputs.
    assert_eq!(forced("start ::= 'xab';", &[AB], ""), [letter('x')]);
}

#[test]
fn forced_tokens_stop_at_an_eager_end() {
    let config = Config { ending: Ending::Eager, ..Config::default() };
    let grammar = Grammar::compile("start ::= 'xa' 'b'*;", &small().vocabulary(), &config).unwrap();
    let mut matcher: Matcher = grammar.matcher();
    let tokens = matcher.forced_tokens(|bytes| small().encode(bytes)).unwrap();
    assert_eq!(tokens, [letter('x'), letter('a')], "nothing follows the first end");
}
