//! Masks for readers and scripts: by what takes the tokens, and as lists.

use grammask::{Ending, Mask, Scratch, TokenId};
use grammask_earley::{Error, SetId};
use grammask_mask::Masks;
use grammask_trie::Vocabulary;
use serde_json::{Value, json};

/// How many tokens of a part are shown.
const SHOWN: usize = 24;

/// Tokens of a mask that have something in common.
pub(crate) struct Group {
    /// What they have in common.
    pub title: String,
    /// Shorter tokens first; those of the same length by their bytes.
    pub tokens: Vec<TokenId>,
}

/// The mask of a state, apart: what each lexeme takes by itself, what begins with a literal, what begins in a lexeme and runs
/// on into what follows it, and tokens that are no bytes. A token may be in several of the first groups.
pub(crate) fn groups(masks: &Masks, state: SetId) -> Result<Vec<Group>, Error> {
    let vocabulary = masks.vocabulary();
    let mut scratch = Scratch::new(vocabulary.id_count());
    let mut left = masks.mask(state, &mut scratch)?.clone();
    let mut groups = Vec::new();
    let mut endings = Vec::new();
    if state.completes() {
        endings.extend_from_slice(masks.ending().tokens());
    }
    let specials: Vec<TokenId> =
        left.iter().filter(|id| vocabulary.bytes(*id).is_none() && !endings.contains(id)).collect();
    for &id in endings.iter().chain(&specials) {
        left.forbid(id);
    }
    let whole = left.clone();
    let mut add = |title: String, mask: &Mask, left: &mut Mask| {
        let mut part = mask.clone();
        part.intersect(&whole);
        left.subtract(&part);
        if !part.is_empty() {
            groups.push(Group { title, tokens: in_order(vocabulary, part.iter()) });
        }
    };
    let recognizer = masks.recognizer();
    // A state that is already complete under eager ending has no tokens, though it has parts.
    if !whole.is_empty() {
        let parts = recognizer.inspect().split(state)?;
        for item in &parts.lexemes {
            let title = format!("within {}", recognizer.inspect().describe(item.node));
            let lexeme =
                recognizer.inspect().distinct(item.node)?.map_or(item.node, |distinct| distinct.lexeme);
            let lexeme = recognizer.inspect().open_state(lexeme)?;
            add(title, masks.mask(lexeme, &mut scratch)?, &mut left);
        }
        if parts.rest.goes_on() {
            let rest = masks.mask(parts.rest, &mut scratch)?.clone();
            add("beginning with a literal".to_owned(), &rest, &mut left);
        }
    }
    let beyond = left.clone();
    add("beginning in a lexeme and going beyond".to_owned(), &beyond, &mut left);
    groups.extend([("special", specials), ("end of sequence", endings)].into_iter().filter_map(
        |(title, tokens)| {
            Some(Group { title: title.to_owned(), tokens }).filter(|group| !group.tokens.is_empty())
        },
    ));
    Ok(groups)
}

/// Shorter tokens first; those of the same length by their bytes.
pub(crate) fn in_order(vocabulary: &Vocabulary, ids: impl Iterator<Item = TokenId>) -> Vec<TokenId> {
    let mut ids: Vec<TokenId> = ids.collect();
    ids.sort_by_key(|&id| {
        let bytes = vocabulary.bytes(id).unwrap_or_default();
        (bytes.len(), bytes)
    });
    ids
}

/// A group for readers: title, number, and the first tokens; in lines of a readable width.
pub(crate) fn group_text(group: &Group, vocabulary: &Vocabulary, ids: bool) -> String {
    let mut text = format!("{}: {}\n", group.title, group.tokens.len());
    let mut width = 0;
    for &id in group.tokens.iter().take(SHOWN) {
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
    if group.tokens.len() > SHOWN {
        text.push_str(" ...");
    }
    if !group.tokens.is_empty() {
        text.push('\n');
    }
    text
}

/// A token for scripts.
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

/// An ending for scripts.
pub(crate) fn ending_json(ending: &Ending) -> Value {
    match ending {
        Ending::Eager => json!("eager"),
        Ending::EndOfSequence(ids) => ids.iter().map(|id| id.0).collect(),
    }
}
