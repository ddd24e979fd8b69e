//! Derivatives by a byte, cached per state and byte class.

use crate::analysis::first_bytes::first_bytes;
use crate::construct::concat::concat_pair;
use crate::construct::prefix::prefix_minimal;
use crate::construct::substring::factor_leaf;
use crate::json::finite::as_excluded_texts;
use crate::json::string::derive_escape;
use crate::json::string::is_raw;
use crate::json::string::json_spellings;
use crate::json::string::json_spellings_at;
use crate::leaf::acyclic_dfa::acyclic_leaf;
use crate::leaf::word_list::WordRange;
use crate::leaf::word_list::word_leaf;
use crate::leaf::word_list::word_leaf_at;
use crate::number::state::number_step;
use crate::store::node::{
    JsonPosition, Kind, NO_ROW, PROVEN_EMPTY, PROVEN_NONEMPTY, RegularId, TRIMMED, UNBOUNDED, UNKNOWN,
};
use crate::{ByteSet, Error, Store};
use grammask_work::{charge, charge_len, narrow};

/// Work of one visit of an expression for a derivative.
const UNITS_PER_DERIVATIVE: u64 = 4;

/// See [`Store::derivative`].
pub(crate) fn derivative(store: &mut Store, a: RegularId, byte: u8) -> Result<RegularId, Error> {
    let next = raw_derivative(store, a, byte)?;
    if store.node(next).has(TRIMMED) {
        return Ok(next);
    }
    let trimmed = trim(store, next)?;
    cache(store, a, byte, trimmed);
    Ok(trimmed)
}

/// See [`Store::derivative_by_text`].
pub(crate) fn derivative_by_text(store: &mut Store, a: RegularId, text: &[u8]) -> Result<RegularId, Error> {
    let (mut a, mut rest) = (a, text);
    while let Some((&byte, after)) = rest.split_first() {
        (a, rest) = match skip_spelled_text(store, a, rest)? {
            Some((next, read)) => (next, &rest[read..]),
            None => (store.derivative(a, byte)?, after),
        };
    }
    Ok(a)
}

/// Reads a prefix of `text` in one step, if `a` begins with the JSON spelling of a literal, or of all texts
/// except some. Returns the language after the prefix, and the length of the prefix in bytes. Returns `None`
/// if the prefix has fewer than two bytes.
fn skip_spelled_text(
    store: &mut Store,
    a: RegularId,
    text: &[u8],
) -> Result<Option<(RegularId, usize)>, Error> {
    let Kind::Concat(head, tail) = store.node(a).kind else { return Ok(None) };
    let Kind::Json { text: mut inner, escapes, at: JsonPosition::Character } = store.node(head).kind else {
        return Ok(None);
    };
    let raw = text.iter().take_while(|&&byte| is_raw(byte)).count();
    let mut read = 0;
    if let Kind::Words { range, depth } = store.node(inner).kind {
        let (list, words) = store.leaves.words(range);
        if words.len() == 1 {
            let rest = &list.word(words.start)[depth as usize..];
            read = rest.iter().zip(&text[..raw]).take_while(|(one, other)| one == other).count();
            if read > 0 {
                inner = word_leaf_at(store, range, depth + narrow(read))?;
            }
        }
    }
    while let Some(&byte) = text[..raw].get(read)
        && let Kind::Concat(first, rest) = store.node(inner).kind
        && let Kind::Bytes(set) = store.node(first).kind
        && store.byte_set(set).single_byte() == Some(byte)
    {
        (inner, read) = (rest, read + 1);
    }
    if read == 0
        && let Some(found) = skip_complemented_text(store, inner, &text[..raw])?
    {
        (inner, read) = found;
    }
    if read < 2 {
        return Ok(None);
    }
    let head = json_spellings(store, inner, escapes)?;
    let next = concat_pair(store, head, tail)?;
    let next = if store.node(next).has(TRIMMED) { next } else { trim(store, next)? };
    Ok(Some((next, read)))
}

