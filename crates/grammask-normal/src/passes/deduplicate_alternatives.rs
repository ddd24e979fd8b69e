//! `A ::= 'a' | 'a';` becomes `A ::= 'a';`.

use rustc_hash::FxHashSet;

use crate::error::Error;
use crate::grammar::{Factor, Grammar};
use crate::passes::Context;

/// Up to so many alternatives are compared one by one.
const FEW: usize = 8;

/// Keeps the first of equal alternatives.
///
/// # Complexity
/// Linear.
pub(crate) fn deduplicate_alternatives(grammar: &mut Grammar, _: &mut Context<'_>) -> Result<(), Error> {
    deduplicate(grammar);
    Ok(())
}

pub(super) fn deduplicate(grammar: &mut Grammar) {
    for variable in &mut grammar.variables {
        if variable.unordered.is_none() && has_duplicates(&variable.productions) {
            let mut seen: FxHashSet<Vec<Factor>> = FxHashSet::default();
            variable.productions.retain(|production| seen.insert(production.clone()));
        }
    }
}

fn has_duplicates(productions: &[Vec<Factor>]) -> bool {
    if productions.len() <= FEW {
        return (1..productions.len()).any(|at| productions[..at].contains(&productions[at]));
    }
    let mut seen: FxHashSet<&[Factor]> = FxHashSet::default();
    !productions.iter().all(|production| seen.insert(production))
}

pub(crate) fn holds(grammar: &Grammar) -> bool {
    !grammar
        .in_use()
        .any(|(_, variable)| variable.unordered.is_none() && has_duplicates(&variable.productions))
}
