"""Rows of masks as numpy arrays, and logits that obey them.

>>> import grammask, grammask.numpy, numpy
>>> vocabulary = grammask.Vocabulary([b"a", b"b", b"c"])
>>> matcher = grammask.Grammar.kbnf("start ::= 'a' | 'c';", vocabulary).matcher()
>>> rows = grammask.numpy.allocate(1, vocabulary)
>>> matcher.fill(rows)
>>> grammask.numpy.apply(numpy.zeros((1, 3), dtype=numpy.float32), rows).tolist()
[[0.0, -inf, 0.0]]
"""

from __future__ import annotations

import numpy as np

from grammask._grammask import Vocabulary

__all__ = ["allocate", "allowed", "apply"]


def allocate(count: int, vocabulary: Vocabulary | int) -> np.ndarray:
    """Makes rows that allow everything: ``int32``, ``count`` rows wide enough for ``vocabulary``, or a number
    of ids.
    """
    words = (vocabulary + 31) // 32 if isinstance(vocabulary, int) else vocabulary.words
    return np.full((count, words), -1, dtype=np.int32)


def allowed(rows: np.ndarray) -> np.ndarray:
    """One ``bool`` for each token, true where it is allowed; the last dimension is 32 times as long."""
    packed = np.ascontiguousarray(rows).astype("<u4", copy=False).view(np.uint8)
    return np.unpackbits(packed, axis=-1, bitorder="little").view(np.bool_)


def apply(logits: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Sets the logits of tokens that are not allowed to negative infinity, in place; returns ``logits``.

    ``logits`` is a floating-point array with one or two dimensions; ``rows`` has as many rows. Logits beyond
    the rows are set to negative infinity; rows beyond the logits are not read.
    """
    if not np.issubdtype(logits.dtype, np.floating):
        raise TypeError(f"logits: expected floating-point numbers, not {logits.dtype}")
    if rows.dtype not in (np.int32, np.uint32):
        raise TypeError(f"rows: expected int32 or uint32, not {rows.dtype}")
    if logits.ndim == 1 and rows.ndim == 2 and rows.shape[0] == 1:
        rows = rows[0]
    if logits.shape[:-1] != rows.shape[:-1]:
        raise ValueError(f"rows: the shape {rows.shape} does not fit logits of the shape {logits.shape}")
    width = logits.shape[-1]
    mask = allowed(rows[..., : (width + 31) // 32])[..., :width]
    covered = mask.shape[-1]
    logits[..., :covered][~mask] = -np.inf
    logits[..., covered:] = -np.inf
    return logits
