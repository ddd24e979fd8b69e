//! Complement and intersection.

use crate::analysis::inclusion::drop_implied;
use crate::analysis::inclusion::is_excluded_by_loop;
use crate::construct::length::as_length;
use crate::construct::length::merge_lengths;
use crate::construct::length::satisfies_length;
use crate::construct::prefix::non_empty_without_intersection;
use crate::construct::repeat::as_repeat;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, PROVEN_EMPTY, RegularId, UNBOUNDED};
use crate::{ByteSet, Error, Escapes, Store};
use grammask_work::charge;

/// Work of sorting and comparing one operand of an intersection.
const UNITS_PER_OPERAND: u64 = 8;

/// Returns [`RegularId::EMPTY`] for an expression that has been proven empty, and others unchanged.
pub(crate) fn resolve_empty(store: &Store, a: RegularId) -> RegularId {
    if store.node(a).has(PROVEN_EMPTY) { RegularId::EMPTY } else { a }
}

/// See [`Store::complement`].
pub(crate) fn complement(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    match (resolve_empty(store, a), store.node(a).kind) {
        (RegularId::EMPTY, _) => Ok(RegularId::ALL),
        (RegularId::ALL, _) => Ok(RegularId::EMPTY),
        (_, Kind::Not(inner)) => Ok(inner),
        (a, _) => store.intern(Kind::Not(a)),
    }
}

/// See [`Store::intersection`].
pub(crate) fn intersection(store: &mut Store, parts: &[RegularId]) -> Result<RegularId, Error> {
    let mut members = Vec::with_capacity(parts.len());
    let mut negative = Vec::new();
    charge(UNITS_PER_OPERAND * parts.len() as u64)?;
    for &part in parts {
        let part = resolve_empty(store, part);
        let range = match store.node(part).kind {
            Kind::And(list) => list.range(),
            _ => 0..0,
        };
        charge(UNITS_PER_OPERAND * range.len() as u64)?;
        let inner = &store.arena.lists[range.clone()];
        for &member in if range.is_empty() { std::slice::from_ref(&part) } else { inner } {
            match store.arena.nodes[member.index()].kind {
                Kind::Empty => return Ok(RegularId::EMPTY),
                Kind::Not(inner) => negative.push(inner),
                _ if member == RegularId::ALL => {}
                _ => members.push(member),
            }
        }
    }
    if store.memos.has_json && !merge_json_members(store, &mut members, &mut negative)? {
        return Ok(RegularId::EMPTY);
    }
    if !exclude_epsilon(store, &mut members, &mut negative)? {
        return Ok(RegularId::EMPTY);
    }
    members.sort_unstable();
    members.dedup();
    if !merge_lengths(store, &mut members)? || !merge_byte_counters(store, &mut members)? {
        return Ok(RegularId::EMPTY);
    }
    let min = members.iter().map(|&member| store.node(member).min).max().unwrap_or(0);
    let max = members.iter().map(|&member| store.node(member).max).min().unwrap_or(UNBOUNDED);
    if min > max {
        return Ok(RegularId::EMPTY);
    }
    if !simplify_excluded(store, &members, &mut negative)? || is_excluded_by_loop(store, &members, &negative)
    {
        return Ok(RegularId::EMPTY);
    }
    if !negative.is_empty() {
        let Some(rest) = merge_complements(store, &negative, &members, (min, max))? else {
            return Ok(RegularId::EMPTY);
        };
        if rest != RegularId::EMPTY {
            members.push(store.complement(rest)?);
        }
    }
    if max == 0 && !members.is_empty() {
        let nullable = members.iter().all(|&member| store.is_nullable(member));
        return Ok(if nullable { RegularId::EPSILON } else { RegularId::EMPTY });
    }
    drop_implied(store, &mut members);
    members.sort_unstable();
    members.dedup();
    match members[..] {
        [] => Ok(RegularId::ALL),
        [member] => Ok(member),
        _ => store.intern_list(&members, false),
    }
}

/// Removes from excluded intersections the operands that are also required: `s & ~(s & a)` is `s & ~a`.
/// Returns false if the result is empty. `members` are sorted.
fn simplify_excluded(
    store: &mut Store,
    members: &[RegularId],
    negative: &mut [RegularId],
) -> Result<bool, Error> {
    for excluded in negative {
        let Kind::And(list) = store.node(*excluded).kind else { continue };
        let is_met = |member: &RegularId| members.binary_search(member).is_ok();
        let rest: Vec<_> = store.list(list).iter().copied().filter(|member| !is_met(member)).collect();
        *excluded = match rest[..] {
            [] => return Ok(false),
            [member] => member,
            _ if rest.len() == store.list(list).len() => continue,
            _ => store.intern_list(&rest, false)?,
        };
    }
    Ok(true)
}

