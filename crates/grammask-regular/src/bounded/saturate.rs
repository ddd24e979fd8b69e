//! Counter abstraction: counters that are further from their bounds than a token is long get one common
//! value.
//!
//! So a walk over the vocabulary need not be repeated for each value of a counter.

use crate::analysis::utf8::is_utf8;
use crate::bounded::horizon::Horizon;
use crate::bounded::horizon::bounded_reach;
use crate::bounded::horizon::max_repetitions;
use crate::construct::length::any_character;
use crate::construct::length::as_length;
use crate::json::string::json_spellings;
use crate::json::string::json_spellings_at;
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{ByteSet, Error, Escapes, Store};

/// Maximum number of operands of a concatenation that are examined.
const MAX_CONCAT_OPERANDS: usize = 32;

/// How the input represents the strings of a language.
#[derive(Clone, Copy)]
enum InputForm {
    /// As the strings themselves.
    Plain,
    /// As their JSON spellings. `begun` is true if the first character is in the middle of its spelling.
    Spelled { begun: bool },
    /// As spellings of spellings, with this many levels.
    Deep(u32),
}

impl InputForm {
    fn inside(self, at: JsonPosition) -> Self {
        match self {
            Self::Plain => Self::Spelled { begun: at != JsonPosition::Character },
            Self::Spelled { .. } => Self::Deep(2),
            Self::Deep(levels) => Self::Deep(levels + 1),
        }
    }
}

/// Returns a language that agrees with `a` on all strings of a horizon. Each of these strings is in both
/// languages or in neither, and is a prefix of strings of both or of neither.
///
/// # Errors
/// If a limit is exceeded.
///
/// # Complexity
/// Linear in the operands of a concatenation, a union or an intersection at the top. For each repeated
/// language, a search in the long texts of the horizon is added, once.
pub fn saturate(store: &mut Store, a: RegularId, horizon: &mut Horizon) -> Result<RegularId, Error> {
    saturate_encoded(store, a, InputForm::Plain, horizon)
}

/// As [`saturate`], for a language whose strings are read in the given form.
fn saturate_encoded(
    store: &mut Store,
    a: RegularId,
    form: InputForm,
    horizon: &mut Horizon,
) -> Result<RegularId, Error> {
    let saturated = match store.node(a).kind {
        Kind::And(list) => {
            let members = store.list(list).to_vec();
            saturate_intersection(store, a, &members, form, horizon)?
        }
        _ => a,
    };
    match store.node(saturated).kind {
        Kind::Or(list) => {
            let members = store.list(list).to_vec();
            let mut changed = Vec::with_capacity(members.len());
            for &member in &members {
                changed.push(saturate_concat(store, member, form, horizon)?);
            }
            if changed == members { Ok(saturated) } else { store.union(&changed) }
        }
        Kind::And(_) => Ok(saturated),
        _ => saturate_concat(store, saturated, form, horizon),
    }
}

/// As [`saturate_encoded`], for an intersection. Every operand may extend a prefix without a common
/// extension, so only two forms are handled.
fn saturate_intersection(
    store: &mut Store,
    a: RegularId,
    members: &[RegularId],
    form: InputForm,
    horizon: &mut Horizon,
) -> Result<RegularId, Error> {
    let counts_bytes = |store: &Store, member: RegularId| match store.node(member).kind {
        Kind::Repeat { base, min: 0 | 1, .. } => matches!(store.node(base).kind, Kind::Bytes(_)),
        _ => false,
    };
    let is_closed = |store: &Store, member: RegularId| {
        matches!(store.node(member).kind, Kind::AhoCorasick { .. }) || counts_bytes(store, member)
    };
    if members.iter().all(|&member| is_closed(store, member)) {
        // Every operand contains all non-empty prefixes of its strings. So a prefix has an extension in each
        // operand iff it is in the intersection.
        let mut changed = Vec::with_capacity(members.len());
        for &member in members {
            changed.push(if counts_bytes(store, member) {
                saturate_concat(store, member, form, horizon)?
            } else {
                member
            });
        }
        return if changed == members { Ok(a) } else { store.intersection(&changed) };
    }
    let [one, other] = members[..] else { return Ok(a) };
    for (length, text) in [(one, other), (other, one)] {
        if let Some((min, max)) = as_length(store, length)?
            && max != UNBOUNDED
            && is_utf8(store, text)
        {
            // Suppose that a string of `text` extends the input and has at least `min` characters. Cut it
            // after the next character or after character `min`, whichever is later. From there,
            // `reach.room()` bytes suffice to complete it.
            let reach = bounded_reach(store, text, horizon);
            let Some(most) = max.checked_sub(reach.room()).filter(|&most| most > min) else {
                return Ok(a);
            };
            if most <= horizon.short() {
                return Ok(a);
            }
            let character = character_of_bytes(store, reach.bytes)?;
            if most <= max_repetitions_read(store, character, form, horizon)? {
                return Ok(a);
            }
            let base = any_character(store)?;
            let length = store.repeat(base, min, None)?;
            return store.intersection(&[text, length]);
        }
    }
    Ok(a)
}

