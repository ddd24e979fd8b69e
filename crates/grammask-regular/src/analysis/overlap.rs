//! Containment and overlap of two languages, and the bytes of their strings, read off expressions.
//!
//! Example: `.*:[0-9]+` stays reachable after any text, because each of its derivatives contains it.

use crate::analysis::inclusion::loop_contains;
use crate::analysis::limits::ProofLimits;
use crate::construct::concat::concat_pair;
use crate::json::string::is_raw;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, OperandList, RegularId, STANDARD, UNBOUNDED};
use crate::{ByteSet, Error, Store};
use grammask_work::{count, narrow};

/// Returns a language that is contained in both, not always the largest. It is [`RegularId::EMPTY`] if the
/// syntax of the expressions determines none.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the operands of unions, of which only those in corresponding positions are compared.
///
/// ```
/// # use grammask_regular::{analysis, Limits, RegularId, Store};
/// let mut store = Store::new(&Limits::default());
/// let colon = store.regex(".*:[a-z]+")?;
/// let [open, behind] = [b'-', b':'].map(|byte| store.derivative(colon, byte));
/// assert_eq!(analysis::common_subset(&mut store, open?, behind?)?, colon);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn common_subset(store: &mut Store, a: RegularId, b: RegularId) -> Result<RegularId, Error> {
    common_subset_at(store, a, b, ProofLimits::SUBSET.depth)
}

/// The depth of this recursion is bounded by a constant.
fn common_subset_at(store: &mut Store, a: RegularId, b: RegularId, depth: u32) -> Result<RegularId, Error> {
    if a == b {
        return Ok(a);
    }
    let Some(depth) = depth.checked_sub(1) else { return Ok(RegularId::EMPTY) };
    match (store.node(a).kind, store.node(b).kind) {
        (Kind::Or(list), Kind::Or(other)) => {
            let (list, other) = (store.list(list), store.list(other));
            let (mut members, rest): (Vec<_>, Vec<_>) =
                list.iter().partition(|member| other.binary_search(member).is_ok());
            let mut others = other.iter().copied().filter(|member| list.binary_search(member).is_err());
            if let (&[one], Some(other), None) = (&rest[..], others.next(), others.next()) {
                members.push(common_subset_at(store, one, other, depth)?);
            }
            store.union(&members)
        }
        (Kind::Or(list), _) if store.list(list).binary_search(&b).is_ok() => Ok(b),
        (_, Kind::Or(list)) if store.list(list).binary_search(&a).is_ok() => Ok(a),
        (Kind::Or(list), _) => union_members_within(store, list, b, depth),
        (_, Kind::Or(list)) => union_members_within(store, list, a, depth),
        (Kind::Concat(head, tail), Kind::Concat(other, same)) if tail == same => {
            let head = common_subset_at(store, head, other, depth)?;
            concat_pair(store, head, tail)
        }
        (Kind::Concat(head, tail), _) if tail == b && store.is_nullable(head) => Ok(b),
        (_, Kind::Concat(head, tail)) if tail == a && store.is_nullable(head) => Ok(a),
        (
            Kind::Json { text, escapes, at: JsonPosition::Character },
            Kind::Json { text: other, escapes: other_escapes, at: JsonPosition::Character },
        ) => {
            let text = common_subset_at(store, text, other, depth)?;
            json_spellings(store, text, escapes.common(other_escapes))
        }
        _ if store.is_nullable(a) && store.is_nullable(b) => Ok(RegularId::EPSILON),
        _ => Ok(RegularId::EMPTY),
    }
}

/// Returns the union of the operands of a union that are contained in `large`.
fn union_members_within(
    store: &mut Store,
    list: OperandList,
    large: RegularId,
    depth: u32,
) -> Result<RegularId, Error> {
    let visits = &mut { ProofLimits::SUBSET.visits };
    let members = store.list(list).to_vec();
    count(UNITS_PER_VISIT * members.len() as u64);
    let within: Vec<RegularId> =
        members.into_iter().filter(|&member| is_subset_at(store, member, large, depth, visits)).collect();
    store.union(&within)
}

