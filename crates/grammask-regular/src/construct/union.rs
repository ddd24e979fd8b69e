//! Unions in normal form: flat, sorted, and without operands that another operand is cheaply proven to
//! contain.

use crate::analysis::inclusion::drop_contained;
use crate::construct::boolean::resolve_empty;
use crate::construct::concat::concat_pair;
use crate::construct::merge_counters::merge_counters;
use crate::json::string::json_spellings;
use crate::store::node::{HAS_COUNTER, JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{ByteSet, Error, Escapes, Store};
use grammask_work::{charge, charge_len, count};
use rustc_hash::FxHashSet;

/// Work of sorting and comparing one operand of a union.
const UNITS_PER_OPERAND: u64 = 8;

/// See [`Store::union`].
pub(crate) fn union(store: &mut Store, parts: &[RegularId]) -> Result<RegularId, Error> {
    let mut members = flatten(store, parts);
    charge(UNITS_PER_OPERAND * (parts.len() + members.len()) as u64)?;
    match members[..] {
        [] => return Ok(RegularId::EMPTY),
        [member] => return Ok(member),
        _ => {}
    }
    if members.contains(&RegularId::ALL) {
        return Ok(RegularId::ALL);
    }
    merge_byte_sets(store, &mut members)?;
    merge_counted_members(store, &mut members)?;
    if store.memos.has_json {
        merge_json_prefixes(store, &mut members)?;
    }
    if absorb_epsilon(store, &mut members)? {
        members = flatten(store, &members);
    }
    members.sort_unstable();
    if has_opposites(store, &members) {
        return Ok(RegularId::ALL);
    }
    drop_contained(store, &mut members);
    drop_subsumed_tails(store, &mut members);
    members.sort_unstable();
    members.dedup();
    match members[..] {
        [] => Ok(RegularId::EMPTY),
        [member] => Ok(member),
        [RegularId::EPSILON, member] => store.intern(Kind::Repeat { base: member, min: 0, max: 1 }),
        _ => store.intern_list(&members, true),
    }
}

/// Returns the operands of nested unions, sorted and distinct. An optional operand is the union of its base
/// and the empty string.
fn flatten(store: &Store, parts: &[RegularId]) -> Vec<RegularId> {
    let mut members = Vec::with_capacity(parts.len() + 1);
    for &part in parts {
        let part = resolve_empty(store, part);
        match store.node(part).kind {
            Kind::Empty => {}
            Kind::Or(list) => {
                members.extend(store.list(list).iter().map(|&member| resolve_empty(store, member)));
            }
            Kind::Repeat { base, min: 0, max: 1 } => members.extend([RegularId::EPSILON, base]),
            _ => members.push(part),
        }
    }
    members.sort_unstable();
    members.dedup();
    if members.first() == Some(&RegularId::EMPTY) {
        members.remove(0);
    }
    members
}

/// Merges operands that differ only in the set of their first byte.
fn merge_byte_sets(store: &mut Store, members: &mut Vec<RegularId>) -> Result<(), Error> {
    let mut heads: Vec<(RegularId, ByteSet, RegularId)> = Vec::new();
    for &member in &*members {
        match store.node(member).kind {
            Kind::Bytes(set) => heads.push((RegularId::EPSILON, *store.byte_set(set), member)),
            Kind::Concat(head, tail) => {
                if let Kind::Bytes(set) = store.node(head).kind {
                    heads.push((tail, *store.byte_set(set), member));
                }
            }
            _ => {}
        }
    }
    if heads.len() < 2 {
        return Ok(());
    }
    heads.sort_unstable_by_key(|&(tail, _, member)| (tail, member));
    let mut gone = Vec::new();
    let mut joined = Vec::new();
    for group in heads.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        gone.extend(group.iter().map(|&(_, _, member)| member));
        let set = group.iter().fold(ByteSet::EMPTY, |all, (_, set, _)| all.union(set));
        let head = store.bytes(set);
        joined.push(concat_pair(store, head, group[0].0)?);
    }
    if !gone.is_empty() {
        gone.sort_unstable();
        members.retain(|member| gone.binary_search(member).is_err());
        members.extend(joined);
    }
    Ok(())
}

/// Merges operands that are JSON spellings with the same escapes, or begin with them and have equal rests.
/// The recursion is as deep as spellings nest.
fn merge_json_prefixes(store: &mut Store, members: &mut Vec<RegularId>) -> Result<(), Error> {
    let mut heads: Vec<((RegularId, Escapes), RegularId, RegularId)> = Vec::new();
    for &member in &*members {
        let (head, tail) = match store.node(member).kind {
            Kind::Concat(head, tail) => (head, tail),
            _ => (member, RegularId::EPSILON),
        };
        if let Kind::Json { text, escapes, at: JsonPosition::Character } = store.node(head).kind {
            heads.push(((tail, escapes), text, member));
        }
    }
    if heads.len() < 2 {
        return Ok(());
    }
    heads.sort_unstable();
    let mut gone = Vec::new();
    let mut joined = Vec::new();
    for group in heads.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1) {
        gone.extend(group.iter().map(|&(_, _, member)| member));
        let texts: Vec<RegularId> = group.iter().map(|&(_, text, _)| text).collect();
        let text = store.union(&texts)?;
        let (tail, escapes) = group[0].0;
        let head = json_spellings(store, text, escapes)?;
        joined.push(concat_pair(store, head, tail)?);
    }
    gone.sort_unstable();
    members.retain(|member| gone.binary_search(member).is_err());
    members.extend(joined);
    Ok(())
}

