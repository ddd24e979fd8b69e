//! Errors of the stages after the parser, located in the grammar's text.

use std::collections::{BTreeMap, BTreeSet};

use grammask_earley::{BuildError, Special};
use grammask_mask::{BindError, BindErrors};
use grammask_syntax::{
    Ast, Diagnostic, ExprKind, Span, SpecialMember, SpecialSet, is_special_name, quote, suggest,
};
use grammask_trie::{TokenId, Vocabulary};

/// Maximum number of special tokens in a hint that lists those of the vocabulary.
const MAX_LISTED_SPECIALS: usize = 5;

/// An error of a stage that does not know the grammar's text, with its places in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}")]
pub struct Located<E> {
    /// The error of the stage.
    pub cause: E,
    /// One diagnostic for each place in the text that causes the error, at most `max_errors` of
    /// [`normal::Config`](grammask_normal::Config).
    pub diagnostics: Vec<Diagnostic>,
    /// Number of further places.
    pub omitted: usize,
}

/// Locates an exceeded limit of the network at the rule that exceeds it.
pub(crate) fn of_network(error: BuildError, ast: &Ast) -> Located<BuildError> {
    let place = |name: &str| ast.rules.iter().find(|rule| rule.name.text == name).map(|rule| rule.name.span);
    // The normalizer names the parts of a rule after it: `rule_7`.
    let name = error.nonterminal.trim_end_matches(|character: char| character.is_ascii_digit());
    let origin = name.strip_suffix('_').unwrap_or(name);
    let span = place(&error.nonterminal).or_else(|| place(origin));
    let diagnostics = span.map(|span| Diagnostic::new(error.cause.to_string(), span)).into_iter().collect();
    Located { cause: error, diagnostics, omitted: 0 }
}

/// Locates the special tokens that the vocabulary lacks wherever the text names them, with hints for the
/// first `max_errors`.
pub(crate) fn of_binding(
    errors: BindErrors,
    ast: &Ast,
    vocabulary: &Vocabulary,
    max_errors: usize,
) -> Located<BindErrors> {
    let unknown: BTreeSet<&Special> = errors.as_slice().iter().filter_map(unknown_special).collect();
    let mut places: Vec<(Span, Special)> = Vec::new();
    for expr in &ast.exprs {
        let special = match &expr.kind {
            ExprKind::SpecialName(name) => Special::Name(name.to_string()),
            ExprKind::SpecialId(id) => Special::Id(*id),
            ExprKind::SpecialSet(set) => {
                places.extend(set.members.iter().filter_map(|member| {
                    let special = match member {
                        SpecialMember::Ids(first, last) if first == last => Special::Id(*first),
                        member => {
                            Special::Set(SpecialSet { is_complement: false, members: vec![member.clone()] })
                        }
                    };
                    unknown.contains(&special).then_some((expr.span, special))
                }));
                continue;
            }
            _ => continue,
        };
        if unknown.contains(&special) {
            places.push((expr.span, special));
        }
    }
    places.sort();
    let empty = errors.as_slice().contains(&BindError::EmptyOutput);
    let start = ast.start.as_ref().filter(|_| empty).map(|start| {
        Diagnostic::new(BindError::EmptyOutput.to_string(), start.span)
            .with_hint("remove the `?` after the start symbol, or give the tokens that end an output")
    });
    let ranges = ordinary_in_ranges(&errors, ast);
    let omitted = places.len().saturating_sub(max_errors.max(1));
    places.truncate(max_errors.max(1));
    // A hint compares the name with the whole vocabulary, so each name gets one hint, and only if it is
    // shown.
    let mut hints = BTreeMap::new();
    let diagnostics = places.into_iter().map(|(span, special)| {
        let hint: &String = hints.entry(special.clone()).or_insert_with(|| hint(&special, vocabulary));
        Diagnostic::new(BindError::UnknownSpecial { special }.to_string(), span).with_hint(hint)
    });
    let mut diagnostics: Vec<Diagnostic> = start.into_iter().chain(ranges).chain(diagnostics).collect();
    diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    Located { cause: errors, diagnostics, omitted }
}