/// Returns true if the expressions prove that every string of `small` is in `large`.
///
/// # Complexity
/// O(1), except for unions and intersections: linear in the operands of the first ones that are compared.
pub fn is_syntactic_subset(store: &Store, small: RegularId, large: RegularId) -> bool {
    let ProofLimits { depth, visits } = ProofLimits::SUBSET;
    let mut left = visits;
    let is_subset = is_subset_at(store, small, large, depth, &mut left);
    count(UNITS_PER_VISIT * u64::from(visits - left));
    is_subset
}

/// Work of one visited operand of a proof.
const UNITS_PER_VISIT: u64 = 2;

/// Returns a simpler language that is contained in `a` and has the same prefixes. For a loop without some
/// strings, it has the strings of the loop with an ASCII byte that no excluded string contains. Returns
/// [`RegularId::EMPTY`] if `a` is not of this form.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the excluded strings, and 128 derivatives of the repeated language.
///
/// ```
/// use grammask_regular::{analysis, RegularId, Store};
///
/// let mut store = Store::new(&Default::default());
/// let (all, tag) = (store.regex("[a-z-]*")?, store.regex("[a-z]+")?);
/// let other = store.complement(tag)?;
/// let no_tag = store.intersection(&[all, other])?;
/// let kernel = analysis::invariant_subset(&mut store, no_tag)?;
/// assert!(kernel != RegularId::EMPTY && analysis::is_syntactic_subset(&store, kernel, no_tag));
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn invariant_subset(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    match store.node(a).kind {
        Kind::Concat(head, tail) => {
            let head = invariant_of_text(store, head)?;
            concat_pair(store, head, tail)
        }
        _ => invariant_of_text(store, a),
    }
}

/// As [`invariant_subset`], for an expression that is not a concatenation. For JSON spellings, the language
/// of the spelled text is examined.
fn invariant_of_text(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    match store.node(a).kind {
        Kind::Json { text, escapes, at: JsonPosition::Character } => {
            let text = invariant_of_intersection(store, text)?;
            json_spellings(store, text, escapes)
        }
        _ => invariant_of_intersection(store, a),
    }
}

/// As [`invariant_subset`], for an intersection of a loop with complements.
fn invariant_of_intersection(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    let Kind::And(list) = store.node(a).kind else { return Ok(RegularId::EMPTY) };
    let (mut all, mut without) = (None, ByteSet::EMPTY);
    for &member in store.list(list) {
        match store.node(member).kind {
            Kind::Not(some) => without = without.union(&alphabet(store, some)),
            Kind::Repeat { base, min: 0, max: UNBOUNDED } if all.is_none() => all = Some((member, base)),
            _ => return Ok(RegularId::EMPTY),
        }
    }
    let Some((all, base)) = all else { return Ok(RegularId::EMPTY) };
    let mut others = ByteSet::EMPTY;
    for byte in (0..0x80).filter(|&byte| !without.contains(byte)) {
        if store.derivative(base, byte)? == RegularId::EPSILON {
            others.insert(byte);
        }
    }
    if others.is_empty() {
        return Ok(RegularId::EMPTY);
    }
    let other = store.bytes(others);
    let rest = concat_pair(store, other, all)?;
    concat_pair(store, all, rest)
}

