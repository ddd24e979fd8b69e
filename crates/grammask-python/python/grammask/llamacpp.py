"""A logits processor for ``llama-cpp-python``.

>>> from llama_cpp import Llama, LogitsProcessorList                            # doctest: +SKIP
>>> llama = Llama("model.gguf")                                                 # doctest: +SKIP
>>> vocabulary = grammask.Vocabulary.from_tokenizer(llama)                      # doctest: +SKIP
>>> grammar = grammask.Grammar.json_schema(schema, vocabulary)                  # doctest: +SKIP
>>> processor = grammask.llamacpp.GrammarProcessor(grammar)                     # doctest: +SKIP
>>> llama("A person as JSON:", logits_processor=LogitsProcessorList([processor]))   # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

import numpy as np

from grammask import numpy as masks
from grammask._grammask import Grammar
from grammask.follow import Follower

__all__ = ["GrammarProcessor"]


class GrammarProcessor:
    """Keeps one output in a grammar: a callable that takes the ids so far and the scores.

    The ids of the first call are the prompt. A later call whose ids do not continue the prompt begins a new
    output, as does one that is more than one id longer than the call before. ``reset`` says so for sure.

    Pass the greatest number of tokens of an output as ``max_tokens``, and it ends in time wherever the
    grammar has a completion that short.
    """

    def __init__(self, grammar: Grammar, *, max_tokens: int | None = None) -> None:
        self._grammar = grammar
        self._max_tokens = max_tokens
        self._rows = masks.allocate(1, grammar.vocabulary)
        self.reset()

    def reset(self) -> None:
        """Forgets the output: the next call begins a new one."""
        self._prompt: np.ndarray | None = None
        self._last = 0
        self.follower = Follower(self._grammar, max_tokens=self._max_tokens)

    def fill(self, input_ids: Any) -> np.ndarray:
        """The mask after these ids, as one row of ``int32`` words."""
        ids = np.asarray(input_ids).reshape(-1)
        prompt = self._prompt
        if prompt is not None:
            start = len(prompt)
            if not (start <= len(ids) <= self._last + 1 and np.array_equal(prompt, ids[:start])):
                self.reset()
                prompt = None
        if prompt is None:
            # The engine may write the next ids into the same memory.
            prompt = self._prompt = ids.copy()
        self._last = len(ids)
        self.follower.follow(ids[len(prompt) :].tolist())
        self.follower.fill(self._rows)
        return self._rows

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Returns ``scores`` with negative infinity for tokens that are not allowed; ``scores`` is changed."""
        return masks.apply(scores, self.fill(input_ids))
