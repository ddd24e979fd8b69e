//! `Matcher`: one output under a grammar.

use grammask::{Draft, Outcome, TokenId};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::grammar::Grammar;
use crate::guard::Guarded;
use crate::rows::Rows;
use crate::{arguments, errors};

/// Follows one output: which tokens may come next, and where the output is.
///
/// A matcher belongs to one thread at a time; a call while another one runs raises `RuntimeError`.
#[pyclass(frozen, weakref, module = "grammask")]
pub struct Matcher {
    pub(crate) inner: Guarded<grammask::Matcher>,
    pub(crate) grammar: Py<Grammar>,
}

impl Matcher {
    pub(crate) fn new(inner: grammask::Matcher, grammar: Py<Grammar>) -> Self {
        Self { inner: Guarded::new("matcher", inner), grammar }
    }

    /// Checks that a row is as wide as the vocabulary's rows.
    pub(crate) fn check_width(&self, rows: &Rows) -> PyResult<()> {
        let (needed, given) = (self.grammar.get().row_words(), rows.words());
        if given >= needed {
            return Ok(());
        }
        let size = needed * 32;
        let message = format!("a row has {given} words; the vocabulary needs {needed} (for {size} ids)");
        Err(errors::wrong_value("rows", &message))
    }
}

/// `LimitError` if the matcher's last call met a limit.
pub fn check_limit(matcher: &grammask::Matcher) -> PyResult<()> {
    matcher.error().map_or(Ok(()), |error| Err(errors::limit(&error.to_string())))
}

/// True if the token was accepted.
fn accepted(matcher: &grammask::Matcher, outcome: Outcome) -> PyResult<bool> {
    if outcome == Outcome::LimitExceeded {
        check_limit(matcher)?;
    }
    Ok(outcome.is_accepted())
}

#[pymethods]
impl Matcher {
    /// Accepts a token; returns `False` and changes nothing if it is not allowed.
    fn accept(&self, token: &Bound<'_, PyAny>) -> PyResult<bool> {
        let token = arguments::token("token", token)?;
        self.inner.with(|matcher| {
            let outcome = matcher.accept(token);
            accepted(matcher, outcome)
        })
    }

    /// Accepts bytes as if they were one token; returns `False` and changes nothing if they are not allowed.
    fn accept_bytes(&self, data: &[u8]) -> PyResult<bool> {
        self.inner.with(|matcher| {
            let outcome = matcher.accept_bytes(data);
            accepted(matcher, outcome)
        })
    }

    /// Accepts tokens up to the first that is not allowed; returns how many were accepted.
    fn accept_all(&self, tokens: &Bound<'_, PyAny>) -> PyResult<usize> {
        let tokens = arguments::tokens("tokens", tokens)?;
        self.inner.with(|matcher| {
            for (count, &token) in tokens.iter().enumerate() {
                let outcome = matcher.accept(token);
                if !accepted(matcher, outcome)? {
                    return Ok(count);
                }
            }
            Ok(tokens.len())
        })
    }

    /// How many of these tokens could be accepted, one after the other. Changes nothing.
    fn validate(&self, tokens: &Bound<'_, PyAny>) -> PyResult<usize> {
        let tokens = arguments::tokens("tokens", tokens)?;
        self.inner.with(|matcher| {
            let count = matcher.validate(&tokens);
            check_limit(matcher)?;
            Ok(count)
        })
    }

    /// Takes back the last `count` tokens.
    #[pyo3(signature = (count = 1))]
    fn rollback(&self, count: usize) -> PyResult<()> {
        self.inner.with(|matcher| {
            matcher.rollback(count).map_err(|error| match error {
                grammask::RollbackError::Limit(limit) => errors::limit(&limit.to_string()),
                other => errors::wrong_value("count", &other.to_string()),
            })
        })
    }

    /// Goes back to the beginning of the output.
    fn reset(&self) -> PyResult<()> {
        self.inner.with(|matcher| {
            matcher.reset();
            Ok(())
        })
    }