/// Reads the longest prefix of whole characters, for a language of all texts except some. Returns the
/// language after the prefix, and the length of the prefix in bytes. Returns `None` for other languages, and
/// for fewer than two bytes.
fn skip_complemented_text(
    store: &mut Store,
    a: RegularId,
    text: &[u8],
) -> Result<Option<(RegularId, usize)>, Error> {
    let Some((any, some)) = as_excluded_texts(store, a)? else { return Ok(None) };
    let read = std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
    if read < 2 {
        return Ok(None);
    }
    let mut rest = some;
    for &byte in &text[..read] {
        rest = raw_derivative(store, rest, byte)?;
    }
    let rest = store.complement(rest)?;
    Ok(Some((store.intersection(&[any, rest])?, read)))
}

/// See [`Store::has_nonempty_string`].
pub(crate) fn has_nonempty_string(store: &mut Store, a: RegularId) -> Result<bool, Error> {
    let node = *store.node(a);
    if node.max == 0 || node.has(PROVEN_EMPTY) {
        return Ok(false);
    }
    if node.has(crate::store::node::STANDARD) {
        return Ok(true);
    }
    if !store.is_nullable(a) {
        return Ok(!store.is_empty(a)?);
    }
    for class in 0..store.partitions.len(node.partition) {
        let byte = store.partitions.representative(node.partition, class);
        if store.derivative(a, byte)? != RegularId::EMPTY {
            return Ok(true);
        }
    }
    Ok(false)
}

/// See [`Store::live_bytes`].
pub(crate) fn live_bytes(store: &mut Store, a: RegularId) -> Result<ByteSet, Error> {
    if let Some(evident) = first_bytes(store, a) {
        return Ok(evident);
    }
    let partition = store.node(a).partition;
    let mut live = ByteSet::EMPTY;
    for class in 0..store.partitions.len(partition) {
        let byte = store.partitions.representative(partition, class);
        if store.derivative(a, byte)? != RegularId::EMPTY {
            live = live.union(store.partitions.class(partition, class));
        }
    }
    Ok(live)
}

/// Returns the derivative without deciding whether it is empty.
pub(crate) fn raw_derivative(store: &mut Store, a: RegularId, byte: u8) -> Result<RegularId, Error> {
    if let Some(known) = cached(store, a, byte) {
        return Ok(known);
    }
    // Operands first, with an explicit stack: expressions are nested as deeply as a grammar nests them.
    let mut stack = std::mem::take(&mut store.derivatives.stack);
    stack.clear();
    stack.push(a);
    let result = derive_operands(store, &mut stack, byte);
    store.derivatives.stack = stack;
    result?;
    operand_derivative(store, a, byte)
}

/// Computes and caches the derivatives of the expressions on the stack, and before them those of their
/// operands. Stops each concatenation at its first operand that is not nullable.
fn derive_operands(store: &mut Store, stack: &mut Vec<RegularId>, byte: u8) -> Result<(), Error> {
    while let Some(&a) = stack.last() {
        charge(UNITS_PER_DERIVATIVE)?;
        let len = stack.len();
        if is_cheap(store, a) || cached(store, a, byte).is_some() {
            stack.pop();
            continue;
        }
        match store.node(a).kind {
            Kind::Concat(..) => {
                let mut rest = a;
                while let Kind::Concat(head, tail) = store.node(rest).kind {
                    charge(1)?;
                    push_unless_cached(store, stack, head, byte);
                    rest = tail;
                    if !store.is_nullable(head) {
                        break;
                    }
                    if !matches!(store.node(tail).kind, Kind::Concat(..)) {
                        push_unless_cached(store, stack, tail, byte);
                    }
                }
            }
            Kind::Or(list) | Kind::And(list) => {
                charge_len(list.range().len())?;
                for index in list.range() {
                    push_unless_cached(store, stack, store.arena.lists[index], byte);
                }
            }
            Kind::Not(a) | Kind::PrefixMinimal(a) | Kind::Repeat { base: a, .. } => {
                push_unless_cached(store, stack, a, byte);
            }
            Kind::Json { text: a, at: JsonPosition::Character, .. } if is_raw(byte) => {
                push_unless_cached(store, stack, a, byte);
            }
            _ => {}
        }
        if stack.len() == len {
            let next = derive_from_operands(store, a, byte)?;
            cache(store, a, byte, next);
            stack.pop();
        }
    }
    Ok(())
}

