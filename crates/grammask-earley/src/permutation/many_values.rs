//! A shortcut for items of `distinct!` that are compared as JSON values.
//!
//! A state from which more values can be reached than have been used leads to a new one, whatever the used
//! values are. An object with a member `"name": "…"` whose string is free has unlimited values. Every state
//! before the end of that string leads to one of them, so it needs no search among the used values.

use grammask_regular::ByteSet;
use grammask_work::charge;

use crate::permutation::comparison::Place;
use crate::permutation::distinct::MAP_ENTRY_BYTES;
use crate::permutation::json_value::is_blank;
use crate::permutation::search::{Search, UNITS_PER_POSITION};
use crate::permutation::used_texts::Candidate;
use crate::step::nodes::NodeFactory;
use crate::step::{self, Context};
use crate::{Error, SetId};

/// Maximum number of positions of one search. Keys and constants before a free part of a value take about one
/// position a byte.
const MAX_POSITIONS: usize = 512;

/// Number of characters that may come next in a string, from which a search ends there.
const MIN_CHARACTERS: usize = 32;

/// Maximum number of characters of a string that a search follows from one position.
const MAX_CHARACTERS_FOLLOWED: usize = 4;

/// Characters of strings that are asked first whether a string loops over them.
const FIRST_CHARACTERS: &[u8] = b"ae0 _-";

/// Bytes outside of strings that a search prefers, the best one first: those that begin a string or a number,
/// then those that lead to a further value. Other bytes come after them, and brackets that end a value come
/// last.
const PREFERRED: &[u8] = b"\"123456789-{[:,";

/// Returns true if more values can be reached from a state of an item's rule than `candidates` can exclude.
/// Returns false if that is not known.
///
/// All candidates agree with the text so far.
pub(super) fn are_enough(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    state: SetId,
    candidates: &[Candidate],
) -> Result<bool, Error> {
    let Some(place) = candidates.iter().find_map(|candidate| candidate.cursor.place()) else {
        return Ok(false);
    };
    let position = (state, place);
    let found = match nodes.permutations.texts.many_values.get(&position) {
        Some(&known) => known,
        None => search(nodes, cx, position)?,
    };
    // In a string that is a value, a candidate excludes at most one next character; in a key, one for each of
    // its members.
    let parts = |candidate: &Candidate| nodes.permutations.texts.value(candidate).part_count();
    Ok(match found {
        Reached::Unknown => false,
        Reached::Characters(count) => usize::from(count) > candidates.iter().map(parts).sum(),
        Reached::Unlimited => true,
    })
}

/// The number of values that can be reached from a position, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reached {
    Unknown,
    /// At one place in a string, this many characters may come next.
    Characters(u8),
    /// At one place, a string or the integer part of a number may be any number of characters longer.
    Unlimited,
}

/// A state of an item's rule, and where its text stops.
pub(crate) type ValuePosition = (SetId, Place);

/// Searches for a free string or number after a position, depth first, and stores what was found for all
/// positions on the path to it.
fn search(nodes: &mut NodeFactory, cx: Context<'_>, start: ValuePosition) -> Result<Reached, Error> {
    let mut search = Search::from(start);
    let mut found = Reached::Unknown;
    while found == Reached::Unknown
        && search.len() <= MAX_POSITIONS
        && let Some(number) = search.next()
    {
        let (state, place) = *search.position(number);
        charge(UNITS_PER_POSITION)?;
        let live = step::live_bytes_within(nodes, cx, state)?;
        found = reached_at(nodes, cx, (state, place), &live)?;
        if found != Reached::Unknown {
            store(nodes, cx, search.path_to(number), found);
            return Ok(found);
        }
        for byte in followed(place, &live) {
            let next = step::step_within(nodes, cx, state, cx.tables.network().class_of(byte))?;
            let position = (next, place.after(byte));
            match nodes.permutations.texts.many_values.get(&position) {
                Some(&known) if known != Reached::Unknown => {
                    store(nodes, cx, search.path_to(number), known);
                    return Ok(known);
                }
                Some(_) => {}
                None if next.goes_on() => search.add(position, number, byte),
                None => {}
            }
        }
    }
    // A search that has seen all it follows says the same for each of its positions.
    if search.len() <= MAX_POSITIONS {
        store(nodes, cx, search.found(), Reached::Unknown);
    } else {
        store(nodes, cx, std::iter::once(start), Reached::Unknown);
    }
    Ok(Reached::Unknown)
}

/// Looks for a free string or number at a position.
fn reached_at(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    (state, place): ValuePosition,
    live: &ByteSet,
) -> Result<Reached, Error> {
    let (asked, characters): (&[u8], usize) = match place {
        Place::String => (FIRST_CHARACTERS, live.iter().filter(|&byte| is_plain(byte)).count()),
        Place::Integer => (b"1", 0),
        _ => return Ok(Reached::Unknown),
    };
    for &byte in asked.iter().filter(|&&byte| live.contains(byte)) {
        if step::step_within(nodes, cx, state, cx.tables.network().class_of(byte))? == state {
            return Ok(Reached::Unlimited);
        }
    }
    Ok(match u8::try_from(characters) {
        Ok(count) if characters >= MIN_CHARACTERS => Reached::Characters(count),
        _ => Reached::Unknown,
    })
}

/// Returns true for a character of one byte that stands for itself inside of a string.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~') && byte != b'"' && byte != b'\\'
}