/// The depth of this recursion is bounded by a constant.
fn is_subset_at(store: &Store, small: RegularId, large: RegularId, depth: u32, visits: &mut u32) -> bool {
    if small == large || small == RegularId::EMPTY {
        return true;
    }
    let (Some(depth), Some(left)) = (depth.checked_sub(1), visits.checked_sub(1)) else { return false };
    *visits = left;
    if small == RegularId::EPSILON {
        return store.is_nullable(large);
    }
    match (store.node(small).kind, store.node(large).kind) {
        (Kind::Or(list), _) => {
            store.list(list).iter().all(|&member| is_subset_at(store, member, large, depth, visits))
        }
        (_, Kind::Or(list)) => {
            let members = store.list(list);
            members.binary_search(&small).is_ok()
                || members
                    .iter()
                    .take(left as usize)
                    .any(|&member| is_subset_at(store, small, member, depth, visits))
        }
        (Kind::Concat(head, tail), Kind::Concat(other, same))
            if tail == same && is_subset_at(store, head, other, depth, visits) =>
        {
            true
        }
        (_, Kind::Concat(head, tail)) if store.is_nullable(head) => {
            is_subset_at(store, small, tail, depth, visits)
        }
        (
            Kind::Json { text, escapes, at: JsonPosition::Character },
            Kind::Json { text: other, escapes: more, at: JsonPosition::Character },
        ) => escapes.common(more) == escapes && is_subset_at(store, text, other, depth, visits),
        (_, Kind::And(list)) => {
            store.list(list).iter().all(|&member| is_subset_at(store, small, member, depth, visits))
        }
        (_, Kind::Not(without)) => {
            let bytes = alphabet_at(store, without, ProofLimits::SUBSET.depth, visits);
            requires_byte_outside_at(store, small, &bytes, depth, visits)
        }
        _ => loop_contains(store, large, small),
    }
}

/// Returns true if `a` is a standard regular expression, without complement and intersection. Such a language
/// and its derivatives are known to be non-empty without a search.
pub fn is_standard(store: &Store, a: RegularId) -> bool {
    store.node(a).has(STANDARD)
}

/// Returns a superset of the bytes that occur in strings of a language.
///
/// # Complexity
/// O(1).
pub fn alphabet(store: &Store, a: RegularId) -> ByteSet {
    alphabet_at(store, a, ProofLimits::SUBSET.depth, &mut { ProofLimits::SUBSET.visits })
}

/// The depth of this recursion is bounded by a constant.
fn alphabet_at(store: &Store, a: RegularId, depth: u32, visits: &mut u32) -> ByteSet {
    let (Some(depth), Some(left)) = (depth.checked_sub(1), visits.checked_sub(1)) else {
        return ByteSet::ALL;
    };
    *visits = left;
    match store.node(a).kind {
        Kind::Empty | Kind::Epsilon => ByteSet::EMPTY,
        Kind::Bytes(set) => *store.byte_set(set),
        Kind::Words { range, depth } => {
            let (list, words) = store.leaves.words(range);
            let mut bytes = list.rests(words, depth).flatten();
            let found: ByteSet = bytes.by_ref().take(left as usize).copied().collect();
            // The limit has ended the iteration, so the other bytes are unknown.
            if bytes.next().is_some() { ByteSet::ALL } else { found }
        }
        Kind::Concat(head, mut tail) => {
            let mut all = alphabet_at(store, head, depth, visits);
            // A chain of concatenations may be long, but it is not deep.
            while let (Kind::Concat(head, next), Some(left)) = (store.node(tail).kind, visits.checked_sub(1))
            {
                *visits = left;
                all = all.union(&alphabet_at(store, head, depth, visits));
                tail = next;
            }
            all.union(&alphabet_at(store, tail, depth, visits))
        }
        Kind::Or(list) if list.len > left => ByteSet::ALL,
        Kind::Or(list) => {
            let members = store.list(list).iter().map(|&member| alphabet_at(store, member, depth, visits));
            members.fold(ByteSet::EMPTY, |all, member| all.union(&member))
        }
        Kind::And(list) => {
            let members = store.list(list).iter().take(left as usize);
            let members = members.map(|&member| alphabet_at(store, member, depth, visits));
            members.fold(ByteSet::ALL, |all, member| all.intersection(&member))
        }
        Kind::Repeat { base, .. } | Kind::PrefixMinimal(base) => alphabet_at(store, base, depth, visits),
        Kind::Acyclic(state) => acyclic_alphabet(store, state, depth, visits),
        // Escapes consist of letters, digits and these two bytes.
        Kind::Json { .. } => {
            (0..=u8::MAX).filter(|&byte| is_raw(byte) || matches!(byte, b'"' | b'\\')).collect()
        }
        _ => ByteSet::ALL,
    }
}

