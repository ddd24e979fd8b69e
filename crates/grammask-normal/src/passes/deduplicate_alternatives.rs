//! `A ::= 'a' | 'a';` becomes `A ::= 'a';`.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};

use crate::cancellation::Cancellation;
use crate::error::Error;
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// Number of alternatives that are compared pairwise. Beyond it, hashes are compared.
const MAX_PAIRWISE_ALTERNATIVES: usize = 8;

/// Keeps the first of several equal alternatives.
///
/// # Complexity
/// Linear.
pub(crate) fn deduplicate_alternatives(
    grammar: &mut Grammar,
    context: &mut Context<'_, '_>,
) -> Result<(), Error> {
    deduplicate(grammar, context.cancellation);
    Ok(())
}

/// As [`deduplicate_alternatives`], for other passes.
pub(super) fn deduplicate(grammar: &mut Grammar, cancellation: &mut Cancellation<'_>) {
    let mut hashes = Vec::new();
    for variable in &mut grammar.variables {
        if cancellation.poll_after(1 + variable.productions.len() / 4) {
            return;
        }
        if variable.unordered.is_none() && has_duplicates(&variable.productions, &mut hashes) {
            let mut seen: FxHashSet<Vec<Factor>> = FxHashSet::default();
            variable.productions.retain(|production| seen.insert(production.clone()));
        }
    }
}

/// Returns true if two productions are equal. `hashes` is a scratch buffer.
fn has_duplicates(productions: &[Vec<Factor>], hashes: &mut Vec<u64>) -> bool {
    if productions.len() <= MAX_PAIRWISE_ALTERNATIVES {
        return (1..productions.len()).any(|at| productions[..at].contains(&productions[at]));
    }
    hashes.clear();
    hashes.extend(productions.iter().map(|production| {
        let mut hasher = FxHasher::default();
        production.hash(&mut hasher);
        hasher.finish()
    }));
    hashes.sort_unstable();
    if hashes.windows(2).all(|pair| pair[0] != pair[1]) {
        return false;
    }
    let mut seen: FxHashSet<&[Factor]> = FxHashSet::default();
    !productions.iter().all(|production| seen.insert(production))
}

/// Returns true if the postcondition of the pass holds: no nonterminal has equal productions.
pub(crate) fn holds(grammar: &Grammar) -> bool {
    let mut hashes = Vec::new();
    !grammar.in_use().any(|(_, variable)| {
        variable.unordered.is_none() && has_duplicates(&variable.productions, &mut hashes)
    })
}
