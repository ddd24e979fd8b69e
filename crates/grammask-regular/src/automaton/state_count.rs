//! Number of states of an automaton.

use crate::{Error, RegularId, Store};

/// Returns true if ASCII strings lead from `a` to at most `most` languages, which include `a` but not the
/// empty language. States inside other characters do not count.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// One derivative for each byte class of each of these languages.
///
/// ```
/// # use grammask_regular::{analysis, Limits, Store};
/// let mut store = Store::new(&Limits::default());
/// let name = store.regex(r"\p{L}[\p{L}0-9]*")?;
/// assert!(analysis::has_at_most_states(&mut store, name, 2)?);
/// let words = store.regex("cat|dog")?;
/// assert!(!analysis::has_at_most_states(&mut store, words, 5)? && analysis::has_at_most_states(&mut store, words, 6)?);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn has_at_most_states(store: &mut Store, a: RegularId, most: usize) -> Result<bool, Error> {
    let mut states = vec![a];
    let mut next = 0;
    while let Some(&state) = states.get(next)
        && states.len() <= most
    {
        next += 1;
        let partition = store.node(state).partition;
        for class in 0..store.partitions.len(partition) {
            // The smallest byte of the class.
            let byte = store.partitions.representative(partition, class);
            if !byte.is_ascii() {
                continue;
            }
            let after = store.derivative(state, byte)?;
            if after != RegularId::EMPTY && !states.contains(&after) {
                states.push(after);
            }
        }
    }
    Ok(states.len() <= most)
}
