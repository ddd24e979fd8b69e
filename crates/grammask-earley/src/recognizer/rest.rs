//! The rest of a node that is not in the network, for shortest completions.

use grammask_regular::analysis;

use crate::completion::RestOfItems;
use crate::recognizer::dynamic_nodes::NodeKind;
use crate::{CalleeId, Error, Inspector, NetworkNodeId};

/// The part of a callee that is still to come.
pub(crate) enum RestOfCallee {
    /// A counter, and the number of elements that are complete.
    Counter(u32),
    /// A permutation.
    Unordered(RestOfItems),
}

impl Inspector<'_> {
    /// Returns what completes a counter or a permutation in progress. Returns `None` for other nodes, and for
    /// permutations with `distinct!`.
    pub(crate) fn progress(self, node: NetworkNodeId) -> Option<(CalleeId, RestOfCallee)> {
        let recognizer = self.recognizer;
        if node.index() < recognizer.network().nodes.len() {
            return None;
        }
        match &recognizer.dynamic_nodes().get(node).kind {
            &NodeKind::Counter(callee, count) => Some((callee, RestOfCallee::Counter(count))),
            NodeKind::Permutation(state) => {
                let rest = recognizer.lock().with(|stages, cx| stages.nodes.permutations.rest(cx, state))?;
                Some((state.callee, RestOfCallee::Unordered(rest)))
            }
            NodeKind::Lexeme(_) | NodeKind::Distinct(_) | NodeKind::AfterAnyText(..) => None,
        }
    }

    /// Returns a shortest text, of at least one byte, that completes a lexeme state. Returns `None` for other
    /// nodes, and beyond the limits of [`analysis::shortest_text`].
    ///
    /// # Errors
    /// If a limit is exceeded.
    ///
    /// # Panics
    /// If the node does not belong to this recognizer.
    pub(crate) fn shortest_lexeme_text(
        self,
        node: NetworkNodeId,
        max_bytes: u64,
        max_states: usize,
    ) -> Result<Option<Vec<u8>>, Error> {
        let Some(language) = self.language(node) else { return Ok(None) };
        Ok(self.recognizer.lock().with(|stages, _| {
            analysis::shortest_text(stages.nodes.store_mut(), language, max_bytes, max_states)
        })?)
    }
}
