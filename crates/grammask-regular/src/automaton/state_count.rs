//! How many states the automaton of a language has.

use crate::{Error, RegularId, Store};

/// Whether texts of ASCII characters lead from `a` to at most so many languages, itself included, but for the empty one. What leads through the bytes of another character
/// is not counted.
///
/// # Errors
/// When a limit is exceeded.
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
            // The least byte of a class.
            let byte = store.partitions.representative(partition, class);
            if !byte.is_ascii() {
                continue;
            }
            let behind = store.derivative(state, byte)?;
            if behind != RegularId::EMPTY && !states.contains(&behind) {
                states.push(behind);
            }
        }
    }
    Ok(states.len() <= most)
}