/// Locates the ranges of ids that contain ordinary tokens.
fn ordinary_in_ranges(errors: &BindErrors, ast: &Ast) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for error in errors.as_slice() {
        let BindError::OrdinaryInRange { first, last, .. } = error else { continue };
        let range = SpecialMember::Ids(*first, *last);
        let is_place =
            |kind: &ExprKind| matches!(kind, ExprKind::SpecialSet(set) if set.members.contains(&range));
        let places = ast.exprs.iter().filter(|expr| is_place(&expr.kind));
        diagnostics.extend(places.map(|expr| {
            Diagnostic::new(error.to_string(), expr.span)
                .with_hint("an ordinary token has bytes; write it as a text, and shorten the range")
        }));
    }
    diagnostics.dedup();
    diagnostics
}

fn unknown_special(error: &BindError) -> Option<&Special> {
    match error {
        BindError::UnknownSpecial { special } => Some(special),
        _ => None,
    }
}

/// Returns a hint for a special token that the vocabulary lacks.
fn hint(special: &Special, vocabulary: &Vocabulary) -> String {
    match special {
        Special::Set(set) => set.members.iter().find_map(|member| match member {
            SpecialMember::Name(name) => {
                let (_, name) = most_similar(name, vocabulary)?;
                Some(format!("did you mean {name:?}?"))
            }
            SpecialMember::Ids(..) => None,
        }),
        Special::Name(name) => most_similar(name, vocabulary).map(|(id, name)| match as_symbol(name) {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                format!("did you mean {name:?}? it is written `special!({})` or `<[{}]>`", quote(name), id.0)
            }
        }),
        Special::Id(id) => vocabulary.bytes(TokenId(*id)).map(|bytes| {
            let text = String::from_utf8_lossy(bytes);
            format!("{} is the ordinary token {text:?}; write it as a text", TokenId(*id))
        }),
    }
    .unwrap_or_else(|| list(vocabulary))
}

/// Returns the special token whose name is most similar to this one, brackets aside.
fn most_similar<'v>(name: &str, vocabulary: &'v Vocabulary) -> Option<(TokenId, &'v str)> {
    let name = without_brackets(name);
    let same =
        vocabulary.specials().find(|(_, special)| without_brackets(special).eq_ignore_ascii_case(name));
    same.or_else(|| {
        let like = suggest(name, vocabulary.specials().map(|(_, special)| without_brackets(special)))?;
        vocabulary.specials().find(|(_, special)| without_brackets(special) == like)
    })
}

/// Removes the brackets of a name: `end` for `<|end|>`, `</end>` and `[end]`.
fn without_brackets(name: &str) -> &str {
    name.trim_start_matches(['<', '|', '[', '/']).trim_end_matches(['>', '|', ']'])
}

/// Returns the name if a grammar can name a special token by it. Otherwise, only the id can name it.
fn as_symbol(name: &str) -> Option<&str> {
    is_special_name(name).then_some(name)
}

/// Lists the first special tokens of the vocabulary.
fn list(vocabulary: &Vocabulary) -> String {
    let names: Vec<String> = vocabulary
        .specials()
        .take(MAX_LISTED_SPECIALS)
        .map(|(id, name)| {
            as_symbol(name).map_or_else(|| format!("`<[{}]>`", id.0), |name| format!("`{name}`"))
        })
        .collect();
    let more = if vocabulary.specials().len() > MAX_LISTED_SPECIALS { ", …" } else { "" };
    match &names[..] {
        [] => "the vocabulary has no special tokens".to_owned(),
        names => format!("the special tokens of the vocabulary are {}{more}", names.join(", ")),
    }
}

/// Returns the errors that have no place in the text.
pub(crate) fn without_place(errors: &BindErrors) -> impl Iterator<Item = &BindError> {
    let has_place =
        |error: &BindError| matches!(error, BindError::EmptyOutput | BindError::OrdinaryInRange { .. });
    errors.as_slice().iter().filter(move |error| unknown_special(error).is_none() && !has_place(error))
}
