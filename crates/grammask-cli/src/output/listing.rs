//! Masks as lists of tokens, and grouped by the terminal that accepts them.

use grammask::{Ending, Mask, Scratch, TokenId};
use grammask_earley::{DistinctItem, Error, SetId};
use grammask_mask::Masks;
use grammask_trie::Vocabulary;
use serde_json::{Value, json};

/// Number of tokens of a group that are printed.
const MAX_PRINTED_TOKENS: usize = 24;

/// A group of tokens of a mask.
pub(crate) struct Group {
    /// The common property of the tokens.
    pub title: String,
    /// The tokens, ordered by length and then by bytes.
    pub tokens: Vec<TokenId>,
}

/// Splits the mask of a state into groups.
///
/// The groups are: tokens within each lexeme, tokens that begin with a literal, tokens that begin in a lexeme
/// and end after it, and tokens without bytes. A token can be in several of the first groups.
pub(crate) fn groups(masks: &Masks, state: SetId) -> Result<Vec<Group>, Error> {
    let vocabulary = masks.vocabulary();
    let mut scratch = Scratch::new(vocabulary.id_count());
    let mut remaining = masks.mask(state, &mut scratch)?.clone();
    let mut groups = Vec::new();
    let mut endings = Vec::new();
    if state.completes() {
        endings.extend_from_slice(masks.ending().tokens());
    }
    let specials: Vec<TokenId> =
        remaining.iter().filter(|id| vocabulary.bytes(*id).is_none() && !endings.contains(id)).collect();
    for &id in endings.iter().chain(&specials) {
        remaining.forbid(id);
    }
    let whole = remaining.clone();
    let mut add = |title: String, mask: &Mask, remaining: &mut Mask| {
        let mut part = mask.clone();
        part.intersect(&whole);
        remaining.subtract(&part);
        if !part.is_empty() {
            groups.push(Group { title, tokens: in_order(vocabulary, part.iter()) });
        }
    };
    let recognizer = masks.recognizer();
    // A state that is complete under eager ending has no tokens, though it has lexemes.
    if !whole.is_empty() {
        let parts = recognizer.inspect().split(state)?;
        for item in &parts.lexemes {
            let title = format!("within {}", recognizer.inspect().describe(item.node));
            let within = match recognizer.inspect().distinct(item.node)?.map(|distinct| distinct.item) {
                Some(DistinctItem::Rule(state)) => state,
                Some(DistinctItem::Lexeme(lexeme)) => recognizer.inspect().open_state(lexeme)?,
                None => recognizer.inspect().open_state(item.node)?,
            };
            add(title, masks.mask(within, &mut scratch)?, &mut remaining);
        }
        if parts.rest.goes_on() {
            let rest = masks.mask(parts.rest, &mut scratch)?.clone();
            add("beginning with a literal".to_owned(), &rest, &mut remaining);
        }
    }
    let beyond = remaining.clone();
    add("beginning in a lexeme and going beyond".to_owned(), &beyond, &mut remaining);
    groups.extend([("special", specials), ("end of sequence", endings)].into_iter().filter_map(
        |(title, tokens)| {
            Some(Group { title: title.to_owned(), tokens }).filter(|group| !group.tokens.is_empty())
        },
    ));
    Ok(groups)
}

/// Returns tokens ordered by length and then by bytes.
pub(crate) fn in_order(vocabulary: &Vocabulary, ids: impl Iterator<Item = TokenId>) -> Vec<TokenId> {
    let mut ids: Vec<TokenId> = ids.collect();
    ids.sort_by_key(|&id| {
        let bytes = vocabulary.bytes(id).unwrap_or_default();
        (bytes.len(), bytes)
    });
    ids
}

/// Returns a group as text: its title, the number of tokens, and the first of them, in lines of about 100
/// characters.
pub(crate) fn group_text(group: &Group, vocabulary: &Vocabulary, ids: bool) -> String {
    let mut text = format!("{}: {}\n", group.title, group.tokens.len());
    let mut width = 0;
    for &id in group.tokens.iter().take(MAX_PRINTED_TOKENS) {
        let mut token = vocabulary.display(id).to_string();
        if ids {
            token = format!("{}:{token}", id.0);
        }
        let length = token.chars().count() + 1;
        if width + length > 100 {
            text.push('\n');
            width = 0;
        }
        text.push_str(if width == 0 { "  " } else { " " });
        text.push_str(&token);
        width += length;
    }
    if group.tokens.len() > MAX_PRINTED_TOKENS {
        text.push_str(" ...");
    }
    if !group.tokens.is_empty() {
        text.push('\n');
    }
    text
}

/// Converts a token to JSON.
pub(crate) fn token_json(vocabulary: &Vocabulary, id: TokenId) -> Value {
    match vocabulary.bytes(id) {
        Some(bytes) => {
            let mut value = crate::output::bytes_to_json(bytes);
            value["id"] = json!(id.0);
            value
        }
        None => json!({ "id": id.0, "special": vocabulary.special_name(id) }),
    }
}

/// Converts an ending to JSON.
pub(crate) fn ending_json(ending: &Ending) -> Value {
    match ending {
        Ending::Eager => json!("eager"),
        ending => ending.tokens().iter().map(|id| id.0).collect(),
    }
}
