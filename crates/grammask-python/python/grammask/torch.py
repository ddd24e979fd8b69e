"""Rows of masks as torch tensors, and logits that obey them, on any device.

>>> import torch, grammask.torch                                        # doctest: +SKIP
>>> rows = grammask.torch.allocate(len(matchers), vocabulary)           # doctest: +SKIP
>>> grammask.fill_masks(matchers, rows)                                 # doctest: +SKIP
>>> grammask.torch.apply(logits, rows)                                  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import torch

from grammask._grammask import Vocabulary

__all__ = ["allocate", "apply"]

#: Bits of a byte, by device: the values that select them.
_BITS: dict[torch.device, torch.Tensor] = {}


def allocate(count: int, vocabulary: Vocabulary | int, *, pin: bool | None = None) -> torch.Tensor:
    """Makes rows that allow everything: an ``int32`` tensor in main memory, ``count`` rows wide enough for
    ``vocabulary``.

    ``vocabulary`` may be a number of ids. ``pin`` asks for page-locked memory, from which a copy to the
    device overlaps with work on it; without it, rows are pinned if CUDA is available.

    Allocate once and fill again and again: the memory of a tensor is looked up faster than that of a slice of
    it.
    """
    words = (vocabulary + 31) // 32 if isinstance(vocabulary, int) else vocabulary.words
    if count < 0:
        raise ValueError(f"count: {count} is negative")
    if pin is None:
        pin = torch.cuda.is_available()
    return torch.full((count, words), -1, dtype=torch.int32, pin_memory=pin)


def apply(logits: torch.Tensor, rows: torch.Tensor, *, indices: Sequence[int] | None = None) -> torch.Tensor:
    """Sets the logits of tokens that are not allowed to negative infinity, in place; returns ``logits``.

    ``logits`` is a floating-point tensor with one or two dimensions, on any device, contiguous or not.
    ``rows`` has as many rows, of ``int32`` words; it may be on another device, and is copied without waiting
    if it is pinned. Do not write the rows again before the device has read them: reading the next token from
    it is enough.

    ``indices`` gives for each of the rows the index of its logits; all other logits stay as they are.

    Logits beyond the rows are set to negative infinity; rows beyond the logits are not read. The temporary
    memory is one byte for each logit that is looked at.
    """
    if not logits.is_floating_point():
        raise TypeError(f"logits: expected a floating-point tensor, not {logits.dtype}")
    if rows.dtype != torch.int32:
        raise TypeError(f"rows: expected an int32 tensor, not {rows.dtype}")
    if logits.dim() == 1 and indices is None:
        apply(logits.unsqueeze(0), rows.reshape(1, -1) if rows.dim() == 1 else rows)
        return logits
    if logits.dim() != 2 or rows.dim() != 2:
        raise ValueError(f"logits and rows: expected 2 dimensions, not {logits.dim()} and {rows.dim()}")
    selected = logits
    place = None
    if indices is not None:
        if len(indices) != rows.shape[0]:
            raise ValueError(f"indices: {len(indices)} indices for {rows.shape[0]} rows")
        if any(not 0 <= index < logits.shape[0] for index in indices):
            raise ValueError(f"indices: out of the {logits.shape[0]} rows of logits")
        if len(set(indices)) != len(indices):
            raise ValueError("indices: an index occurs twice")
        place = torch.tensor(list(indices), dtype=torch.int64, device=logits.device)
        selected = logits.index_select(0, place)
    elif rows.shape[0] != logits.shape[0]:
        raise ValueError(f"rows: {rows.shape[0]} rows for {logits.shape[0]} rows of logits")

    width = selected.shape[1]
    words = min(rows.shape[1], (width + 31) // 32)
    # A view: only the words that are needed are copied and read.
    rows = rows[:, :words].to(logits.device, non_blocking=True)
    is_masked = _unset_bits(rows)
    covered = min(words * 32, width)
    selected[:, :covered].masked_fill_(is_masked[:, :covered], float("-inf"))
    if covered < width:
        selected[:, covered:] = float("-inf")
    if place is not None:
        logits.index_copy_(0, place, selected)
    return logits


def _unset_bits(rows: torch.Tensor) -> torch.Tensor:
    """One ``bool`` for each token, true where its bit is 0."""
    count, words = rows.shape
    if sys.byteorder == "big":
        shifts = torch.arange(32, dtype=torch.int32, device=rows.device)
        return (rows.unsqueeze(-1) >> shifts & 1).eq(0).reshape(count, words * 32)
    bits = _BITS.get(rows.device)
    if bits is None:
        bits = torch.tensor([1 << bit for bit in range(8)], dtype=torch.uint8, device=rows.device)
        _BITS[rows.device] = bits
    packed = rows.contiguous().view(torch.uint8)
    return (packed.unsqueeze(-1) & bits).eq(0).reshape(count, words * 32)


def column(tokens: Any) -> list[int]:
    """The last ids of a 2-D tensor of ids, one for each row."""
    ids: list[int] = tokens[:, -1].tolist()
    return ids