/// Pushes an operand whose derivative must be computed first.
fn push_unless_cached(store: &Store, stack: &mut Vec<RegularId>, a: RegularId, byte: u8) {
    if !is_cheap(store, a) && cached(store, a, byte).is_none() {
        stack.push(a);
    }
}

/// Returns true for leaves whose derivative is computed each time, without a cache.
fn is_leaf(store: &Store, a: RegularId) -> bool {
    matches!(store.node(a).kind, Kind::Empty | Kind::Epsilon | Kind::Bytes(_) | Kind::Words { .. })
}

/// Returns true for operands whose derivative is cheap even if it is not cached: leaves, and concatenations
/// that begin with a byte set. A union of texts has many of the latter.
fn is_cheap(store: &Store, a: RegularId) -> bool {
    match store.node(a).kind {
        Kind::Concat(head, _) => matches!(store.node(head).kind, Kind::Bytes(_)),
        _ => is_leaf(store, a),
    }
}

fn cached(store: &Store, a: RegularId, byte: u8) -> Option<RegularId> {
    let node = store.node(a);
    if node.row == NO_ROW {
        return None;
    }
    let next = store.derivatives.rows[node.row as usize + store.partitions.class_of(node.partition, byte)];
    (next != UNKNOWN).then_some(RegularId(next))
}

/// Caches a derivative by byte class. Does nothing for leaves, and if the table of rows is full.
fn cache(store: &mut Store, a: RegularId, byte: u8, next: RegularId) {
    if is_leaf(store, a) {
        return;
    }
    let partition = store.node(a).partition;
    let (class, len) = (store.partitions.class_of(partition, byte), store.partitions.len(partition));
    if store.node(a).row == NO_ROW {
        if store.derivatives.rows.len() + len >= NO_ROW as usize {
            return;
        }
        store.arena.nodes[a.index()].row = narrow(store.derivatives.rows.len());
        store.derivatives.rows.resize(store.derivatives.rows.len() + len, UNKNOWN);
    }
    let row = store.node(a).row as usize;
    store.derivatives.rows[row + class] = next.0;
}

/// Returns the derivative of an operand. The operand is cheap, or its derivative is cached.
fn operand_derivative(store: &mut Store, a: RegularId, byte: u8) -> Result<RegularId, Error> {
    match cached(store, a, byte) {
        Some(known) => Ok(known),
        None => derive_from_operands(store, a, byte),
    }
}

