"""What the adapters of servers share: one output, with the counting of tokens that servers expect."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from grammask._grammask import Grammar, Vocabulary
from grammask.errors import LimitError

__all__ = ["PREFETCH", "Output", "vocabulary_of"]

#: Nodes of the vocabulary's trie for masks that compiling computes ahead: servers compile beside the steps of
#: the model, and compute masks between them.
PREFETCH = 2048

logger = logging.getLogger("grammask")


class Output:
    """A matcher that counts tokens after the end, and that ends its output where it cannot go on.

    Servers roll back as many tokens as they passed, those after an end among them. A limit or a place without
    any token must not stop a batch of other requests: the mask then allows the end tokens only, and a line is
    logged.
    """

    __slots__ = ("grammar", "matcher", "_is_failed", "_surplus")

    def __init__(self, grammar: Grammar) -> None:
        self.grammar = grammar
        self.matcher = grammar.matcher()
        # The number of tokens that were passed after the end.
        self._surplus = 0
        self._is_failed = False

    @property
    def is_finished(self) -> bool:
        """True if an end token was accepted, or nothing can follow."""
        return self.matcher.is_finished

    def accept(self, token: int) -> bool:
        """Accepts a token; all tokens are accepted after the end. Returns ``False`` if it is not allowed."""
        if self.matcher.is_finished:
            self._surplus += 1
            return True
        try:
            return token >= 0 and self.matcher.accept(token)
        except LimitError as error:
            self._fail(error)
            return False

    def validate(self, tokens: Sequence[int]) -> int:
        """The number of leading tokens that could be accepted; -1 and what follows it are padding."""
        known = list(tokens)
        padding = next((place for place, token in enumerate(known) if token < 0), len(known))
        try:
            return self.matcher.validate(known[:padding])
        except LimitError as error:
            self._fail(error)
            return 0

    def rollback(self, count: int) -> None:
        """Takes back the last ``count`` tokens, those after the end included."""
        after_end = min(count, self._surplus)
        self._surplus -= after_end
        self._is_failed = False
        self.matcher.rollback(count - after_end)

    def fill(self, rows: Any, index: int) -> None:
        """Writes the mask into row ``index``: the end tokens only, where nothing else can follow."""
        matcher = self.matcher
        if not (matcher.is_finished or self._is_failed):
            try:
                if not matcher.is_stuck:
                    matcher.fill(rows, index)
                    return
                logger.error("no token of the vocabulary can follow %r; the output ends here", matcher)
            except LimitError as error:
                self._fail(error)
        matcher.fill_ends(rows, index)

    def reset(self) -> None:
        """Goes back to the beginning."""
        self._surplus = 0
        self._is_failed = False
        self.matcher.reset()

    def _fail(self, error: LimitError) -> None:
        self._is_failed = True
        logger.error("an output ends at a limit: %s", error)


def vocabulary_of(tokenizer: Any, size: int, end: Any = None) -> Vocabulary:
    """The vocabulary of a server's tokenizer, for ``size`` logits, or more if the tokenizer has more ids."""
    vocabulary = Vocabulary.from_tokenizer(tokenizer, end=end)
    return vocabulary if vocabulary.size >= size else vocabulary.resized(size)
