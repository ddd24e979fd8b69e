//! Random edits of texts: inputs that are nearly grammars, for tests that readers neither panic nor hang.

use super::Rng;

/// Greatest length of a text after the edits, in bytes. Longer texts are cut.
const MAX_EDITED_BYTES: usize = 1 << 12;

/// Returns one of the texts after one to eight random edits. An edit inserts a piece, deletes or doubles a
/// part, replaces it by a part of another text, or cuts the end.
///
/// ```
/// use grammask_testkit::random::{Rng, edits::edited};
///
/// let texts = ["root ::= \"a\"\n", "root ::= [a-z]+\n"];
/// let edited = edited(&mut Rng::new(7), &texts, &["(", "|"]);
/// assert_ne!(edited, texts[0]);
/// ```
pub fn edited(rng: &mut Rng, texts: &[&str], pieces: &[&str]) -> String {
    let mut text = rng.pick(texts).to_string();
    for _ in 0..=rng.below(8) {
        let from = place(rng, &text);
        let to = text.floor_char_boundary(from + rng.below(12));
        let to = to.max(from);
        match rng.below(6) {
            0 | 1 => {
                let piece: &&str = rng.pick(pieces);
                text.insert_str(from, piece);
            }
            2 => text.replace_range(from..to, ""),
            3 => {
                let part = text[from..to].to_owned();
                text.insert_str(from, &part);
            }
            4 => {
                let other = *rng.pick(texts);
                let start = place(rng, other);
                let end = other.floor_char_boundary(start + rng.below(30)).max(start);
                text.replace_range(from..to, &other[start..end]);
            }
            _ if rng.below(4) == 0 => text.truncate(from),
            _ => {}
        }
    }
    text.truncate(text.floor_char_boundary(MAX_EDITED_BYTES));
    text
}

/// Returns the texts, each cut after each of its characters.
pub fn prefixes<'t>(texts: &'t [&'t str]) -> impl Iterator<Item = &'t str> {
    texts.iter().flat_map(|text| text.char_indices().map(|(at, _)| &text[..at]))
}

/// Returns a random offset between two characters.
fn place(rng: &mut Rng, text: &str) -> usize {
    text.floor_char_boundary(rng.below(text.len() + 1))
}
