//! The top structure of an expression: counters, loops, conjunctions, and the byte partition.

use crate::analysis::utf8::is_utf8;
use crate::construct::concat::concat_pair;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};

/// A language of the form `base{min,max} rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// The repeated language. It does not contain the empty string.
    pub base: RegularId,
    /// Lower bound.
    pub min: u32,
    /// Upper bound, inclusive. `None` if there is none.
    pub max: Option<u32>,
    /// The language after the repetition.
    pub rest: RegularId,
}

/// A language of the form `prefix rest`, where `prefix` ends with an unbounded repetition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopSplit {
    /// The first part, which includes the repetition.
    pub prefix: RegularId,
    /// The loop `base*` at the end of the prefix.
    pub repeated: RegularId,
    /// The second part.
    pub rest: RegularId,
}

/// Splits a language into a counted repetition and the rest, if it has this form. If it begins with a JSON
/// spelling, base and rest are spellings.
///
/// # Errors
/// If a limit is exceeded.
pub fn leading_counter(store: &mut Store, a: RegularId) -> Result<Option<Counter>, Error> {
    let (head, rest) = match store.node(a).kind {
        Kind::Concat(head, rest) => (head, rest),
        _ => (a, RegularId::EPSILON),
    };
    let (counted, spelled) = match store.node(head).kind {
        Kind::Json { text, escapes, at: JsonPosition::Character } => match store.node(text).kind {
            Kind::Concat(counted, text_rest) => (counted, Some((text_rest, escapes))),
            _ => (text, Some((RegularId::EPSILON, escapes))),
        },
        _ => (head, None),
    };
    let Kind::Repeat { base, min, max } = store.node(counted).kind else { return Ok(None) };
    if store.is_nullable(base) {
        return Ok(None);
    }
    let max = (max != UNBOUNDED).then_some(max);
    let Some((text_rest, escapes)) = spelled else { return Ok(Some(Counter { base, min, max, rest })) };
    // Only whole characters are spelled one by one.
    if !is_utf8(store, base) {
        return Ok(None);
    }
    let base = json_spellings(store, base, escapes)?;
    let text_rest = json_spellings(store, text_rest, escapes)?;
    Ok(Some(Counter { base, min, max, rest: concat_pair(store, text_rest, rest)? }))
}

/// Splits a language after its first unbounded repetition. Returns `None` if the first five operands contain
/// none, or if nothing follows it.
///
/// # Errors
/// If a limit is exceeded.
pub fn split_after_loop(store: &mut Store, a: RegularId) -> Result<Option<LoopSplit>, Error> {
    /// Maximum number of operands before the repetition.
    const MAX_OPERANDS_BEFORE_LOOP: usize = 4;

    let mut heads = Vec::new();
    let mut rest = a;
    while let Kind::Concat(head, tail) = store.node(rest).kind
        && heads.len() <= MAX_OPERANDS_BEFORE_LOOP
    {
        rest = tail;
        heads.push(head);
        if let Kind::Repeat { base, max: UNBOUNDED, .. } = store.node(head).kind {
            let repeated = store.repeat(base, 0, None)?;
            let head = heads.into_iter().rev().try_fold(RegularId::EPSILON, |after, head| {
                if after == RegularId::EPSILON { Ok(head) } else { concat_pair(store, head, after) }
            })?;
            return Ok(Some(LoopSplit { prefix: head, repeated, rest }));
        }
    }
    Ok(None)
}

/// Returns the operands of an intersection, or of one inside a JSON spelling. Other languages have none.
///
/// # Errors
/// If a limit is exceeded.
pub fn conjuncts(store: &mut Store, a: RegularId) -> Result<Vec<RegularId>, Error> {
    match store.node(a).kind {
        Kind::And(list) => Ok(store.list(list).to_vec()),
        Kind::Json { text, escapes, at: JsonPosition::Character } => match store.node(text).kind {
            Kind::And(list) => {
                let members = store.list(list).to_vec();
                members.into_iter().map(|member| json_spellings(store, member, escapes)).collect()
            }
            _ => Ok(Vec::new()),
        },
        _ => Ok(Vec::new()),
    }
}

/// Returns true if `a` begins neither with an intersection nor with a repetition of more than one round. For
/// such a language, [`conjuncts`] is empty, and [`leading_counter`] finds at most an optional part.
pub fn is_uncounted(store: &Store, a: RegularId) -> bool {
    let head = match store.node(a).kind {
        Kind::Concat(head, _) => head,
        _ => a,
    };
    let text = match store.node(head).kind {
        Kind::Json { text, at: JsonPosition::Character, .. } => text,
        _ => head,
    };
    let counted = match store.node(text).kind {
        Kind::Concat(counted, _) => counted,
        _ => text,
    };
    !matches!(store.node(text).kind, Kind::And(_))
        && !matches!(store.node(counted).kind, Kind::Repeat { max: 2.., .. })
}

/// Returns the number of the byte partition of `a`, and its number of classes. Bytes of one class have equal
/// derivatives, and equal partitions have equal numbers. No derivative is taken, so the partition may be
/// finer than necessary.
pub fn byte_partition(store: &Store, a: RegularId) -> (u32, usize) {
    let partition = store.node(a).partition;
    (partition.number(), store.partitions.len(partition))
}

/// Returns the class of every byte in the partition of `a`.
///
/// # Complexity
/// Linear in the ranges of bytes.
pub fn byte_class_map(store: &Store, a: RegularId) -> [u8; 256] {
    store.partitions.classes(store.node(a).partition)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concatenating_a_split_gives_the_language() {
        let mut store = Store::new(&crate::Limits::default());
        for (pattern, head, repeated, rest) in [
            ("a+b", "a+", "a*", "b"),
            ("[xy]a{3,}(b|c)?", "[xy]a{3,}", "a*", "(b|c)?"),
            ("ab(é|c)*d+e", "ab(é|c)*", "(é|c)*", "d+e"),
        ] {
            let [whole, head, repeated, rest] =
                [pattern, head, repeated, rest].map(|pattern| store.regex(pattern).unwrap());
            let found = split_after_loop(&mut store, whole).unwrap();
            assert_eq!(found, Some(LoopSplit { prefix: head, repeated, rest }), "{pattern}");
            assert_eq!(store.concat(&[head, rest]), Ok(whole), "{pattern}");
        }
        for pattern in ["a*", "ab?", "a{2,4}b", "abcdefa*b", "a*|b"] {
            let whole = store.regex(pattern).unwrap();
            assert_eq!(split_after_loop(&mut store, whole), Ok(None), "{pattern}");
        }
    }
}
