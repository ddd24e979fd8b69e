//! Draft trees of speculative decoding: the masks along all branches, and the accepted part of each.

use grammask_trie::TokenId;

use super::batch::{check_length, row_length};
use super::position::Position;
use crate::{LimitError, Matcher, Outcome, RowsError};

/// A tree of tokens that may come next. Each node is a token that follows the current text or another node.
///
/// Nodes are numbered from 0 in the order in which they are given. Give a common prefix of several branches
/// once, since each node costs one step.
///
/// ```
/// use grammask::{Draft, TokenId};
///
/// // 5, then 6 or 7; or 8.
/// let draft = Draft::new([(TokenId(5), None), (TokenId(6), Some(0)), (TokenId(7), Some(0)), (TokenId(8), None)])?;
/// assert_eq!((draft.len(), draft.parent(2)), (4, Some(0)));
/// assert!(Draft::new([(TokenId(5), Some(0))]).is_err());
/// # Ok::<(), grammask::DraftError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// Invariant: a parent is smaller than its child.
    nodes: Vec<(TokenId, Option<usize>)>,
}

/// A node comes before its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node} cannot follow node {parent}, which does not come before it")]
pub struct DraftError {
    /// Index of the first node whose parent does not come before it.
    pub node: usize,
    /// Index of that parent.
    pub parent: usize,
}

/// Results for the nodes of a [`Draft`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftMasks {
    /// For each node: its outcome, and the number of accepted tokens on the path to it, itself included.
    results: Vec<(Outcome, usize)>,
    /// Rows that hold zeros because a limit is exceeded, in ascending order.
    limits: Vec<(usize, LimitError)>,
}

impl Draft {
    /// Makes a draft of pairs (token, parent). A token without a parent follows the current text.
    ///
    /// # Errors
    /// If a parent does not come before its child.
    pub fn new(nodes: impl IntoIterator<Item = (TokenId, Option<usize>)>) -> Result<Self, DraftError> {
        let nodes: Vec<_> = nodes.into_iter().collect();
        for (node, &(_, parent)) in nodes.iter().enumerate() {
            if let Some(parent) = parent.filter(|&parent| parent >= node) {
                return Err(DraftError { node, parent });
            }
        }
        Ok(Self { nodes })
    }

    /// Makes a draft of one branch.
    pub fn chain(tokens: impl IntoIterator<Item = TokenId>) -> Self {
        let parents = std::iter::once(None).chain((0..).map(Some));
        Self { nodes: tokens.into_iter().zip(parents).collect() }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Returns true if there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the token of a node. Returns `None` if there is no such node.
    pub fn token(&self, node: usize) -> Option<TokenId> {
        self.nodes.get(node).map(|&(token, _)| token)
    }

    /// Returns the parent of a node. Returns `None` if it follows the current text, or if there is no such
    /// node.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.nodes.get(node).and_then(|&(_, parent)| parent)
    }
}

impl DraftMasks {
    /// Returns the outcome of accepting a node after the nodes on the path to it. It is [`Outcome::Rejected`]
    /// after a node that is not accepted. Returns `None` if there is no such node.
    pub fn outcome(&self, node: usize) -> Option<Outcome> {
        self.results.get(node).map(|&(outcome, _)| outcome)
    }

    /// Returns true if a node and all nodes on the path to it are accepted.
    pub fn is_accepted(&self, node: usize) -> bool {
        self.outcome(node).is_some_and(Outcome::is_accepted)
    }

    /// Returns the number of accepted tokens on the path to a node, itself included. Returns 0 if there is no
    /// such node.
    pub fn accepted_len(&self, node: usize) -> usize {
        self.results.get(node).map_or(0, |&(_, length)| length)
    }

    /// Returns the exceeded limits with the indices of their rows. These rows hold zeros.
    pub fn limits(&self) -> impl ExactSizeIterator<Item = (usize, &LimitError)> {
        self.limits.iter().map(|(row, error)| (*row, error))
    }
}

