"""A logits processor for ``outlines``, for its models of transformers, llama.cpp and mlx.

>>> processor = grammask.outlines.GrammarProcessor(grammar)                     # doctest: +SKIP
>>> generator = outlines.Generator(model, processor=processor)                  # doctest: +SKIP
>>> generator("A person as JSON:")                                              # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from grammask._grammask import Grammar

__all__ = ["GrammarProcessor"]


class GrammarProcessor:
    """Keeps outputs in a grammar. ``outlines`` calls ``reset`` before each generation.

    The kind of array decides which of ``grammask.transformers``, ``grammask.llamacpp`` and
    ``grammask.mlx_lm`` works. ``max_tokens`` is theirs.
    """

    def __init__(self, grammar: Grammar, *, max_tokens: int | None = None) -> None:
        self._grammar = grammar
        self._max_tokens = max_tokens
        self._inner: Any = None

    def reset(self) -> None:
        """Forgets the outputs: the next call begins new ones."""
        if self._inner is not None:
            self._inner.reset()

    def __call__(self, input_ids: Any, logits: Any) -> Any:
        """Returns ``logits`` with negative infinity for tokens that are not allowed."""
        library = type(logits).__module__.partition(".")[0]
        if self._inner is None:
            self._inner = self._make(library)
        if library == "torch" and logits.dim() == 1:
            return self._inner(input_ids.reshape(1, -1), logits.unsqueeze(0)).squeeze(0)
        return self._inner(input_ids, logits)

    def _make(self, library: str) -> Any:
        if library == "torch":
            from grammask import transformers

            return transformers.GrammarProcessor(self._grammar, max_tokens=self._max_tokens)
        if library == "mlx":
            from grammask import mlx_lm

            return mlx_lm.GrammarProcessor(self._grammar, max_tokens=self._max_tokens)
        if library == "numpy":
            from grammask import llamacpp

            return llamacpp.GrammarProcessor(self._grammar, max_tokens=self._max_tokens)
        raise TypeError(f"logits: an array of {library} is not supported; expected torch, numpy or mlx")