/// Computes the derivative of an expression from the derivatives of its operands.
fn derive_from_operands(store: &mut Store, a: RegularId, byte: u8) -> Result<RegularId, Error> {
    match store.node(a).kind {
        Kind::Empty | Kind::Epsilon => Ok(RegularId::EMPTY),
        Kind::Bytes(set) => {
            Ok(if store.byte_set(set).contains(byte) { RegularId::EPSILON } else { RegularId::EMPTY })
        }
        Kind::Acyclic(state) => match store.leaves.acyclic.step(state, byte) {
            Some(next) => acyclic_leaf(store, next),
            None => Ok(RegularId::EMPTY),
        },
        Kind::Words { range, depth } => {
            let WordRange { list, start, end } = store.leaves.word_ranges[range];
            let next = store.leaves.word_lists[list].step(start..end, depth, byte);
            if next == (start..end) {
                return word_leaf_at(store, range, depth + 1);
            }
            word_leaf(store, WordRange { list, start: next.start, end: next.end }, depth + 1)
        }
        Kind::AhoCorasick { automaton, state } => {
            match store.leaves.aho_corasick[automaton].step(state, byte) {
                Some(state) => store.intern(Kind::AhoCorasick { automaton, state }),
                None => Ok(RegularId::EMPTY),
            }
        }
        Kind::Factor { automaton, state } => {
            match store.leaves.factor_automata[automaton].step(state, byte) {
                Some(state) => factor_leaf(store, automaton, state),
                None => Ok(RegularId::EMPTY),
            }
        }
        Kind::Concat(head, tail) if !store.is_nullable(head) => {
            let next = operand_derivative(store, head, byte)?;
            concat_pair(store, next, tail)
        }
        Kind::Concat(..) => {
            let mut parts = Vec::new();
            let mut rest = a;
            while let Kind::Concat(head, tail) = store.node(rest).kind {
                charge(UNITS_PER_DERIVATIVE)?;
                let next = operand_derivative(store, head, byte)?;
                parts.push(concat_pair(store, next, tail)?);
                rest = tail;
                if !store.is_nullable(head) {
                    return store.union(&parts);
                }
            }
            parts.push(operand_derivative(store, rest, byte)?);
            store.union(&parts)
        }
        Kind::Or(list) | Kind::And(list) => {
            let mut parts = Vec::with_capacity(list.len as usize);
            charge_len(list.range().len())?;
            for index in list.range() {
                parts.push(operand_derivative(store, store.arena.lists[index], byte)?);
            }
            if matches!(store.node(a).kind, Kind::Or(_)) {
                store.union(&parts)
            } else {
                store.intersection(&parts)
            }
        }
        Kind::Not(a) => {
            let next = operand_derivative(store, a, byte)?;
            store.complement(next)
        }
        Kind::Repeat { base, min, max } => {
            let next = operand_derivative(store, base, byte)?;
            if next == RegularId::EMPTY {
                return Ok(next);
            }
            let rest = store.repeat(base, min.saturating_sub(1), (max != UNBOUNDED).then(|| max - 1))?;
            concat_pair(store, next, rest)
        }
        Kind::PrefixMinimal(a) => {
            let next = operand_derivative(store, a, byte)?;
            prefix_minimal(store, next)
        }
        Kind::Json { text: a, escapes, at: JsonPosition::Character } if is_raw(byte) => {
            let next = operand_derivative(store, a, byte)?;
            json_spellings(store, next, escapes)
        }
        Kind::Json { text: a, escapes, at } => derive_escape(store, a, escapes, at, byte),
        Kind::Number(state) => number_step(store, state, byte),
    }
}

/// Returns the language in the form that is returned to callers: [`RegularId::EMPTY`] if it is empty, and
/// without empty operands of unions.
fn trim(store: &mut Store, a: RegularId) -> Result<RegularId, Error> {
    if store.is_empty(a)? {
        return Ok(RegularId::EMPTY);
    }
    let mut trimmed = a;
    if let Kind::Or(list) = store.node(a).kind {
        let mut has_empty = false;
        for index in list.range() {
            // The union is known to be non-empty, so a member whose emptiness is not decided may stay.
            has_empty |= match store.is_empty(store.arena.lists[index]) {
                Err(Error::Stopped(stopped)) => return Err(stopped.into()),
                result => result.unwrap_or(false),
            };
        }
        if has_empty {
            trimmed = store.union(&[a])?;
        }
    }
    if let Kind::Json { text: inner, escapes, at } = store.node(a).kind {
        // The recursion is as deep as spellings nest.
        let inner = trim(store, inner)?;
        trimmed = json_spellings_at(store, inner, escapes, at)?;
    }
    store.arena.nodes[trimmed.index()].flags |= TRIMMED | PROVEN_NONEMPTY;
    Ok(trimmed)
}
