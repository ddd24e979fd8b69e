//! Input that need not be valid: an error is fine, and so is a grammar, as long as nothing breaks.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use grammask::{Config, Ending, Grammar, TokenId, Vocabulary, loaders};
use grammask_testkit::random::{self, Rng, Shape};

use xtask::cases::watch;

/// Number of grammars tried, and of those that compile.
static TRIED: AtomicUsize = AtomicUsize::new(0);
static COMPILED: AtomicUsize = AtomicUsize::new(0);

/// Returns the line of the summary.
pub fn closing_line() -> String {
    format!("{} grammars of noise, {} compile", TRIED.load(Relaxed), COMPILED.load(Relaxed))
}

/// Pieces of grammars.
const PIECES: &[&str] = &[
    "start",
    "::=",
    "=",
    ";",
    "|",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "'",
    "\"",
    "#",
    "#e",
    "#ex",
    "#substrs",
    "except!",
    ",",
    "?",
    "*",
    "+",
    "{2}",
    "{0,}",
    "{1,3}",
    "{999999999}",
    "&",
    "~",
    "<|end|>",
    "<[7]>",
    "%start ",
    "(*",
    "*)",
    "'a'",
    "\"b\"",
    "#'a*'",
    "#'[^a]'",
    "A",
    "B",
    "A ::= A;",
    "\\",
    "\\u",
    "\\x41",
    "\\ud83d",
    "\u{e9}",
    "\u{1f5fc}",
    "\n",
    " ",
    "\0",
    "$",
    "^",
    "(?i)",
    "\\b",
    "{5,1}",
    "^*",
    "[a-",
    "(a|b)*a(a|b){20}",
    "((a*)*)*",
    ".{1000}",
    "\\p{L}",
];

/// Bytes and pieces in any order.
pub fn grammar_of_bytes(rng: &mut Rng) -> Result<(), String> {
    let mut text = String::from(if rng.chance(1, 2) { "start ::= " } else { "" });
    for _ in 0..rng.below(40) {
        match rng.below(8) {
            0 => text.extend(char::from_u32(rng.below(0x11_0000) as u32)),
            1 => text.push(char::from(rng.below(128) as u8)),
            _ => text.push_str(piece(rng)),
        }
    }
    play(rng, &text)
}

/// A good grammar, some of it cut out, doubled or overwritten.
pub fn damaged_grammar(rng: &mut Rng) -> Result<(), String> {
    let shape = shape(rng.below(16));
    let mut text: Vec<char> = random::grammar_text(rng, &shape).chars().collect();
    for _ in 0..1 + rng.below(4) {
        let (from, to) = (rng.below(text.len() + 1), rng.below(text.len() + 1));
        let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 8));
        match rng.below(3) {
            0 => drop(text.drain(from..to)),
            1 => {
                let copy = text[from..to].to_vec();
                text.splice(from..from, copy);
            }
            _ => drop(text.splice(from..to, piece(rng).chars())),
        }
    }
    play(rng, &text.iter().collect::<String>())
}

/// The same piece very often: deep nesting, long sequences, many alternatives.
pub fn repeated_grammar(rng: &mut Rng) -> Result<(), String> {
    let times = 1 << rng.below(15);
    let (before, piece, middle, after, end) = *rng.pick(&[
        ("", "(", "'a'", ")", ""),
        ("", "[", "'a'", "]", ""),
        ("", "{", "'a'", "}", ""),
        ("'x' ", "('a' | ", "'b'", ")", ""),
        ("", "~", "'a'", "", ""),
        ("#'", "(", "a", ")", "'"),
        ("#'", "(?:a|", "b", ")*", "'"),
        ("'", "ab", "c", "", "'"),
        ("", "'a' ", "'b'", "", ""),
        ("", "'a'? ", "'b'", "", ""),
        ("", "#'x*'? ", "'b'", "", ""),
        ("", "'a' | ", "'b'", "", ""),
        ("", "start 'a' | ", "'b'", "", ""),
        ("#'", "a|", "b", "", "'"),
        ("#'", "a?", "b", "", "'"),
        ("#ex'", "ab", "c", "", "'"),
        ("#substrs'", "ab", "c", "", "'"),
    ]);
    let text = format!("start ::= {before}{}{middle}{}{end};", piece.repeat(times), after.repeat(times));
    play(rng, &text)
}