/// Returns the characters that consist of some bytes. If one of these bytes is not ASCII, the result contains
/// all characters beyond ASCII.
fn character_of_bytes(store: &mut Store, bytes: ByteSet) -> Result<RegularId, Error> {
    let ascii = ByteSet::range(0, 0x7F);
    let character = any_character(store)?;
    let mut some = vec![store.bytes(bytes.intersection(&ascii))];
    if !bytes.is_subset(&ascii) {
        some.push(store.regex("[^\\x00-\\x7F]")?);
    }
    if ascii.is_subset(&bytes) && some.len() == 2 { Ok(character) } else { store.union(&some) }
}

/// As [`saturate_encoded`], for an expression that is neither a union nor an intersection.
fn saturate_concat(
    store: &mut Store,
    a: RegularId,
    form: InputForm,
    horizon: &mut Horizon,
) -> Result<RegularId, Error> {
    let mut heads = Vec::new();
    let mut rest = a;
    let mut is_changed = false;
    while let Kind::Concat(head, tail) = store.node(rest).kind
        && heads.len() < MAX_CONCAT_OPERANDS
    {
        let saturated = saturate_part(store, head, form, horizon)?;
        is_changed |= saturated != head;
        heads.push(saturated);
        rest = tail;
    }
    let last = saturate_part(store, rest, form, horizon)?;
    if !is_changed && last == rest {
        return Ok(a);
    }
    heads.push(last);
    store.concat(&heads)
}

/// As [`saturate_encoded`], for one operand of a concatenation.
fn saturate_part(
    store: &mut Store,
    a: RegularId,
    form: InputForm,
    horizon: &mut Horizon,
) -> Result<RegularId, Error> {
    let (base, min, max) = match store.node(a).kind {
        Kind::Json { text, escapes, at } => {
            // The recursion is as deep as spellings nest.
            let text = saturate_encoded(store, text, form.inside(at), horizon)?;
            return json_spellings_at(store, text, escapes, at);
        }
        Kind::And(list) => {
            let members = store.list(list).to_vec();
            return saturate_intersection(store, a, &members, form, horizon);
        }
        Kind::Repeat { base, min, max } => (base, min, max),
        _ => return Ok(a),
    };
    let is_within = |most: u32| min <= most && (max == UNBOUNDED || max <= most);
    if store.is_nullable(base) || is_within(horizon.short() / store.node(base).min.max(1)) {
        return Ok(a);
    }
    let most = max_repetitions_read(store, base, form, horizon)?;
    if is_within(most) {
        return Ok(a);
    }
    // A lower bound that cannot be reached is lowered to just beyond reach, and an upper bound that cannot be
    // reached is dropped.
    let max = if max > most { None } else { Some(max) };
    store.repeat(base, min.min(most.saturating_add(1)), max)
}

/// Returns an upper bound of the number of consecutive strings of `base` in the text that a string of the
/// horizon represents.
fn max_repetitions_read(
    store: &mut Store,
    base: RegularId,
    form: InputForm,
    horizon: &mut Horizon,
) -> Result<u32, Error> {
    let least = store.node(base).min.max(1);
    match form {
        InputForm::Plain => max_repetitions(store, base, horizon),
        InputForm::Spelled { begun } if is_utf8(store, base) => {
            // The other spellings are fewer, and not shorter.
            let spelled = json_spellings(store, base, Escapes::Any)?;
            Ok(max_repetitions(store, spelled, horizon)?.saturating_add(u32::from(begun)))
        }
        // A spelling is at least as long as its text, but an escape that has begun may represent four bytes.
        InputForm::Spelled { .. } => Ok(horizon.longest().saturating_add(3) / least),
        InputForm::Deep(levels) => Ok(horizon.longest().saturating_add(3 * levels) / least),
    }
}
