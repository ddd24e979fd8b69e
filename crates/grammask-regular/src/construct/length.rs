//! Intersections with a length in characters.
//!
//! If only one part of the other operand has no fixed length, the bounds move into its counter, and no
//! intersection is left. `[a-z]+` of at most 9 characters is `[a-z]{1,9}`.

use crate::analysis::limits::ProofLimits;
use crate::analysis::utf8::fixed_char_count;
use crate::analysis::utf8::is_utf8;
use crate::construct::concat::concat_pair;
use crate::json::string::json_spellings;
use std::ops::RangeInclusive;

use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{ByteSet, Error, Store};

/// The regex of one character.
const ANY_CHARACTER: &str = "(?s:.)";

/// Inclusive bounds of a number of characters; the upper one may be [`UNBOUNDED`].
type Bounds = (u32, u32);

/// Returns the language of single characters.
///
/// # Errors
/// If a limit is exceeded.
pub(crate) fn any_character(store: &mut Store) -> Result<RegularId, Error> {
    if let Some(known) = store.memos.any_character {
        return Ok(known);
    }
    let character = store.regex(ANY_CHARACTER)?;
    store.memos.any_character = Some(character);
    Ok(character)
}

/// Splits the length condition off the JSON string at the beginning of `a`. Returns the language without this
/// condition, and the bounds of the length in characters. The language includes the rest after the string.
///
/// Returns `None` if there is no such condition, or if the count is not the only difference. This is the case
/// if the language without it may contain strings that are not UTF-8, or an excluded empty string.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the size of the returned language.
///
/// ```
/// # use grammask_regular::{analysis, Limits, RegularId, Store};
/// let mut store = Store::new(&Limits::default());
/// let quote = store.literal(b"\"")?;
/// let mut key = |patterns: &[&str]| {
///     let texts: Vec<RegularId> = patterns.iter().map(|pattern| store.regex(pattern)).collect::<Result<_, _>>()?;
///     let texts = store.intersection(&texts)?;
///     let spelled = store.json_text(texts)?;
///     store.concat(&[spelled, quote])
/// };
/// let words = key(&["([a-z]+ )*[a-z]+"])?;
/// let counted = key(&["([a-z]+ )*[a-z]+", "(?s:.){1,9}"])?;
/// assert_eq!(analysis::split_length(&mut store, counted)?, Some((words, 1..=9)));
/// assert_eq!(analysis::split_length(&mut store, words)?, None);
/// # Ok::<(), grammask_regular::Error>(())
/// ```
pub fn split_length(
    store: &mut Store,
    a: RegularId,
) -> Result<Option<(RegularId, RangeInclusive<u32>)>, Error> {
    let Kind::Concat(head, tail) = store.node(a).kind else { return Ok(None) };
    let Kind::Json { text, escapes, at: JsonPosition::Character } = store.node(head).kind else {
        return Ok(None);
    };
    let Kind::And(list) = store.node(text).kind else { return Ok(None) };
    let mut members = store.list(list).to_vec();
    for place in 0..members.len() {
        if let Some((least, most)) = as_length(store, members[place])? {
            members.remove(place);
            let text = store.intersection(&members)?;
            // Without the count, the language may contain other strings than UTF-8, or the empty string.
            if !is_utf8(store, text) || (least > 0 && store.is_nullable(text)) {
                return Ok(None);
            }
            let head = json_spellings(store, text, escapes)?;
            return Ok(Some((concat_pair(store, head, tail)?, least..=most)));
        }
    }
    Ok(None)
}

/// Returns `(m, n)` if the language consists of all texts of m to n characters. Returns `None` otherwise.
pub(crate) fn as_length(store: &mut Store, a: RegularId) -> Result<Option<Bounds>, Error> {
    let (base, bounds) = match store.node(a).kind {
        Kind::Repeat { base, min, max } => (base, (min, max)),
        _ => (a, (1, 1)),
    };
    let may_be = matches!(store.node(base).kind, Kind::Acyclic(_));
    Ok((may_be && base == any_character(store)?).then_some(bounds))
}

/// Moves bounds of lengths into other operands of an intersection, as far as possible. Returns false if the
/// result is empty.
pub(crate) fn merge_lengths(store: &mut Store, members: &mut Vec<RegularId>) -> Result<bool, Error> {
    'lengths: while members.len() > 1 {
        for place in 0..members.len() {
            let Some(bounds) = as_length(store, members[place])? else { continue };
            for other in (0..members.len()).filter(|&other| other != place) {
                if satisfies_length(store, members[other], bounds) {
                    members.swap_remove(place);
                    continue 'lengths;
                }
                let ProofLimits { depth, mut visits } = ProofLimits::LENGTH;
                let Some(met) = restrict_length(store, members[other], bounds, depth, &mut visits)? else {
                    continue;
                };
                members[other] = met;
                members.swap_remove(place);
                if met == RegularId::EMPTY {
                    return Ok(false);
                }
                continue 'lengths;
            }
        }
        break;
    }
    Ok(true)
}

