//! The deny-list: words that hide who does what, and names that have been replaced.

/// Words and phrases that occur neither in prose nor in names nor in messages.
pub const DENIED: &[&str] = &[
    // Impersonal subjects: name the caller, the grammar or the thread.
    "somebody",
    "nobody",
    "whoever",
    // Unnamed bounds: name the limit.
    "so many",
    "so manieth",
    "manieth",
    // "is", "occurs in", "is stored in".
    "stands in",
    "stand in",
    "stands at",
    "stand at",
    "stands there",
    "stand there",
    // "notify", "distinguish", "report".
    "is told",
    "are told",
    "be told",
    "been told",
    "was told",
    "were told",
    "told apart",
    "tell apart",
    // "after" for order, "below" for descendants.
    "behind which",
    "behind it",
    "behind them",
    "what is behind",
    "is behind",
];

/// Names of types that have been replaced by terms of the literature, with the new name.
pub const OLD_NAMES: &[(&str, &str)] = &[
    ("BranchId", "InnerId"),
    ("Factors", "FactorAutomaton"),
    ("Outline", "TrieIndex"),
    ("Placed", "Located"),
];

/// Returns the byte offset of each identifier of [`OLD_NAMES`] in code, with its old and its new name.
pub fn find_old_names(code: &str) -> Vec<(usize, &'static str, &'static str)> {
    let is_word = |char: char| char.is_alphanumeric() || char == '_';
    let mut found = Vec::new();
    for &(old, new) in OLD_NAMES {
        for (at, _) in code.match_indices(old) {
            if !code[..at].ends_with(is_word) && !code[at + old.len()..].starts_with(is_word) {
                found.push((at, old, new));
            }
        }
    }
    found
}

/// Returns the byte offset and the entry of each denied word, by entry.
///
/// Case does not matter, and `_` counts as a blank, so that names are found too.
pub fn find(text: &str) -> Vec<(usize, &'static str)> {
    let plain: Vec<u8> = text.bytes().map(plain).collect();
    let mut found = Vec::new();
    for word in DENIED {
        let is_letter = |at: usize| plain.get(at).is_some_and(u8::is_ascii_alphanumeric);
        for (at, window) in plain.windows(word.len()).enumerate() {
            if window == word.as_bytes()
                && !at.checked_sub(1).is_some_and(is_letter)
                && !is_letter(at + word.len())
            {
                found.push((at, *word));
            }
        }
    }
    found
}

/// A letter or digit in lower case, a line break or mark as itself, and a blank for `_` and white space.
fn plain(byte: u8) -> u8 {
    match byte {
        b'_' | b'\t' | b'\n' => b' ',
        // A letter, so that no word ends in the middle of a longer one.
        128.. => b'x',
        other => other.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_names_are_found_as_identifiers() {
        let found = find_old_names("fn f(x: Outline) -> OutlineOf { x.Outline_() }");
        assert_eq!(found, [(8, "Outline", "TrieIndex")]);
    }

    #[test]
    fn words_are_found_as_words() {
        assert_eq!(find("Nobody, SOME_BODY, so_many"), [(0, "nobody"), (19, "so many")]);
        assert_eq!(find("somebodys, so. Many, éwhoever"), []);
    }
}