    /// A matcher in the same place, which goes its own way from here.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let inner = self.inner.with(|matcher| Ok(matcher.clone()))?;
        Ok(Self::new(inner, self.grammar.clone_ref(py)))
    }

    /// Writes the mask into row `index`: token `t` is bit `t % 32` of word `t // 32`. Words beyond the
    /// vocabulary are 0.
    #[pyo3(signature = (rows, index = 0))]
    fn fill(&self, py: Python<'_>, rows: &Bound<'_, PyAny>, index: usize) -> PyResult<()> {
        let mut rows = Rows::of(rows)?;
        self.check_width(&rows)?;
        let row = rows.slice_mut(index, 1)?;
        self.inner.with(|matcher| {
            // Releasing the GIL takes as long as writing a known mask.
            let result = if matcher.has_cached_mask() {
                matcher.fill_mask(row)
            } else {
                py.detach(|| matcher.fill_mask(row))
            };
            result.map_err(|error| errors::wrong_value("rows", &error.to_string()))?;
            check_limit(matcher)
        })
    }

    /// Writes the mask of the tokens after which the output can still end within `tokens` tokens, the next
    /// one and an end token included. Returns `False`, and writes zeros, if there is none.
    #[pyo3(signature = (rows, tokens, index = 0))]
    fn fill_within(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        tokens: u64,
        index: usize,
    ) -> PyResult<bool> {
        let mut rows = Rows::of(rows)?;
        self.check_width(&rows)?;
        let row = rows.slice_mut(index, 1)?;
        self.inner.with(|matcher| {
            let filled = py.detach(|| matcher.fill_mask_within(tokens, row));
            check_limit(matcher)?;
            filled.map_err(|error| errors::wrong_value("rows", &error.to_string()))
        })
    }

    /// The number of tokens with which the output can end, an end token included: the least one unless the
    /// search meets its limits. `None` if no completion is known.
    fn min_tokens_to_end(&self, py: Python<'_>) -> PyResult<Option<u64>> {
        Ok(self.tokens_to_end(py)?.1)
    }

    /// Bounds on the number of tokens to the end, which are equal unless the search meets its limits: at
    /// least, at most. The second is `None` if no completion is known.
    fn tokens_to_end(&self, py: Python<'_>) -> PyResult<(u64, Option<u64>)> {
        self.inner.with(|matcher| {
            let bounds = py.detach(|| matcher.tokens_to_end());
            check_limit(matcher)?;
            Ok((bounds.at_least, bounds.at_most))
        })
    }

    /// The ids of the tokens that end the output.
    #[getter]
    fn ends(&self) -> PyResult<Vec<u32>> {
        let ending = self.inner.with(|matcher| Ok(matcher.grammar().ending()))?;
        Ok(ending.tokens().iter().map(|end| end.0).collect())
    }

    /// Writes a row that allows the end tokens and nothing else.
    #[pyo3(signature = (rows, index = 0))]
    fn fill_ends(&self, rows: &Bound<'_, PyAny>, index: usize) -> PyResult<()> {
        let mut rows = Rows::of(rows)?;
        self.check_width(&rows)?;
        let row = rows.slice_mut(index, 1)?;
        row.fill(0);
        for end in self.ends()? {
            if let Some(word) = row.get_mut(end as usize / 32) {
                *word |= 1 << (end % 32);
            }
        }
        Ok(())
    }

    /// Writes the masks along a tree of draft tokens without accepting any of them.
    ///
    /// `draft[n]` is the token of node `n`; node 0 is the last token that was accepted, and its own value is
    /// not read. `next_token[n]` is the first child of node `n`, `next_sibling[n]` its next sibling, -1 where
    /// there is none. Row `start + n` gets the mask after node `n`; it is all 0 where a token on the way is
    /// not allowed. With `keep`, such rows stay as they are, and so do those after an end.
    ///
    /// Returns the number of nodes that can be accepted, node 0 included.
    #[pyo3(signature = (rows, next_token, next_sibling, draft, start = 0, *, keep = false))]
    #[expect(clippy::too_many_arguments, reason = "they are those of the Python method")]
    fn fill_tree(
        &self,
        py: Python<'_>,
        rows: &Bound<'_, PyAny>,
        next_token: Vec<i64>,
        next_sibling: Vec<i64>,
        draft: &Bound<'_, PyAny>,
        start: usize,
        keep: bool,
    ) -> PyResult<usize> {
        let tree = tree(&next_token, &next_sibling, &draft.extract::<Vec<i64>>()?)?;
        let mut rows = Rows::of(rows)?;
        self.check_width(&rows)?;
        let words = rows.words();
        let target = rows.slice_mut(start, next_token.len())?;
        self.inner.with(|matcher| {
            let mut scratch = vec![0; target.len()];
            let masks = py
                .detach(|| matcher.fill_masks_for_draft(&tree.draft, &mut scratch))
                .map_err(|error| errors::wrong_value("rows", &error.to_string()))?;
            check_limit(matcher)?;
            if !keep {
                target.fill(0);
            }
            let mut accepted = 1;
            for (place, &node) in tree.nodes.iter().enumerate() {
                // Row 0 of the scratch is the current state; the draft's nodes follow in their order.
                let from = &scratch[place * words..][..words];
                if !keep || from.iter().any(|&word| word != 0) {
                    target[node * words..][..words].copy_from_slice(from);
                }
                accepted += usize::from(place > 0 && masks.is_accepted(place - 1));
            }
            Ok(accepted)
        })
    }

    /// The bytes that every output has next.
    fn forced_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.inner.with(|matcher| {
            let bytes = py.detach(|| matcher.forced_bytes());
            check_limit(matcher)?;
            Ok(bytes)
        })?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The tokens that need no model: those of `forced_bytes`, as far as no continuation can change them.
    /// `tokenize` takes `bytes` and returns token ids.
    fn forced_tokens(&self, tokenize: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        self.inner.with(|matcher| {
            let mut failure = None;
            let found = matcher.forced_tokens(|bytes| {
                let called = tokenize.call1((PyBytes::new(tokenize.py(), bytes),));
                let ids = called.and_then(|ids| arguments::tokens("tokenize", &ids));
                ids.unwrap_or_else(|error| {
                    failure.get_or_insert(error);
                    Vec::new()
                })
            });
            if let Some(error) = failure {
                return Err(error);
            }
            check_limit(matcher)?;
            let tokens = found.map_err(|error| errors::wrong_value("tokenize", &error.to_string()))?;
            Ok(tokens.into_iter().map(|token| token.0).collect())
        })
    }

    /// The ids of all tokens that may come next.
    fn allowed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let ids = self.inner.with(|matcher| {
            let ids: Vec<u32> = py.detach(|| matcher.mask().iter().map(|token| token.0).collect());
            check_limit(matcher)?;
            Ok(ids)
        })?;
        PyList::new(py, ids)
    }

    /// True if the output so far is in the language.
    #[getter]
    fn is_complete(&self) -> PyResult<bool> {
        self.inner.with(|matcher| Ok(matcher.is_complete()))
    }

    /// True if the output has ended: nothing more is accepted.
    #[getter]
    fn is_finished(&self) -> PyResult<bool> {
        self.inner.with(|matcher| Ok(matcher.is_finished()))
    }

    /// True if the output has not ended and no token can follow.
    #[getter]
    fn is_stuck(&self) -> PyResult<bool> {
        self.inner.with(|matcher| Ok(matcher.is_stuck()))
    }

    /// The bytes that were accepted.
    #[getter]
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.inner.with(|matcher| Ok(PyBytes::new(py, matcher.text())))
    }

    /// The limit that the last call met, or `None`.
    #[getter]
    fn error(&self) -> PyResult<Option<String>> {
        self.inner.with(|matcher| Ok(matcher.error().map(ToString::to_string)))
    }

    /// Masks that this matcher was asked for since it was made or reset.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let stats = self.inner.with(|matcher| Ok(matcher.stats()))?;
        let numbers = PyDict::new(py);
        numbers.set_item("asked", stats.requested)?;
        numbers.set_item("first_visits", stats.computed)?;
        numbers.set_item("seconds", stats.compute_time.as_secs_f64())?;
        numbers.set_item("max_seconds", stats.max_compute_time.as_secs_f64())?;
        Ok(numbers)
    }

    /// The grammar.
    #[getter]
    fn grammar(&self, py: Python<'_>) -> Py<Grammar> {
        self.grammar.clone_ref(py)
    }

    /// The number of tokens that were accepted; a call of `accept_bytes` counts as one.
    fn __len__(&self) -> PyResult<usize> {
        self.inner.with(|matcher| Ok(matcher.len()))
    }

    /// Always true: a matcher without tokens is not an empty container.
    const fn __bool__(&self) -> bool {
        true
    }

    fn __copy__(&self, py: Python<'_>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __deepcopy__(&self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.copy(py)
    }

    fn __repr__(&self) -> PyResult<String> {
        self.inner.with(|matcher| {
            let text = String::from_utf8_lossy(matcher.text());
            let start = text.char_indices().rev().nth(39).map_or(0, |(at, _)| at);
            let (cut, tail) = (if start > 0 { "..." } else { "" }, &text[start..]);
            Ok(format!("<grammask.Matcher after {} tokens, {cut}{tail:?}>", matcher.len()))
        })
    }
}

