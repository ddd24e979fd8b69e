"""A logits processor for ``mlx-lm``.

>>> processor = grammask.mlx_lm.GrammarProcessor(grammar)                       # doctest: +SKIP
>>> mlx_lm.generate(model, tokenizer, prompt, logits_processors=[processor])    # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np

from grammask import llamacpp, numpy

__all__ = ["GrammarProcessor"]


class GrammarProcessor(llamacpp.GrammarProcessor):
    """Keeps one output in a grammar: a callable that takes the ids so far and logits of the shape ``(1, n)``.

    Use one for each output of a batch. See :class:`grammask.llamacpp.GrammarProcessor` for how a new output
    is told.
    """

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Returns the logits with negative infinity for tokens that are not allowed."""
        mask = numpy.allowed(self.fill(np.array(input_ids)))[0]
        width = scores.shape[-1]
        if len(mask) < width:
            mask = np.concatenate([mask, np.zeros(width - len(mask), dtype=np.bool_)])
        return mx.where(mx.array(mask[:width]), scores, mx.array(-float("inf"), dtype=scores.dtype))
