//! Masks into rows of the caller: token `t` is bit `t % 32` of word `t / 32`.
#![expect(unsafe_code, reason = "names are exported, and pointers are the caller's")]

use grammask::{Draft, TokenId};

use crate::Matcher;
use crate::error::{Failure, GRAMMASK_ERROR, fail, guarded};
use crate::matcher::check;
use crate::memory::{items, items_mut, object_mut};

/// Writes the mask of the tokens that may come next into a row of `words` words, at least
/// `grammask_vocabulary_words`; further words are 0. Returns 0, or -1 and a row of zeros at a limit.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses, `row` has `words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_fill(matcher: *mut Matcher, row: *mut u32, words: usize) -> i32 {
    guarded(GRAMMASK_ERROR, || {
        // SAFETY: The caller's promise.
        let (matcher, row) = unsafe { (object_mut("matcher", matcher)?, items_mut("row", row, words)?) };
        matcher.inner.fill_mask(row).or_else(fail)?;
        check(&matcher.inner)?;
        Ok(0)
    })
}

/// Writes the masks of `count` matchers into rows of `words` words each, with at most `threads` threads. The
/// row of a matcher at a limit is 0. Returns the number of such matchers, or -1 if nothing was written.
///
/// # Safety
/// `matchers` has `count` different objects of this library that no other thread uses, `rows` has
/// `count * words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_fill_batch(
    matchers: *const *mut Matcher,
    count: usize,
    rows: *mut u32,
    words: usize,
    threads: usize,
) -> i64 {
    guarded(-1, || {
        let Some(total) = count.checked_mul(words) else { return fail("rows: too many words") };
        // SAFETY: The caller's promise.
        let (pointers, rows) =
            unsafe { (items("matchers", matchers, count)?, items_mut("rows", rows, total)?) };
        let mut sorted: Vec<_> = pointers.to_vec();
        sorted.sort_unstable();
        if sorted.windows(2).any(|pair| pair[0] == pair[1])
            || sorted.first().is_some_and(|first| first.is_null())
        {
            return fail("matchers: one of them is NULL or occurs twice");
        }
        let mut batch = Vec::with_capacity(count);
        for &pointer in pointers {
            // SAFETY: The caller's promise; each occurs once.
            batch.push(unsafe { object_mut("matchers", pointer)? }.inner.clone());
        }
        let limited = grammask::fill_masks(&mut batch, rows, threads).or_else(fail)?;
        i64::try_from(limited).or_else(|_| fail("count: more than 2^63 matchers"))
    })
}

/// Writes the masks along a tree of `count` draft tokens, without accepting any of them. `draft[n]` is the
/// token of node `n`; node 0 is the last token that was accepted, and its own value is not read.
/// `next_token[n]` is the first child of node `n`, `next_sibling[n]` its next sibling, -1 where there is
/// none. Row `n` gets the mask after node `n`; it is 0 where a token on the way is not allowed. Returns the
/// number of nodes that can be accepted, node 0 included, or -1.
///
/// # Safety
/// `matcher` is an object of this library that no other thread uses; the arrays have `count` items, and
/// `rows` has `count * words` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn grammask_matcher_fill_tree(
    matcher: *mut Matcher,
    next_token: *const i64,
    next_sibling: *const i64,
    draft: *const u32,
    count: usize,
    rows: *mut u32,
    words: usize,
) -> i64 {
    guarded(-1, || {
        let Some(total) = count.checked_mul(words) else { return fail("rows: too many words") };
        // SAFETY: The caller's promise.
        let (matcher, next_token, next_sibling, draft, rows) = unsafe {
            (
                object_mut("matcher", matcher)?,
                items("next_token", next_token, count)?,
                items("next_sibling", next_sibling, count)?,
                items("draft", draft, count)?,
                items_mut("rows", rows, total)?,
            )
        };
        let (tree, nodes) = tree(next_token, next_sibling, draft)?;
        let mut scratch = vec![0; nodes.len() * words];
        let masks = matcher.inner.fill_masks_for_draft(&tree, &mut scratch).or_else(fail)?;
        check(&matcher.inner)?;
        rows.fill(0);
        let mut accepted = 1;
        for (place, &node) in nodes.iter().enumerate() {
            rows[node * words..][..words].copy_from_slice(&scratch[place * words..][..words]);
            accepted += i64::from(place > 0 && masks.is_accepted(place - 1));
        }
        Ok(accepted)
    })
}

/// Returns the tree in an order in which parents come first, and the caller's numbers of its nodes.
fn tree(next_token: &[i64], next_sibling: &[i64], draft: &[u32]) -> Result<(Draft, Vec<usize>), Failure> {
    if draft.is_empty() {
        return fail("count: a tree has at least one node");
    }
    let mut nodes = vec![0];
    let mut entries = Vec::new();
    let mut is_seen = vec![false; draft.len()];
    is_seen[0] = true;
    let mut place = 0;
    while place < nodes.len() {
        let mut child = next_token[nodes[place]];
        while child != -1 {
            let node = usize::try_from(child).ok().filter(|&node| node < draft.len());
            let Some(node) = node else {
                return fail(format_args!("draft: {child} is not a node of a tree of {} nodes", draft.len()));
            };
            if std::mem::replace(&mut is_seen[node], true) {
                return fail(format_args!("draft: node {node} is reached twice: not a tree"));
            }
            entries.push((TokenId(draft[node]), place.checked_sub(1)));
            nodes.push(node);
            child = next_sibling[node];
        }
        place += 1;
    }
    Ok((Draft::new(entries).or_else(fail)?, nodes))
}