/// As [`alphabet_at`], for a state of the acyclic DFA.
fn acyclic_alphabet(store: &Store, state: u32, depth: u32, visits: &mut u32) -> ByteSet {
    let edges = store.leaves.acyclic.edges(state);
    let left = visits.checked_sub(1 + narrow(edges.len()));
    let (Some(depth), Some(left)) = (depth.checked_sub(1), left) else { return ByteSet::ALL };
    *visits = left;
    let mut all = ByteSet::EMPTY;
    for edge in edges {
        all.insert_range(edge.first, edge.last);
        all = all.union(&acyclic_alphabet(store, edge.target, depth, visits));
    }
    all
}

/// As [`requires_byte_outside_at`], for a state of the acyclic DFA.
fn acyclic_requires_outside(
    store: &Store,
    state: u32,
    bytes: &ByteSet,
    depth: u32,
    visits: &mut u32,
) -> bool {
    let edges = store.leaves.acyclic.edges(state);
    let left = visits.checked_sub(1 + narrow(edges.len()));
    let (Some(depth), Some(left)) = (depth.checked_sub(1), left) else { return false };
    *visits = left;
    !store.leaves.acyclic.is_final(state)
        && edges.iter().all(|edge| {
            ByteSet::range(edge.first, edge.last).intersection(bytes).is_empty()
                || acyclic_requires_outside(store, edge.target, bytes, depth, visits)
        })
}

/// Returns true if the expression proves that every string contains a byte that is not in `bytes`.
///
/// # Complexity
/// O(1).
pub fn requires_byte_outside(store: &Store, a: RegularId, bytes: &ByteSet) -> bool {
    let ProofLimits { depth, visits } = ProofLimits::REQUIRED_BYTE;
    let mut left = visits;
    let requires = requires_byte_outside_at(store, a, bytes, depth, &mut left);
    count(UNITS_PER_VISIT * u64::from(visits - left));
    requires
}

/// The depth of this recursion is bounded by a constant.
fn requires_byte_outside_at(
    store: &Store,
    a: RegularId,
    bytes: &ByteSet,
    depth: u32,
    visits: &mut u32,
) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let mut rest = a;
    loop {
        let Some(left) = visits.checked_sub(1) else { return false };
        *visits = left;
        return match store.node(rest).kind {
            Kind::Empty => true,
            Kind::Bytes(set) => store.byte_set(set).intersection(bytes).is_empty(),
            Kind::Words { range, depth } => {
                let (list, words) = store.leaves.words(range);
                let count = words.len();
                let mut rests = list.rests(words, depth);
                let needs = |rest: &[u8]| {
                    rest.iter().take(ProofLimits::SUBSET.visits as usize).any(|&byte| !bytes.contains(byte))
                };
                count <= left.min(ProofLimits::SUBSET.visits) as usize && rests.all(needs)
            }
            Kind::Concat(head, tail) => {
                if !requires_byte_outside_at(store, head, bytes, depth, visits) {
                    rest = tail;
                    continue;
                }
                true
            }
            Kind::Or(list) => store
                .list(list)
                .iter()
                .all(|&member| requires_byte_outside_at(store, member, bytes, depth, visits)),
            Kind::And(list) => store
                .list(list)
                .iter()
                .any(|&member| requires_byte_outside_at(store, member, bytes, depth, visits)),
            Kind::Repeat { base, min, .. } => {
                min > 0 && requires_byte_outside_at(store, base, bytes, depth, visits)
            }
            Kind::PrefixMinimal(base) => requires_byte_outside_at(store, base, bytes, depth, visits),
            Kind::Acyclic(state) => acyclic_requires_outside(store, state, bytes, depth, visits),
            // A byte of the text is written as itself, or escaped by a backslash.
            Kind::Json { text, at: JsonPosition::Character, .. } => {
                !bytes.contains(b'\\') && requires_byte_outside_at(store, text, bytes, depth, visits)
            }
            _ => false,
        };
    }
}