/// Merges operands that differ in one counter.
fn merge_counted_members(store: &mut Store, members: &mut Vec<RegularId>) -> Result<(), Error> {
    let mut counted: Vec<(u32, RegularId)> = members
        .iter()
        .map(|&member| (store.node(member).counter_free_key, member))
        .filter(|&(_, member)| store.node(member).has(HAS_COUNTER))
        .collect();
    if counted.len() < 2 {
        return Ok(());
    }
    counted.sort_unstable();
    if counted.windows(2).all(|pair| pair[0].0 != pair[1].0) {
        return Ok(());
    }
    members.retain(|&member| !store.node(member).has(HAS_COUNTER));
    for group in counted.chunk_by(|a, b| a.0 == b.0) {
        let kept = members.len();
        charge_len(group.len())?;
        for &(_, member) in group {
            merge_counted_member(store, members, kept, member)?;
        }
    }
    Ok(())
}

/// Appends an operand. Merges it first with operands from index `kept` on that differ from it in one counter.
fn merge_counted_member(
    store: &mut Store,
    members: &mut Vec<RegularId>,
    kept: usize,
    mut member: RegularId,
) -> Result<(), Error> {
    // Only some neighbors are tried. Counters that can be merged are close to each other, and this bounds the
    // work.
    const MAX_MERGED_NEIGHBORS: usize = 16;
    'again: loop {
        for index in (kept..members.len()).rev().take(MAX_MERGED_NEIGHBORS) {
            charge(1)?;
            if let Some(joined) = merge_counters(store, members[index], member)? {
                members.remove(index);
                member = joined;
                continue 'again;
            }
        }
        members.push(member);
        return Ok(());
    }
}

/// Drops the empty string if another operand contains it. If the union contains the empty string, replaces
/// `x{1,n}` by `x{0,n}`. Returns true if this has changed an operand.
fn absorb_epsilon(store: &mut Store, members: &mut Vec<RegularId>) -> Result<bool, Error> {
    if !members.iter().any(|&member| store.is_nullable(member)) {
        return Ok(false);
    }
    let mut has_changed = false;
    for member in members.iter_mut() {
        if let Kind::Repeat { base, min: 1, max } = store.node(*member).kind {
            *member = store.repeat(base, 0, (max != UNBOUNDED).then_some(max))?;
            has_changed = true;
        }
    }
    if members.iter().any(|&member| member != RegularId::EPSILON && store.is_nullable(member)) {
        members.retain(|&member| member != RegularId::EPSILON);
    }
    Ok(has_changed)
}

/// Drops `z` next to `x y z` where x and y are nullable. In short unions, also drops `w z` next to `w x z`
/// and `w z x`. Such operands remain after a counter has ended.
fn drop_subsumed_tails(store: &Store, members: &mut Vec<RegularId>) {
    // Maximum number of operands that are compared in pairs.
    const MAX_PAIRWISE_OPERANDS: usize = 8;
    let is_optional = |member: &RegularId| match store.node(*member).kind {
        Kind::Concat(head, _) => store.is_nullable(head),
        _ => false,
    };
    if members.iter().any(is_optional) {
        let mut tails = FxHashSet::default();
        for &member in &*members {
            let mut rest = member;
            while let Kind::Concat(head, tail) = store.node(rest).kind
                && store.is_nullable(head)
                && tails.insert(tail)
            {
                count(1);
                rest = tail;
            }
        }
        members.retain(|member| !tails.contains(member));
    }
    if members.len() <= MAX_PAIRWISE_OPERANDS {
        let all = members.clone();
        members
            .retain(|&short| !all.iter().any(|&long| long != short && is_subsumed_tail(store, long, short)));
    }
}

/// Returns true if omitting one nullable operand, or a nullable rest, from `long` gives `short`.
fn is_subsumed_tail(store: &Store, mut long: RegularId, mut short: RegularId) -> bool {
    loop {
        count(1);
        let Kind::Concat(head, tail) = store.node(long).kind else { return false };
        if tail == short && store.is_nullable(head) || head == short && store.is_nullable(tail) {
            return true;
        }
        match store.node(short).kind {
            Kind::Concat(other, rest) if other == head => (long, short) = (tail, rest),
            _ => return false,
        }
    }
}

fn has_opposites(store: &Store, members: &[RegularId]) -> bool {
    members.iter().any(|&member| match store.node(member).kind {
        Kind::Not(inner) => members.binary_search(&inner).is_ok(),
        _ => false,
    })
}
