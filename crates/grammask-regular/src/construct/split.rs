//! Counters and conjunctions on the surface of an expression: what a walk over bounded strings needs to see of it.

use crate::analysis::utf8::is_utf8;
use crate::construct::concat::concat_pair;
use crate::json::string::json_spellings;
use crate::store::node::{JsonPosition, Kind, RegularId, UNBOUNDED};
use crate::{Error, Store};

/// A language that begins with a counted repetition: `base{min,max}` and then `rest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    /// What is repeated. It does not contain the empty string.
    pub base: RegularId,
    /// The least number of times.
    pub min: u32,
    /// The greatest number of times; `None` for any.
    pub max: Option<u32>,
    /// What follows.
    pub rest: RegularId,
}

/// A language as two of which one follows on the other, where the first ends with what may come any number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopSplit {
    /// What comes first.
    pub prefix: RegularId,
    /// What its end repeats, any number of times.
    pub repeated: RegularId,
    /// What follows.
    pub rest: RegularId,
}

/// The language as a counted repetition and what follows, if it is written so; also inside of JSON spellings, where both are
/// spellings then.
///
/// # Errors
/// When a limit is exceeded.
pub fn leading_counter(store: &mut Store, a: RegularId) -> Result<Option<Counter>, Error> {
    let (head, rest) = match store.node(a).kind {
        Kind::Concat(head, rest) => (head, rest),
        _ => (a, RegularId::EPSILON),
    };
    let (counted, text_rest) = match store.node(head).kind {
        Kind::Json { text, at: JsonPosition::Character } => match store.node(text).kind {
            Kind::Concat(counted, text_rest) => (counted, Some(text_rest)),
            _ => (text, Some(RegularId::EPSILON)),
        },
        _ => (head, None),
    };
    let Kind::Repeat { base, min, max } = store.node(counted).kind else { return Ok(None) };
    if store.is_nullable(base) {
        return Ok(None);
    }
    let max = (max != UNBOUNDED).then_some(max);
    let Some(text_rest) = text_rest else { return Ok(Some(Counter { base, min, max, rest })) };
    // Only whole characters can be spelled one by one.
    if !is_utf8(store, base) {
        return Ok(None);
    }
    let (base, text_rest) = (json_spellings(store, base)?, json_spellings(store, text_rest)?);
    Ok(Some(Counter { base, min, max, rest: concat_pair(store, text_rest, rest)? }))
}

/// The language as what ends with a repetition without bounds, and what follows. Nothing where no such repetition is among the first few things that
/// are written one behind the other, or where nothing follows.
///
/// # Errors
/// When a limit is exceeded.
pub fn split_after_loop(store: &mut Store, a: RegularId) -> Result<Option<LoopSplit>, Error> {
    /// So many things may stand before the repetition.
    const BEFORE: usize = 4;

    let mut heads = Vec::new();
    let mut rest = a;
    while let Kind::Concat(head, tail) = store.node(rest).kind
        && heads.len() <= BEFORE
    {
        rest = tail;
        heads.push(head);
        if let Kind::Repeat { base, max: UNBOUNDED, .. } = store.node(head).kind {
            let repeated = store.repeat(base, 0, None)?;
            let head = heads.into_iter().rev().try_fold(RegularId::EPSILON, |behind, head| {
                if behind == RegularId::EPSILON { Ok(head) } else { concat_pair(store, head, behind) }
            })?;
            return Ok(Some(LoopSplit { prefix: head, repeated, rest }));
        }
    }
    Ok(None)
}

/// The parts of an intersection, or of the JSON spellings of one; none for what is written otherwise.
///
/// # Errors
/// When a limit is exceeded.
pub fn conjuncts(store: &mut Store, a: RegularId) -> Result<Vec<RegularId>, Error> {
    match store.node(a).kind {
        Kind::And(list) => Ok(store.list(list).to_vec()),
        Kind::Json { text, at: JsonPosition::Character } => match store.node(text).kind {
            Kind::And(list) => {
                let members = store.list(list).to_vec();
                members.into_iter().map(|member| json_spellings(store, member)).collect()
            }
            _ => Ok(Vec::new()),
        },
        _ => Ok(Vec::new()),
    }
}

/// Whether neither [`count`](Self::count) nor [`conjuncts`](Self::conjuncts) says anything of `a`, but that something may come once.
pub fn is_uncounted(store: &Store, a: RegularId) -> bool {
    let head = match store.node(a).kind {
        Kind::Concat(head, _) => head,
        _ => a,
    };
    let text = match store.node(head).kind {
        Kind::Json { text, at: JsonPosition::Character } => text,
        _ => head,
    };
    let counted = match store.node(text).kind {
        Kind::Concat(counted, _) => counted,
        _ => text,
    };
    !matches!(store.node(text).kind, Kind::And(_))
        && !matches!(store.node(counted).kind, Kind::Repeat { max: 2.., .. })
}

/// Which bytes have the same derivative of `a`, as far as is known without taking them: the number of a partition of the bytes, the same
/// for all languages with the same one, and of how many classes it is.
pub fn byte_partition(store: &Store, a: RegularId) -> (u32, usize) {
    let partition = store.node(a).partition;
    (partition.number(), store.partitions.len(partition))
}

/// The class of every byte in the partition of `a`.
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
    fn a_language_is_what_it_was_split_into() {
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