impl Matcher {
    /// Writes the masks along a draft, and returns the outcome of each node. Accepts none of them.
    ///
    /// `rows` is cut into `draft.len() + 1` rows of equal length. Row 0 is the mask of the current state, and
    /// row n + 1 the mask after node n. A row holds zeros after a token that is not allowed or finishes the
    /// output. So it does if a limit is exceeded; [`error`](Self::error) has the first of the limits.
    ///
    /// # Errors
    /// If `rows` cannot be cut into rows of equal length, or they are too short. Nothing is written.
    ///
    /// # Complexity
    /// One step for each node, and one mask for each accepted node. The grammar's tables are not replaced
    /// within the call, so a large draft may exceed their memory budget.
    ///
    /// ```
    /// use grammask::{Config, Draft, Grammar, TokenId, Vocabulary};
    ///
    /// let words = ["a", "b", "c"];
    /// let tokens = (0..3).map(|id| (TokenId(id), words[id as usize].as_bytes().to_vec()));
    /// let vocabulary = Vocabulary::new(tokens, [])?;
    /// let grammar = Grammar::compile("start ::= 'a' 'b' 'c' | 'a' 'c';", &vocabulary, &Config::default())?;
    ///
    /// let draft = Draft::chain([TokenId(0), TokenId(1), TokenId(1)]);
    /// let mut rows = [0; 4];
    /// let masks = grammar.matcher().fill_masks_for_draft(&draft, &mut rows)?;
    /// assert_eq!(rows, [0b001, 0b110, 0b100, 0]);
    /// assert_eq!(masks.accepted_len(2), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn fill_masks_for_draft(&mut self, draft: &Draft, rows: &mut [u32]) -> Result<DraftMasks, RowsError> {
        let stride = row_length(rows.len(), draft.len() + 1)?;
        check_length(0, self.tables.vocabulary().mask_words(), stride)?;
        let _open = self.prepare();
        let mut walk = Walk { matcher: self, limits: Vec::new() };
        let (first, mut rest) = rows.split_at_mut(stride);
        let start = PathEnd { position: walk.matcher.position, text_len: walk.matcher.text_len(), depth: 0 };
        let _ = walk.mask(0, start, first);
        // For each node: the end of the path to it, `None` if it is not accepted; and its number of accepted
        // tokens.
        let mut paths: Vec<(Option<PathEnd>, usize)> = Vec::with_capacity(draft.len());
        let mut results = Vec::with_capacity(draft.len());
        for (node, &(token, parent)) in draft.nodes.iter().enumerate() {
            let row = rest.split_off_mut(..stride).unwrap_or_default();
            let (before, accepted) = parent.map_or((Some(start), 0), |parent| paths[parent]);
            let (outcome, end) = match before {
                Some(before) => walk.step(node + 1, before, token, row),
                None => (Outcome::Rejected, None),
            };
            if end.is_none() {
                row.fill(0);
            }
            let accepted = end.map_or(accepted, |end| end.depth);
            paths.push((end, accepted));
            results.push((outcome, accepted));
        }
        let limits = walk.limits;
        self.error = limits.first().map(|(_, error)| error.clone());
        Ok(DraftMasks { results, limits })
    }
}

/// The end of a path of accepted nodes.
#[derive(Clone, Copy)]
struct PathEnd {
    position: Position,
    /// Length of the output, in bytes.
    text_len: usize,
    /// Number of nodes on the path.
    depth: usize,
}

/// A walk over the nodes of a draft.
struct Walk<'a> {
    matcher: &'a mut Matcher,
    /// Exceeded limits with the indices of their rows.
    limits: Vec<(usize, LimitError)>,
}

impl Walk<'_> {
    /// Steps over a token, and writes the mask after it if it is allowed.
    fn step(
        &mut self,
        row: usize,
        before: PathEnd,
        token: TokenId,
        words: &mut [u32],
    ) -> (Outcome, Option<PathEnd>) {
        let tables = &self.matcher.tables;
        match before.position.after(tables, token) {
            Ok(Some(position)) => {
                let ends = before.position.is_ended_by(tables, token);
                let bytes = tables.vocabulary().bytes(token).filter(|_| !ends).map_or(0, <[u8]>::len);
                let end = PathEnd { position, text_len: before.text_len + bytes, depth: before.depth + 1 };
                (self.mask(row, end, words), Some(end))
            }
            Ok(None) => (Outcome::Rejected, None),
            Err(cause) => {
                self.limits.push((row, LimitError { offset: before.text_len, cause }));
                (Outcome::LimitExceeded, None)
            }
        }
    }

    /// Writes the mask at the end of a path. Returns the outcome of the path's last node.
    fn mask(&mut self, row: usize, end: PathEnd, words: &mut [u32]) -> Outcome {
        let Matcher { tables, scratch, recorder, .. } = &mut *self.matcher;
        let filled = end.position.fill(tables, scratch, recorder, words);
        if end.position.finished {
            return Outcome::Finished;
        }
        match filled {
            Ok(()) if words.iter().any(|&word| word != 0) || tables.is_never_stuck() => Outcome::Ongoing,
            Ok(()) => Outcome::Stuck,
            Err(cause) => {
                self.limits.push((row, LimitError { offset: end.text_len, cause }));
                Outcome::Ongoing
            }
        }
    }
}
