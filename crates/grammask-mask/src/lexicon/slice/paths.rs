//! Follows paths of the trie that lead out of a slice, and continues the walk at their ends.

use std::sync::Arc;

use grammask_regular::{ByteSet, Error};
use grammask_trie::TrieNodeId;
use grammask_trie::index::InnerId;

use crate::lexicon::Lexicon;
use crate::lexicon::automaton::LexemeId;
use crate::lexicon::slice::{PathStep, Slice};
use crate::lexicon::walk::Walk;
use crate::lexicon::walk::output::WalkOutput;
use crate::node_set::{BitRow, over_range};

/// Number of live bytes up to which children are looked up one by one.
const MAX_BYTES_LOOKED_UP: usize = 4;

/// The children of a base by some first bytes. Their subtrees are excluded from a slice and walked
/// separately.
pub(crate) struct ExcludedFirsts(Vec<(u8, TrieNodeId)>);

impl ExcludedFirsts {
    pub(crate) fn of(lexicon: &Lexicon, base: InnerId, bytes: &ByteSet) -> Self {
        let child = |byte| Some((byte, lexicon.outline().child(base, byte)?.node));
        Self(bytes.iter().filter_map(child).collect())
    }

    /// Removes the children and their subtrees from a row of tokens and from a row of inner nodes.
    pub(crate) fn forget(&self, lexicon: &Lexicon, row: &mut [u32], branches: &mut Option<BitRow>) {
        self.0.iter().for_each(|&(_, child)| forget(lexicon, child, row, branches));
    }

    /// Returns `true` if a node is one of the children, or below one.
    fn contains(&self, lexicon: &Lexicon, place: InnerId) -> bool {
        let (trie, node) = (lexicon.trie(), lexicon.outline().node(place));
        self.0.iter().any(|&(_, child)| child <= node && node < trie.end(child))
    }

    /// Walks the children and their subtrees.
    pub(crate) fn arrive(&self, walk: &mut Walk<'_>, output: &mut WalkOutput<'_>) -> Result<(), Error> {
        for &(byte, child) in &self.0 {
            let next = walk.lexicon.automaton.step(walk.lexeme, byte, &walk.lexicon.budget)?;
            if !next.is_dead() {
                walk.arrive(child, next, output)?;
            }
        }
        Ok(())
    }
}

/// Removes the tokens and inner nodes of a subtree from a row of tokens and, if given, a row of inner nodes.
pub(crate) fn forget(lexicon: &Lexicon, node: TrieNodeId, row: &mut [u32], branches: &mut Option<BitRow>) {
    let trie = lexicon.trie();
    trie.subtree_tokens(node).iter().for_each(|id| row[id.word()] &= !id.bit());
    if let Some(branches) = branches {
        let inner = lexicon.outline().inner_range(node.0..trie.end(node).0);
        let branches = Arc::make_mut(branches);
        over_range(inner.start, inner.end, |word, mask| branches[word] &= !mask);
    }
}

/// Follows paths through characters of a slice, and continues the walk at their ends.
pub(crate) fn follow_paths(
    walk: &mut Walk<'_>,
    steps: &[PathStep],
    is_too_far: impl Fn(InnerId) -> bool,
    output: &mut WalkOutput<'_>,
) -> Result<(), Error> {
    follow_paths_with(walk, steps, is_too_far, |walk, node, next| match next.is_dead() {
        true => Ok(()),
        false => walk.arrive(node, next, output),
    })
}

/// Continues the walk after a byte that leaves a slice, for a lexeme that is in one state after all
/// characters of the slice. The edges by the byte are sufficient, so no path is followed.
pub(crate) fn leave(
    walk: &mut Walk<'_>,
    slice: &Slice,
    (state, excluded): (LexemeId, &ExcludedFirsts),
    byte: u8,
    output: &mut WalkOutput<'_>,
) -> Result<(), Error> {
    let lexicon = walk.lexicon;
    let [at_once, behind] =
        [walk.lexeme, state].map(|from| lexicon.automaton.step(from, byte, &lexicon.budget));
    let (at_once, behind) = (at_once?, behind?);
    if behind.is_dead() {
        return match lexicon.outline().child(slice.base(), byte) {
            Some(child) if !at_once.is_dead() => walk.arrive(child.node, at_once, output),
            _ => Ok(()),
        };
    }
    for edge in lexicon.edges_of(slice, byte) {
        let next = if edge.parent == slice.base() { at_once } else { behind };
        if !next.is_dead() && !excluded.contains(lexicon, edge.parent) {
            walk.arrive(edge.child, next, output)?;
        }
    }
    Ok(())
}

/// Follows paths through characters of a slice, and calls `tell` with the node and the state at each end.
pub(crate) fn follow_paths_with<'a>(
    walk: &mut Walk<'a>,
    steps: &[PathStep],
    is_too_far: impl Fn(InnerId) -> bool,
    mut tell: impl FnMut(&mut Walk<'a>, TrieNodeId, LexemeId) -> Result<(), Error>,
) -> Result<(), Error> {
    let lexicon = walk.lexicon;
    let outline = lexicon.outline();
    // States by depth. Steps below the depth `too_deep` are skipped: the path there is too long, or dead.
    let mut states = vec![walk.lexeme; outline.height() + 1];
    let mut too_deep = usize::MAX;
    for step in steps {
        let depth = usize::from(step.depth);
        if depth > too_deep {
            continue;
        }
        too_deep = usize::MAX;
        let next = lexicon.automaton.step(states[depth - 1], step.byte, &lexicon.budget)?;
        // The lexeme need not begin with every character of the class.
        if !step.leaves && !next.goes_on() {
            too_deep = depth;
            continue;
        }
        if step.leaves {
            tell(walk, step.node, next)?;
            continue;
        }
        states[depth] = next;
        if outline.inner(step.node).is_some_and(&is_too_far) {
            too_deep = depth;
        }
    }
    walk.cost.nodes += steps.len() as u64;
    Ok(())
}

/// Continues the walk below all trie nodes after exactly `reach` characters of a slice.
pub(crate) fn continue_after(
    walk: &mut Walk<'_>,
    slice: &Slice,
    reach: usize,
    output: &mut WalkOutput<'_>,
) -> Result<(), Error> {
    let steps = walk.lexicon.paths_after(slice, reach);
    follow_paths_with(
        walk,
        &steps,
        |_| false,
        |walk, node, next| {
            if !next.goes_on() {
                return Ok(());
            }
            let (automaton, outline, budget) =
                (&walk.lexicon.automaton, walk.lexicon.outline(), &walk.lexicon.budget);
            let live = automaton.live_bytes(next, budget)?;
            // Near the end of a text, few bytes are live, and most paths end in one state.
            let Some(branch) = outline.inner(node).filter(|_| live.len() <= MAX_BYTES_LOOKED_UP) else {
                return walk.subtree(node, next, output);
            };
            for byte in live.iter() {
                if let Some(child) = outline.child(branch, byte) {
                    walk.arrive(child.node, automaton.step(next, byte, budget)?, output)?;
                }
            }
            Ok(())
        },
    )
}