/// Returns true if all strings of `a` are proven to have a length within the bounds.
pub(crate) fn satisfies_length(store: &Store, a: RegularId, (low, high): Bounds) -> bool {
    high == UNBOUNDED && low <= store.node(a).min.min(1) && is_utf8(store, a)
}

/// Returns the texts of `a` with a length within the bounds. Returns `None` if the result needs an
/// intersection.
fn restrict_length(
    store: &mut Store,
    a: RegularId,
    (low, high): Bounds,
    depth: u32,
    visits: &mut u32,
) -> Result<Option<RegularId>, Error> {
    let (Some(left), Some(depth)) = (visits.checked_sub(1), depth.checked_sub(1)) else {
        return Ok(None);
    };
    *visits = left;
    if let Some(length) = fixed_length(store, a, depth, visits) {
        return Ok(Some(if (low..=high).contains(&length) { a } else { RegularId::EMPTY }));
    }
    match store.node(a).kind {
        Kind::Repeat { base, min, max } => {
            let Some(length @ 1..) = fixed_length(store, base, depth, visits) else {
                if (min, max) != (0, 1) {
                    return Ok(None);
                }
                return match restrict_length(store, base, (low, high), depth, visits)? {
                    Some(met) if low == 0 => store.repeat(met, 0, Some(1)).map(Some),
                    met => Ok(met),
                };
            };
            let most = if high == UNBOUNDED { UNBOUNDED } else { high / length };
            let (min, max) = (min.max(low.div_ceil(length)), max.min(most));
            if max == UNBOUNDED {
                store.repeat(base, min, None).map(Some)
            } else {
                store.repeat(base, min, Some(max)).map(Some)
            }
        }
        Kind::Or(list) => {
            let mut members = store.list(list).to_vec();
            for member in &mut members {
                let Some(met) = restrict_length(store, *member, (low, high), depth, visits)? else {
                    return Ok(None);
                };
                *member = met;
            }
            store.union(&members).map(Some)
        }
        Kind::Concat(..) => {
            let (mut parts, mut open, mut fixed) = (Vec::new(), None, 0u32);
            let mut rest = Some(a);
            while let Some(whole) = rest {
                let part = match store.node(whole).kind {
                    Kind::Concat(head, tail) => {
                        rest = Some(tail);
                        head
                    }
                    _ => {
                        rest = None;
                        whole
                    }
                };
                match fixed_length(store, part, depth, visits) {
                    Some(length) => fixed = fixed.saturating_add(length),
                    None if open.is_none() => open = Some(parts.len()),
                    None => return Ok(None),
                }
                parts.push(part);
            }
            let Some(open) = open else { return Ok(None) };
            if high < fixed {
                return Ok(Some(RegularId::EMPTY));
            }
            let high = if high == UNBOUNDED { UNBOUNDED } else { high - fixed };
            let bounds = (low.saturating_sub(fixed), high);
            let Some(met) = restrict_length(store, parts[open], bounds, depth, visits)? else {
                return Ok(None);
            };
            parts[open] = met;
            store.concat(&parts).map(Some)
        }
        _ => Ok(None),
    }
}

/// Returns the number of characters of each string. Returns `None` if it is not proven to be the same for
/// all, or they are not proven to be UTF-8.
fn fixed_length(store: &mut Store, a: RegularId, depth: u32, visits: &mut u32) -> Option<u32> {
    let depth = depth.checked_sub(1)?;
    *visits = visits.checked_sub(1)?;
    match store.node(a).kind {
        Kind::Epsilon => Some(0),
        Kind::Bytes(set) => store.byte_set(set).is_subset(&ByteSet::range(0, 0x7F)).then_some(1),
        Kind::Acyclic(state) => fixed_char_count(store, state),
        Kind::Words { range, depth } => {
            let (list, words) = store.leaves.words(range);
            let word = list.word(words.start);
            let text = std::str::from_utf8(&word[depth as usize..]).ok()?;
            (words.len() == 1).then(|| u32::try_from(text.chars().count()).ok())?
        }
        Kind::Repeat { base, min, max } if min == max => {
            fixed_length(store, base, depth, visits)?.checked_mul(min).filter(|&length| length != UNBOUNDED)
        }
        Kind::Concat(..) => {
            let (mut rest, mut length) = (a, 0u32);
            while let Kind::Concat(head, tail) = store.node(rest).kind {
                length = length.checked_add(fixed_length(store, head, depth, visits)?)?;
                rest = tail;
            }
            length
                .checked_add(fixed_length(store, rest, depth, visits)?)
                .filter(|&length| length != UNBOUNDED)
        }
        Kind::Or(list) => {
            let mut common = None;
            for index in list.range() {
                let length = fixed_length(store, store.arena.lists[index], depth, visits)?;
                if *common.get_or_insert(length) != length {
                    return None;
                }
            }
            common
        }
        _ => None,
    }
}