/// If the empty string is excluded, removes it from the first operand for which this needs no intersection.
/// Returns false if the result is empty.
fn exclude_epsilon(
    store: &mut Store,
    members: &mut [RegularId],
    negative: &mut Vec<RegularId>,
) -> Result<bool, Error> {
    let Some(place) = negative.iter().position(|&a| a == RegularId::EPSILON) else { return Ok(true) };
    for member in members {
        if let Some(some) = non_empty_without_intersection(store, *member)? {
            *member = some;
            negative.swap_remove(place);
            return Ok(some != RegularId::EMPTY);
        }
    }
    Ok(true)
}

/// Merges all operands that are JSON spellings into one, together with excluded spellings. Returns false if
/// the result is empty. The recursion is as deep as spellings nest.
fn merge_json_members(
    store: &mut Store,
    members: &mut Vec<RegularId>,
    negative: &mut Vec<RegularId>,
) -> Result<bool, Error> {
    let json_text_of = |store: &Store, a: RegularId| match store.node(a).kind {
        Kind::Json { text: a, escapes, at: JsonPosition::Character } => Some((a, escapes)),
        _ => None,
    };
    let (mut texts, mut escapes) = (Vec::new(), Escapes::Any);
    for (text, one) in members.iter().filter_map(|&a| json_text_of(store, a)) {
        texts.push(text);
        escapes = escapes.common(one);
    }
    if texts.is_empty() {
        return Ok(true);
    }
    // An excluded spelling excludes its text if all spellings of the text that are left are excluded.
    let excluded_text = |store: &Store, a: RegularId| match json_text_of(store, a) {
        Some((text, excluded)) => (excluded.common(escapes) == escapes).then_some(text),
        None => (a == RegularId::EPSILON).then_some(a),
    };
    for &a in &*negative {
        if let Some(text) = excluded_text(store, a) {
            texts.push(store.complement(text)?);
        }
    }
    if texts.len() < 2 {
        return Ok(true);
    }
    members.retain(|&a| json_text_of(store, a).is_none());
    negative.retain(|&a| excluded_text(store, a).is_none());
    let text = store.intersection(&texts)?;
    let all = json_spellings(store, text, escapes)?;
    members.push(all);
    Ok(all != RegularId::EMPTY)
}

/// Merges all operands that are repetitions of a byte set into one. Returns false if the result is empty.
fn merge_byte_counters(store: &mut Store, members: &mut Vec<RegularId>) -> Result<bool, Error> {
    let counted = |store: &Store, member: RegularId| {
        let (base, min, max) = as_repeat(store, member);
        match store.node(base).kind {
            Kind::Bytes(set) => Some((*store.byte_set(set), min, max)),
            _ => None,
        }
    };
    if members.iter().filter(|&&member| counted(store, member).is_some()).count() < 2 {
        return Ok(true);
    }
    let (mut set, mut min, mut max) = (ByteSet::ALL, 0, UNBOUNDED);
    members.retain(|&member| {
        let Some((s, low, high)) = counted(store, member) else { return true };
        (set, min, max) = (set.intersection(&s), low.max(min), high.min(max));
        false
    });
    let base = store.bytes(set);
    let all = store.repeat(base, min, (max != UNBOUNDED).then_some(max))?;
    if all != RegularId::ALL {
        members.push(all);
    }
    Ok(all != RegularId::EMPTY)
}

/// Returns the union of the excluded languages, except those whose lengths do not occur in the operands.
/// Returns `None` if the intersection is empty, because an operand is excluded, or all texts with the lengths
/// of an operand are.
fn merge_complements(
    store: &mut Store,
    negative: &[RegularId],
    members: &[RegularId],
    (min, max): (u32, u32),
) -> Result<Option<RegularId>, Error> {
    let all = store.union(negative)?;
    let mut parts = match store.node(all).kind {
        Kind::Or(list) => store.list(list).to_vec(),
        _ => vec![all],
    };
    if all == RegularId::ALL
        || members.contains(&all)
        || members.iter().any(|m| parts.binary_search(m).is_ok())
    {
        return Ok(None);
    }
    for &part in &parts {
        if let Some(bounds) = as_length(store, part)?
            && members.iter().any(|&member| satisfies_length(store, member, bounds))
        {
            return Ok(None);
        }
    }
    let len = parts.len();
    parts.retain(|&part| store.node(part).max >= min && store.node(part).min <= max);
    if parts.len() == len { Ok(Some(all)) } else { store.union(&parts).map(Some) }
}
