//! Failures of the stages that know no text, at the places that they have in the text all the same.

use std::collections::{BTreeMap, BTreeSet};

use grammask_earley::{BuildError, Special};
use grammask_mask::{BindError, BindErrors};
use grammask_syntax::{Ast, Diagnostic, ExprKind, Span, is_special_name, suggest};
use grammask_trie::{TokenId, Vocabulary};

/// So many special tokens are listed where none is like the one that is named.
const LISTED: usize = 5;

/// A failure of a stage that knows no text, and what it means for the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct Placed<E> {
    /// As the stage says it.
    pub cause: E,
    /// For each place in the text that is to blame, what is wrong there; at most `max_errors` of the normalizer's configuration.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more places there are.
    pub omitted: usize,
}

/// A network that cannot be made, at the rule that exceeds the limit.
pub(crate) fn of_network(error: BuildError, ast: &Ast) -> Placed<BuildError> {
    let place = |name: &str| ast.rules.iter().find(|rule| rule.name.text == name).map(|rule| rule.name.span);
    // What is made of a part of a rule is named after it: `rule_7`.
    let name = error.nonterminal.trim_end_matches(|character: char| character.is_ascii_digit());
    let origin = name.strip_suffix('_').unwrap_or(name);
    let span = place(&error.nonterminal).or_else(|| place(origin));
    let diagnostics = span.map(|span| Diagnostic::new(error.cause.to_string(), span)).into_iter().collect();
    Placed { cause: error, diagnostics, omitted: 0 }
}

/// Special tokens that the vocabulary does not have, wherever they are named.
pub(crate) fn of_binding(
    errors: BindErrors,
    ast: &Ast,
    vocabulary: &Vocabulary,
    most: usize,
) -> Placed<BindErrors> {
    let unknown: BTreeSet<&Special> = errors.as_slice().iter().filter_map(unknown_special).collect();
    let mut places: Vec<(Span, Special)> = Vec::new();
    for expr in &ast.exprs {
        let special = match &expr.kind {
            ExprKind::SpecialName(name) => Special::Name(name.to_string()),
            ExprKind::SpecialId(id) => Special::Id(*id),
            _ => continue,
        };
        if unknown.contains(&special) {
            places.push((expr.span, special));
        }
    }
    places.sort();
    let omitted = places.len().saturating_sub(most.max(1));
    places.truncate(most.max(1));
    // Names are compared with all of the vocabulary: once for each, and for those that are shown.
    let mut hints = BTreeMap::new();
    let diagnostics = places.into_iter().map(|(span, special)| {
        let hint: &String = hints.entry(special.clone()).or_insert_with(|| hint(&special, vocabulary));
        Diagnostic::new(BindError::UnknownSpecial { special }.to_string(), span).with_hint(hint)
    });
    let diagnostics = diagnostics.collect();
    Placed { cause: errors, diagnostics, omitted }
}

fn unknown_special(error: &BindError) -> Option<&Special> {
    match error {
        BindError::UnknownSpecial { special } => Some(special),
        _ => None,
    }
}

/// What may be meant by a special token that is not there.
fn hint(special: &Special, vocabulary: &Vocabulary) -> String {
    match special {
        Special::Name(name) => like(name, vocabulary).map(|(id, name)| match written(name) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("did you mean {name:?}? it is written `<[{}]>`", id.0),
        }),
        Special::Id(id) => vocabulary.bytes(TokenId(*id)).map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            format!("{} is the ordinary token {text:?}, which is written as a text", TokenId(*id))
        }),
    }
    .unwrap_or_else(|| list(vocabulary))
}

/// The special token whose name is most like this one, brackets aside.
fn like<'v>(name: &str, vocabulary: &'v Vocabulary) -> Option<(TokenId, &'v str)> {
    let name = inside(name);
    let same = vocabulary.specials().find(|(_, special)| inside(special).eq_ignore_ascii_case(name));
    same.or_else(|| {
        let like = suggest(name, vocabulary.specials().map(|(_, special)| inside(special)))?;
        vocabulary.specials().find(|(_, special)| inside(special) == like)
    })
}

/// A name without what stands around it: `end` for `<|end|>`, `</end>` and `[end]`.
fn inside(name: &str) -> &str {
    name.trim_start_matches(['<', '|', '[', '/']).trim_end_matches(['>', '|', ']'])
}

/// A special token as a grammar names it, if it can be named otherwise than by its id.
fn written(name: &str) -> Option<&str> {
    is_special_name(name).then_some(name)
}

fn list(vocabulary: &Vocabulary) -> String {
    let names: Vec<String> = vocabulary
        .specials()
        .take(LISTED)
        .map(|(id, name)| written(name).map_or_else(|| format!("`<[{}]>`", id.0), |name| format!("`{name}`")))
        .collect();
    let more = if vocabulary.specials().len() > LISTED { ", …" } else { "" };
    match &names[..] {
        [] => "the vocabulary has no special tokens".to_owned(),
        names => format!("the special tokens of the vocabulary are {}{more}", names.join(", ")),
    }
}

/// What the text is not to blame for.
pub(crate) fn elsewhere(errors: &BindErrors) -> impl Iterator<Item = &BindError> {
    errors.as_slice().iter().filter(|error| unknown_special(error).is_none())
}