/// Bytes as a tokenizer file: random ones, or a good file with damage.
pub fn vocabulary_of_bytes(rng: &mut Rng) -> Result<(), String> {
    let good: &[&[u8]] = &[
        b"IQ== 0\nIg== 1\nIyM= 2\n",
        b"{\"a\": 0, \"b\": 1, \"ab\": 2}",
        b"{\"0\": \"a\", \"1\": [195, 164], \"2\": \"ab\"}",
        b"1 'a' 1\n2 b'\\xff' 1\n3 \"ab\" 2\n",
        b"{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"\\u0120b\": 1}, \"merges\": []}, \"added_tokens\": \
          [{\"id\": 2, \"content\": \"<|end|>\", \"special\": true}], \"decoder\": {\"type\": \"ByteLevel\"}}",
    ];
    let mut bytes = rng.pick(good).to_vec();
    for _ in 0..rng.below(4) {
        let place = rng.below(bytes.len());
        match rng.below(4) {
            0 => bytes.truncate(place),
            1 if !bytes.is_empty() => bytes[place] = rng.below(256) as u8,
            2 => bytes.insert(place, *rng.pick(b"{}[]\",:0149\\\n ")),
            _ => drop(bytes.drain(place..(place + 3).min(bytes.len()))),
        }
    }
    if let Ok(vocabulary) = loaders::load(&bytes, &Default::default()) {
        vocabulary
            .check()
            .map_err(|broken| format!("{broken:?} in the vocabulary of {}", bytes.escape_ascii()))?;
        play_with(rng, "start ::= #'(.|\\n)*' 'x';", &vocabulary.into())?;
    }
    Ok(())
}

fn piece(rng: &mut Rng) -> &'static str {
    let place = rng.below(PIECES.len());
    PIECES[place]
}

fn shape(bits: usize) -> Shape {
    Shape {
        nonterminals: 1 + bits % 5,
        patterns: bits & 1 != 0,
        extensions: bits & 2 != 0,
        specials: bits & 4 != 0,
        ..Shape::default()
    }
}

fn play(rng: &mut Rng, text: &str) -> Result<(), String> {
    let words = random::vocabulary(rng, 24);
    let tokens = words.into_iter().enumerate().map(|(id, bytes)| (TokenId(id as u32), bytes));
    let specials = [(TokenId(24), "<|end|>".to_owned()), (TokenId(30), "<|sep|>".to_owned())];
    let vocabulary = Vocabulary::new(tokens, specials).map_err(|error| error.to_string())?;
    play_with(rng, text, &vocabulary)
}

/// Compiles, and calls all methods of a matcher, whose answers must be consistent.
fn play_with(rng: &mut Rng, text: &str, vocabulary: &Vocabulary) -> Result<(), String> {
    let mut config = Config::default();
    if rng.chance(1, 3) {
        config.ending = Ending::Eager;
    }
    let about = |what: String| format!("{what}\nending {:?}, grammar:\n{}", config.ending, shorten(text));
    watch::note(about(String::new()));
    TRIED.fetch_add(1, Relaxed);
    let grammar = match Grammar::compile(text, vocabulary, &config) {
        Ok(grammar) => grammar,
        Err(error) => {
            let shown = format!("{error} {}", error.render(text, "fuzz.kbnf"));
            return if shown.trim().is_empty() {
                Err(about("an error without a word".to_owned()))
            } else {
                Ok(())
            };
        }
    };
    COMPILED.fetch_add(1, Relaxed);
    let mut matcher = grammar.matcher();
    let mut row = vec![u32::MAX; vocabulary.mask_words() + 1];
    for _ in 0..12 {
        matcher.fill_mask(&mut row).map_err(|error| about(error.to_string()))?;
        let has_limit = matcher.error().is_some();
        // Also ids that the vocabulary does not have, and ids beyond any row.
        let id = if rng.chance(1, 8) {
            rng.next_u64() as u32
        } else {
            rng.below(vocabulary.id_count() + 2) as u32
        };
        let allowed = row.get(id as usize / 32).is_some_and(|word| word & (1 << (id % 32)) != 0);
        let before = (matcher.state(), matcher.len(), matcher.text().to_vec());
        let validated = matcher.validate(&[TokenId(id)]) == 1;
        let has_limit = has_limit || matcher.error().is_some();
        let outcome = matcher.accept(TokenId(id));
        let has_limit = has_limit || matcher.error().is_some();
        if !has_limit && (allowed != outcome.is_accepted() || validated != allowed) {
            let what = format!(
                "after {:?}: token {id} allowed {allowed}, validated {validated}, {outcome}",
                before.2
            );
            return Err(about(what));
        }
        if outcome.is_accepted() {
            if rng.chance(1, 4) {
                matcher.rollback(1).map_err(|error| about(error.to_string()))?;
                if !has_limit && (matcher.state(), matcher.len(), matcher.text().to_vec()) != before {
                    return Err(about(format!(
                        "after {:?}: taking back token {id} leads elsewhere",
                        before.2
                    )));
                }
            }
        } else if (matcher.state(), matcher.len(), matcher.text().to_vec()) != before {
            return Err(about(format!("after {:?}: the refused token {id} changes the state", before.2)));
        }
        let _ = matcher.forced_bytes();
    }
    Ok(())
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= 600 {
        return text.to_owned();
    }
    format!("{}… ({} bytes)", text.chars().take(300).collect::<String>(), text.len())
}
