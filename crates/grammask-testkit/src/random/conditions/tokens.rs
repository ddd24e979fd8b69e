//! Vocabularies that are large enough for slices, with tokens just above and below the bounds of grammars.

use crate::random::{Rng, shuffle};

/// Pieces of tokens: characters of each length in UTF-8, parts of characters, and invalid bytes.
const PIECES: &[&[u8]] = &[
    b"a",
    b"b",
    b"x",
    b"k",
    b"0",
    b"1",
    b"\"",
    b"\\",
    b" ",
    b",",
    b"\n",
    "é".as_bytes(),
    "ö".as_bytes(),
    "中".as_bytes(),
    "😀".as_bytes(),
    b"\xC3",
    b"\xA9",
    b"\xE4\xB8",
    b"\xF0\x9F",
    b"\xFF",
    b"\x80",
];

/// Texts that tokens repeat, up to each length.
const RUNS: &[&str] =
    &["a", "b", "ab", "é", "中", "😀", " ", "a ", "aé", "b é", "x", "\\\\", "\\n", "\\u0061", "0", "~A"];

/// Escapes in JSON strings and the ends of strings, complete and incomplete.
const SPELLINGS: &[&[u8]] = &[
    b"\\u00",
    b"\\u0061",
    b"\\u0061\"",
    b"\\u00e",
    b"\\u00E9",
    b"u00e9\"",
    b"\\ud83d",
    b"\\ud83d\\ude00",
    b"\\uD83D\\uDE00\":",
    b"\\\"",
    b"\\\\\"",
    b"\\/",
    b"\\n\\",
    b"key\":",
    b"\"key\"",
    b"\":",
    b"\",",
    b"\",\"",
    b"},{\"a\":",
    b"]]",
    b"[[",
    b"{\"",
];

/// Approximate greatest lengths of tokens, around the 16 bytes up to which the engine tracks all strings.
const MAX_TOKEN_LENGTHS: &[usize] = &[10, 16, 17, 24, 40, 40, 40, 40];

/// Returns a random vocabulary of about `tokens` tokens. The index of a token is its id.
///
/// It has all bytes, runs of each length, random concatenations of pieces, all prefixes of some of these, and
/// duplicates.
pub fn vocabulary(rng: &mut Rng, tokens: usize) -> Vec<Vec<u8>> {
    let mut vocabulary: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte]).collect();
    let longest = *rng.pick(MAX_TOKEN_LENGTHS);
    vocabulary.extend(SPELLINGS.iter().map(|spelling| spelling.to_vec()));
    for run in RUNS {
        for times in 2..=longest / run.len().min(2) {
            let text = run.repeat(times).into_bytes();
            // A run that is followed by another piece tests most bounds.
            for _ in 0..rng.below(3) {
                vocabulary.push([&text[..], *rng.pick(PIECES)].concat());
            }
            if rng.chance(1, 3) {
                vocabulary.push([*rng.pick(PIECES), &text[..]].concat());
            }
            vocabulary.push(text);
        }
    }
    while vocabulary.len() < tokens {
        let token = token(rng, longest);
        if rng.chance(1, 8) {
            vocabulary.extend((1..token.len()).map(|end| token[..end].to_vec()));
        }
        if rng.chance(1, 16) {
            vocabulary.push(token.clone());
        }
        vocabulary.push(token);
    }
    shuffle(rng, &mut vocabulary);
    vocabulary
}

/// Returns a token of a few pieces, mostly of few kinds.
fn token(rng: &mut Rng, longest: usize) -> Vec<u8> {
    let kinds: Vec<&[u8]> = (0..1 + rng.below(4)).map(|_| *rng.pick(PIECES)).collect();
    let length = 2 + match rng.below(4) {
        0 | 1 => rng.below(4),
        2 => rng.below(12),
        _ => rng.below(longest),
    };
    let mut token = Vec::new();
    while token.len() < length {
        // An occasional other piece, so that long runs end anywhere.
        let piece = if rng.chance(1, 16) { *rng.pick(PIECES) } else { *rng.pick(&kinds) };
        token.extend_from_slice(piece);
    }
    token
}
