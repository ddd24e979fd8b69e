//! Draft trees of speculative decoding: the masks along all branches, and how far each branch lives.

use grammask_trie::TokenId;

use crate::batch::{check_length, row_length};
use crate::position::Position;
use crate::{LimitError, Matcher, Outcome, RowsError};

/// Tokens that may come next, as a tree: each node is a token and follows the current text or another node.
///
/// Nodes are numbered from 0 in the order in which they are given. A token that several branches begin with is best given once: each
/// node is stepped once.
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

/// The nodes make no tree in which parents come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("node {node} cannot follow node {parent}, which does not come before it")]
pub struct DraftError {
    /// The first node whose parent does not come before it.
    pub node: usize,
    /// That parent.
    pub parent: usize,
}

/// What became of the nodes of a [`Draft`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftMasks {
    /// By node: what accepting it gives, and how many tokens are accepted on the way to it, itself included.
    fates: Vec<(Outcome, usize)>,
    /// Rows that hold zeros because a limit was hit, ascending.
    limits: Vec<(usize, LimitError)>,
}

impl Draft {
    /// A draft of (token, the node that it follows); a token without such a node follows the current text.
    ///
    /// # Errors
    /// When a node follows one that does not come before it.
    pub fn new(nodes: impl IntoIterator<Item = (TokenId, Option<usize>)>) -> Result<Self, DraftError> {
        let nodes: Vec<_> = nodes.into_iter().collect();
        for (node, &(_, parent)) in nodes.iter().enumerate() {
            if let Some(parent) = parent.filter(|&parent| parent >= node) {
                return Err(DraftError { node, parent });
            }
        }
        Ok(Self { nodes })
    }

    /// A draft of one branch.
    pub fn chain(tokens: impl IntoIterator<Item = TokenId>) -> Self {
        let parents = std::iter::once(None).chain((0..).map(Some));
        Self { nodes: tokens.into_iter().zip(parents).collect() }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The token of a node; none where there is no such node.
    pub fn token(&self, node: usize) -> Option<TokenId> {
        self.nodes.get(node).map(|&(token, _)| token)
    }

    /// The node that a node follows; none where it follows the current text, or where there is no such node.
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.nodes.get(node).and_then(|&(_, parent)| parent)
    }
}

impl DraftMasks {
    /// What [`Matcher::accept`] gives for a node, once the nodes on the way to it are accepted; [`Outcome::Rejected`] behind a node
    /// that is not accepted. None where there is no such node.
    pub fn outcome(&self, node: usize) -> Option<Outcome> {
        self.fates.get(node).map(|&(outcome, _)| outcome)
    }

    /// Whether a node and all on the way to it are accepted.
    pub fn is_accepted(&self, node: usize) -> bool {
        self.outcome(node).is_some_and(Outcome::is_accepted)
    }

    /// How many tokens on the way to a node are accepted, one after the other, itself included; 0 where there is no such node.
    pub fn accepted_len(&self, node: usize) -> usize {
        self.fates.get(node).map_or(0, |&(_, length)| length)
    }

    /// The limits that were hit, by row; these rows hold zeros.
    pub fn limits(&self) -> impl ExactSizeIterator<Item = (usize, &LimitError)> {
        self.limits.iter().map(|(row, error)| (*row, error))
    }
}

impl Matcher {
    /// The masks along a draft, without accepting any of it: row 0 is the mask of the current state, row n + 1 that after node n. Gives which
    /// nodes are accepted, and how far each branch lives.
    ///
    /// `rows` is cut into `draft.len() + 1` rows of one length. A row holds zeros where nothing may follow: behind a token that is
    /// not allowed or that finishes the output, and where a limit is hit; [`error`](Self::error) tells the first limit then.
    ///
    /// # Errors
    /// When `rows` does not make rows of one length, or they are too short: nothing is written.
    ///
    /// # Complexity
    /// For each node one step, and one mask if it is accepted. The grammar's tables are not exchanged in between, so
    /// a large draft may exceed their budget until the next call.
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
        self.prepare();
        let mut walk = Walk { matcher: self, limits: Vec::new() };
        let (first, mut rest) = rows.split_at_mut(stride);
        let start = Place { position: walk.matcher.position, text: walk.matcher.text_len(), depth: 0 };
        let _ = walk.mask(0, start, first);
        // Where the way to a node leads; none where it is not allowed. Then how far it goes.
        let mut places: Vec<(Option<Place>, usize)> = Vec::with_capacity(draft.len());
        let mut fates = Vec::with_capacity(draft.len());
        for (node, &(token, parent)) in draft.nodes.iter().enumerate() {
            let row = rest.split_off_mut(..stride).unwrap_or_default();
            let (before, accepted) = parent.map_or((Some(start), 0), |parent| places[parent]);
            let (outcome, place) = match before {
                Some(before) => walk.step(node + 1, before, token, row),
                None => (Outcome::Rejected, None),
            };
            if place.is_none() {
                row.fill(0);
            }
            let accepted = place.map_or(accepted, |place| place.depth);
            places.push((place, accepted));
            fates.push((outcome, accepted));
        }
        let limits = walk.limits;
        self.error = limits.first().map(|(_, error)| error.clone());
        Ok(DraftMasks { fates, limits })
    }
}

/// Where a branch has led.
#[derive(Clone, Copy)]
struct Place {
    position: Position,
    /// Bytes of output so far.
    text: usize,
    /// Accepted tokens of the draft.
    depth: usize,
}

struct Walk<'a> {
    matcher: &'a mut Matcher,
    limits: Vec<(usize, LimitError)>,
}

impl Walk<'_> {
    /// Accepts a token, and writes the mask after it where it is allowed.
    fn step(
        &mut self,
        row: usize,
        before: Place,
        token: TokenId,
        words: &mut [u32],
    ) -> (Outcome, Option<Place>) {
        let tables = &self.matcher.tables;
        match before.position.after(tables, token) {
            Ok(Some(position)) => {
                let ends = before.position.is_ended_by(tables, token);
                let bytes = tables.vocabulary().bytes(token).filter(|_| !ends).map_or(0, <[u8]>::len);
                let place = Place { position, text: before.text + bytes, depth: before.depth + 1 };
                (self.mask(row, place, words), Some(place))
            }
            Ok(None) => (Outcome::Rejected, None),
            Err(cause) => {
                self.limits.push((row, LimitError { offset: before.text, cause }));
                (Outcome::LimitExceeded, None)
            }
        }
    }

    /// Writes the mask of a place, and says what it means to be there.
    fn mask(&mut self, row: usize, place: Place, words: &mut [u32]) -> Outcome {
        let Matcher { tables, scratch, tally, .. } = &mut *self.matcher;
        let filled = place.position.fill(tables, scratch, tally, words);
        if place.position.finished {
            return Outcome::Finished;
        }
        match filled {
            Ok(()) if words.iter().any(|&word| word != 0) || tables.is_never_stuck() => Outcome::Ongoing,
            Ok(()) => Outcome::Stuck,
            Err(cause) => {
                self.limits.push((row, LimitError { offset: place.text, cause }));
                Outcome::Ongoing
            }
        }
    }
}
