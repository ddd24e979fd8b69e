//! Follows paths of the trie that lead out of a slice, and continues the walk at their ends.

use grammask_work::charge_len;
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
        let child = |byte| Some((byte, lexicon.trie_index().child(base, byte)?.node));
        Self(bytes.iter().filter_map(child).collect())
    }

    /// Removes the children and their subtrees from a row of tokens and from a row of inner nodes.
    pub(crate) fn remove_subtree(
        &self,
        lexicon: &Lexicon,
        row: &mut [u32],
        inner_nodes: &mut Option<BitRow>,
    ) {
        self.0.iter().for_each(|&(_, child)| remove_subtree(lexicon, child, row, inner_nodes));
    }

    /// Returns `true` if a node is one of the children, or below one.
    fn contains(&self, lexicon: &Lexicon, inner: InnerId) -> bool {
        let (trie, node) = (lexicon.trie(), lexicon.trie_index().node(inner));
        self.0.iter().any(|&(_, child)| child <= node && node < trie.end(child))
    }

    /// Walks the children and their subtrees.
    pub(crate) fn enter(&self, walk: &mut Walk<'_>, output: &mut WalkOutput<'_>) -> Result<(), Error> {
        for &(byte, child) in &self.0 {
            let next = walk.lexicon.automaton.step(walk.lexeme, byte)?;
            if !next.is_dead() {
                walk.enter(child, next, output)?;
            }
        }
        Ok(())
    }
}

/// Removes the tokens and inner nodes of a subtree from a row of tokens and, if given, a row of inner nodes.
pub(crate) fn remove_subtree(
    lexicon: &Lexicon,
    node: TrieNodeId,
    row: &mut [u32],
    inner_nodes: &mut Option<BitRow>,
) {
    let trie = lexicon.trie();
    trie.subtree_tokens(node).iter().for_each(|id| row[id.word()] &= !id.bit());
    if let Some(inner_nodes) = inner_nodes {
        let range = lexicon.trie_index().inner_range(node.0..trie.end(node).0);
        let inner_nodes = Arc::make_mut(inner_nodes);
        over_range(range.start, range.end, |word, mask| inner_nodes[word] &= !mask);
    }
}

/// Follows paths through characters of a slice, and continues the walk at their ends.
pub(crate) fn follow_paths(
    walk: &mut Walk<'_>,
    steps: &[PathStep],
    is_too_far: impl Fn(InnerId) -> bool,
    output: &mut WalkOutput<'_>,
) -> Result<(), Error> {
    visit_path_ends(walk, steps, is_too_far, |walk, node, next| {
        if next.is_dead() { Ok(()) } else { walk.enter(node, next, output) }
    })
}

/// Continues the walk after a byte that leaves a slice, for a lexeme that is in one state after all
/// characters of the slice. The edges by the byte are sufficient, so no path is followed.
pub(crate) fn follow_exit_edges(
    walk: &mut Walk<'_>,
    slice: &Slice,
    state: LexemeId,
    excluded: &ExcludedFirsts,
    byte: u8,
    output: &mut WalkOutput<'_>,
) -> Result<(), Error> {
    let lexicon = walk.lexicon;
    let [from_base, from_inside] = [walk.lexeme, state].map(|from| lexicon.automaton.step(from, byte));
    let (from_base, from_inside) = (from_base?, from_inside?);
    if from_inside.is_dead() {
        return match lexicon.trie_index().child(slice.base(), byte) {
            Some(child) if !from_base.is_dead() => walk.enter(child.node, from_base, output),
            _ => Ok(()),
        };
    }
    for edge in lexicon.edges_of(slice, byte) {
        charge_len(1)?;
        let next = if edge.parent == slice.base() { from_base } else { from_inside };
        if !next.is_dead() && !excluded.contains(lexicon, edge.parent) {
            walk.enter(edge.child, next, output)?;
        }
    }
    Ok(())
}

/// Follows paths through characters of a slice, and calls `visit` with the node and the state at each end.
pub(crate) fn visit_path_ends<'a>(
    walk: &mut Walk<'a>,
    steps: &[PathStep],
    is_too_far: impl Fn(InnerId) -> bool,
    mut visit: impl FnMut(&mut Walk<'a>, TrieNodeId, LexemeId) -> Result<(), Error>,
) -> Result<(), Error> {
    let lexicon = walk.lexicon;
    let trie_index = lexicon.trie_index();
    // States by depth. Steps below the depth `too_deep` are skipped: the path there is too long, or dead.
    let mut states = vec![walk.lexeme; trie_index.height() + 1];
    let mut too_deep = usize::MAX;
    for step in steps {
        let depth = usize::from(step.depth);
        if depth > too_deep {
            continue;
        }
        too_deep = usize::MAX;
        let next = lexicon.automaton.step(states[depth - 1], step.byte)?;
        // The lexeme need not begin with every character of the class.
        if !step.leaves && !next.goes_on() {
            too_deep = depth;
            continue;
        }
        if step.leaves {
            visit(walk, step.node, next)?;
            continue;
        }
        states[depth] = next;
        if trie_index.inner(step.node).is_some_and(&is_too_far) {
            too_deep = depth;
        }
    }
    walk.cost.nodes += steps.len() as u64;
    charge_len(steps.len())?;
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
    visit_path_ends(
        walk,
        &steps,
        |_| false,
        |walk, node, next| {
            if !next.goes_on() {
                return Ok(());
            }
            let (automaton, trie_index) = (&walk.lexicon.automaton, walk.lexicon.trie_index());
            let live = automaton.live_bytes(next)?;
            // Near the end of a text, few bytes are live, and most paths end in one state.
            let Some(inner) = trie_index.inner(node).filter(|_| live.len() <= MAX_BYTES_LOOKED_UP) else {
                return walk.subtree(node, next, output);
            };
            for byte in live.iter() {
                if let Some(child) = trie_index.child(inner, byte) {
                    walk.enter(child.node, automaton.step(next, byte)?, output)?;
                }
            }
            Ok(())
        },
    )
}
