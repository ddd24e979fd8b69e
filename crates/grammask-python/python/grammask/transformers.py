"""A logits processor for ``transformers``.

>>> from grammask.transformers import GrammarProcessor                          # doctest: +SKIP
>>> size = model.config.vocab_size                                              # doctest: +SKIP
>>> vocabulary = grammask.Vocabulary.from_tokenizer(tokenizer, size=size)       # doctest: +SKIP
>>> grammar = grammask.Grammar.json_schema(schema, vocabulary)                  # doctest: +SKIP
>>> model.generate(**inputs, logits_processor=[GrammarProcessor(grammar)])      # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from grammask import torch as masks
from grammask._grammask import Grammar
from grammask.follow import Followers

try:
    from transformers import LogitsProcessor as _Base
except ImportError:  # The interface is one method; the package is needed by callers only.
    _Base = object  # type: ignore[assignment, misc]

__all__ = ["GrammarProcessor"]


class GrammarProcessor(_Base):  # type: ignore[misc, valid-type]
    """Keeps the outputs of one call of ``generate`` in their grammars.

    ``grammars`` is one grammar for all prompts, or a sequence with one for each; ``None`` leaves an output
    free. Greedy search, sampling, beams, and an assistant's guesses work: outputs are followed by their ids,
    not by their rows.

    The ids of the first call are the prompt. A later call whose ids do not continue the prompt begins new
    outputs, as does one that is more than one token longer than the call before. ``reset`` says so for sure.

    Beam search may continue a beam with a token that is not allowed, with a score of negative infinity, if a
    grammar has fewer outputs than there are beams. ``refused`` has the rows where this happened in the last
    call; they can only end.

    Pass the ``max_new_tokens`` of ``generate`` as ``max_tokens``, and outputs end in time wherever the
    grammar has a completion that short.

    Batches of different lengths, as continuous batching makes them, are not supported.
    """

    supports_continuous_batching = False

    def __init__(
        self,
        grammars: Grammar | None | Sequence[Grammar | None],
        *,
        threads: int = 1,
        max_tokens: int | None = None,
    ) -> None:
        self._followers = Followers(grammars, max_tokens=max_tokens)
        self._threads = threads
        self._prompt: torch.Tensor | None = None
        self._seen: torch.Tensor | None = None
        self._rows: torch.Tensor | None = None
        self._width = _row_width(grammars)

    def reset(self) -> None:
        """Forgets all outputs: the next call begins new ones."""
        self._prompt = None
        self._seen = None
        self._followers.reset()

    @property
    def refused(self) -> list[int]:
        """The rows whose last ids are not in the language."""
        return [place for place, row in enumerate(self._followers.rows) if row.refused is not None]

    @property
    def followers(self) -> Followers:
        """The outputs so far."""
        return self._followers

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Returns ``scores`` with negative infinity for tokens that are not allowed; ``scores`` is changed."""
        outputs = self._outputs(input_ids)
        seen = self._seen
        if (
            seen is not None
            and seen.shape == (outputs.shape[0], outputs.shape[1] - 1)
            and torch.equal(seen, outputs[:, :-1])
        ):
            self._followers.accept(outputs[:, -1].tolist())
        else:
            self._followers.follow(outputs.tolist())
        self._seen = outputs

        count = outputs.shape[0]
        if self._rows is None or self._rows.shape[0] != count:
            self._rows = masks.allocate(count, self._width * 32, pin=scores.is_cuda)
        written = self._followers.fill(self._rows, threads=self._threads)
        if len(written) == count:
            return masks.apply(scores, self._rows)
        return masks.apply(scores, self._rows[written], indices=written)

    def _outputs(self, input_ids: Any) -> torch.Tensor:
        """The ids after the prompt, in main memory."""
        prompt, seen = self._prompt, self._seen
        length = input_ids.shape[1]
        if prompt is not None and seen is not None:
            start = prompt.shape[1]
            longest = start + seen.shape[1] + 1
            is_continued = (
                prompt.shape[0] == input_ids.shape[0]
                and start <= length <= longest
                and torch.equal(prompt, input_ids[:, :start])
            )
            if not is_continued:
                self.reset()
                prompt = None
        if prompt is None:
            prompt = self._prompt = input_ids.clone()
        return input_ids[:, prompt.shape[1] :].cpu()  # type: ignore[no-any-return]


def _row_width(grammars: Grammar | None | Sequence[Grammar | None]) -> int:
    """The words of a row that is wide enough for all grammars."""
    each = [grammars] if grammars is None or isinstance(grammars, Grammar) else list(grammars)
    return max((grammar.vocabulary.words for grammar in each if grammar is not None), default=1)