/// A draft tree in an order in which parents come first.
struct Tree {
    draft: Draft,
    /// Caller's numbers of the nodes: of the root, then of the draft's nodes in their order.
    nodes: Vec<usize>,
}

/// Reads the arrays of first children and next siblings.
fn tree(next_token: &[i64], next_sibling: &[i64], draft: &[i64]) -> PyResult<Tree> {
    let count = draft.len();
    if count == 0 || next_token.len() != count || next_sibling.len() != count {
        let (first, sibling) = (next_token.len(), next_sibling.len());
        let message = format!("draft has {count} nodes, next_token {first}, next_sibling {sibling}");
        return Err(errors::wrong_value("draft", &message));
    }
    let mut nodes = vec![0];
    let mut entries = Vec::new();
    let mut is_seen = vec![false; count];
    is_seen[0] = true;
    let mut place = 0;
    while place < nodes.len() {
        let mut child = next_token[nodes[place]];
        while child != -1 {
            let node = usize::try_from(child).ok().filter(|&node| node < count).ok_or_else(|| {
                errors::wrong_value("draft", &format!("{child} is not a node of a tree of {count} nodes"))
            })?;
            if std::mem::replace(&mut is_seen[node], true) {
                return Err(errors::wrong_value(
                    "draft",
                    &format!("node {node} is reached twice: not a tree"),
                ));
            }
            let token = u32::try_from(draft[node]).map_err(|_| {
                errors::wrong_value("draft", &format!("{} at node {node} is not a token id", draft[node]))
            })?;
            // Node `place` of `nodes` is node `place - 1` of the draft; the root is the current state.
            entries.push((TokenId(token), place.checked_sub(1)));
            nodes.push(node);
            child = next_sibling[node];
        }
        place += 1;
    }
    let draft = Draft::new(entries).map_err(|error| errors::wrong_value("draft", &error.to_string()))?;
    Ok(Tree { draft, nodes })
}