/// Returns the bytes that a search follows, the best one last.
fn followed(place: Place, live: &ByteSet) -> Vec<u8> {
    let mut bytes: Vec<u8> = match place {
        Place::String => {
            let end = Some(b'"').filter(|&byte| live.contains(byte));
            let plain = live.iter().filter(|&byte| is_plain(byte)).take(MAX_CHARACTERS_FOLLOWED);
            end.into_iter().chain(plain).collect()
        }
        _ => {
            let preferred = PREFERRED.iter().copied().filter(|&byte| live.contains(byte));
            let is_other = |byte: &u8| !PREFERRED.contains(byte) && !is_blank(*byte);
            let ends = |&byte: &u8| matches!(byte, b'}' | b']');
            let (last, others): (Vec<u8>, Vec<u8>) = live.iter().filter(is_other).partition(ends);
            preferred.chain(others).chain(last).collect()
        }
    };
    bytes.reverse();
    bytes
}

/// Stores what is known of some positions.
fn store(
    nodes: &mut NodeFactory,
    cx: Context<'_>,
    positions: impl IntoIterator<Item = ValuePosition>,
    known: Reached,
) {
    let stored = &mut nodes.permutations.texts.many_values;
    let before = stored.len();
    stored.extend(positions.into_iter().map(|position| (position, known)));
    cx.tables.spend((stored.len() - before) * MAP_ENTRY_BYTES);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permutation::distinct::{DistinctItem, DistinctState};
    use crate::permutation::distinct_values::search_among_used;
    use crate::recognizer::Recognizer;
    use crate::recognizer::dynamic_nodes::NodeKind;
    use crate::testing::recognizer;

    /// Rules of items, with lists of them.
    const ITEMS: &[(&str, &[&str])] = &[
        // A free string behind keys that have only one text.
        (
            r##"item ::= '{"ab":' string ',"c":' count '}'; string ::= '"' #'[a-z]*' '"'; count ::= '0' | '1';"##,
            &[r##"[{"ab":"","c":0},{"ab":"","c":1},{"ab":"x","c":0},{"ab":"##],
        ),
        // A string of at most two characters, and one of few characters.
        (
            r##"item ::= '{"a":"' #'[ -!#-Z]{0,2}' '"}' | '["' #'[ab]{1,2}' '"]';"##,
            &[r##"[{"a":""},{"a":"A"},["a"],["b"],["aa"],["ab"],["bb"],["ba"],{"a":"AB"##],
        ),
        // Integers and fractions, and keys that are free.
        (
            r##"item ::= #'[1-9][0-9]*' | '0.' ('0' | '5') | '{"' #'[a-z]*' '":null}' | '1e' #'1*' '0';"##,
            &[r##"[1,0.0,0.5,11,{"":null},{"a":null},{"ab":null},10,1e10,111,{"a"##],
        ),
        // Nothing is free: two values have many spellings.
        (
            r##"item ::= '"' json!('a' | 'bc') '"' | ' '* 'true' ' '* | ' '* 'null';"##,
            &[r##"["\u0061",  null,"\u0062\u0063", true"##, r##"["a",null,"##],
        ),
        // A free string that a further key of the same name makes a text that is no JSON value.
        (
            r##"item ::= '{"a":"' #'[a-z]*' '","a":1}' | '{"a":1}' | '{"a":"b"}';"##,
            &[r##"[{"a":1},{"a":"b"},{"a":"b","a":1},{"a":"##],
        ),
        // Escapes before free characters, and half of a surrogate pair.
        (
            r##"item ::= '"' (#'[a-z]' | '\\u00' #'[0-9a-f]{2}' | '\\ud83d\\ude0' #'[0-9]' | '\\n')* '"';"##,
            &[r##"["","\u0061","\ud83d\ude00","\n","\ud83d\ude01","\u00"##],
        ),
    ];

    /// Where values are said to be enough, a search among the used values finds a new one.
    #[test]
    fn a_search_among_the_used_values_agrees() {
        let (mut enough, mut unknown) = (0, 0);
        for &(rules, lists) in ITEMS {
            for list in lists {
                let recognizer = recognizer(&format!(
                    "start ::= '[' unordered!(distinct!(item); ','; {{1,}}) ']'; {rules}"
                ));
                let mut state = recognizer.initial();
                for (place, &byte) in list.as_bytes().iter().enumerate() {
                    // All ways to go on are nodes, too.
                    for other in 0..=u8::MAX {
                        recognizer.step(state, other).unwrap();
                    }
                    state = recognizer.step(state, byte).unwrap();
                    assert!(!state.is_dead(), "{list} at {place}");
                }
                for (item, candidates) in compared_items(&recognizer) {
                    recognizer.lock().with(|stages, cx| {
                        let found = are_enough(&mut stages.nodes, cx, item, &candidates).unwrap();
                        let expected = search_among_used(&mut stages.nodes, cx, item, &candidates).unwrap();
                        assert!(expected || !found, "{list}");
                        *if found { &mut enough } else { &mut unknown } += 1;
                    });
                }
            }
        }
        assert!(enough > 50 && unknown > 50, "{enough} {unknown}");
    }

    /// States of items inside of the nodes made so far, with the used values that agree.
    fn compared_items(recognizer: &Recognizer) -> Vec<(SetId, Vec<Candidate>)> {
        let nodes = recognizer.dynamic_nodes().kinds();
        let compared = nodes.filter_map(|kind| match kind {
            NodeKind::Distinct(DistinctState { item: DistinctItem::Rule(item), candidates, .. })
                if !candidates.is_empty() && item.goes_on() =>
            {
                Some((*item, candidates.to_vec()))
            }
            _ => None,
        });
        compared.collect()
    }
}
