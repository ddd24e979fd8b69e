"""Matchers that follow lists of token ids, as libraries hand them to logits processors.

A logits processor sees the ids of an output so far, not the steps that led to them: beams change places, a
retry begins again, an assistant's guesses are taken back. A follower compares the ids with those of its last
call, rolls its matcher back to the longest common prefix, and accepts the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from grammask._grammask import Grammar, Matcher, fill_masks
from grammask.errors import LimitError

__all__ = ["Follower", "Followers"]


class Follower:
    """One output, followed by its ids.

    ``grammar`` is a compiled grammar; ``None`` leaves the output free.

    ``max_tokens`` is the number of ids after which the output will be cut. Masks then leave only tokens after
    which the output can still end in time, as soon and as long as some completion fits.

    ``tokens`` are the ids of the last call. ``refused`` is the index of the first id that the grammar does
    not allow, or ``None``. Ids after the end of an output, such as padding, are not refused.
    """

    def __init__(self, grammar: Grammar | None, *, max_tokens: int | None = None) -> None:
        self.grammar = grammar
        self.max_tokens = max_tokens
        self.matcher: Matcher | None = None if grammar is None else grammar.matcher()
        self.tokens: list[int] = []
        self.refused: int | None = None
        # The number of ids that the matcher has accepted: the first ones of `tokens`.
        self._accepted = 0

    @property
    def is_open(self) -> bool:
        """True if the grammar decides about the next token: the output has not ended and was not refused."""
        return self.matcher is not None and self.refused is None and not self.matcher.is_finished

    def follow(self, tokens: Sequence[int]) -> None:
        """Moves to the place after ``tokens``.

        Raises ``LimitError`` if a token exceeds a limit; the follower is then after the tokens before it.
        """
        tokens = list(tokens)
        if self.matcher is None:
            self.tokens = tokens
            return
        common = _common(self.tokens, tokens)
        if self._accepted > common:
            self.matcher.rollback(self._accepted - common)
            self._accepted = common
        if self.refused is not None and self.refused >= common:
            self.refused = None
        # Tokens after a refused one, or after an end, are not read.
        self.tokens = tokens[:common]
        if self._accepted == common and self.refused is None:
            self._accepted += self.matcher.accept_all(tokens[common:])
            if self._accepted < len(tokens) and not self.matcher.is_finished:
                self.refused = self._accepted
        self.tokens = tokens

    def fill(self, rows: Any, index: int = 0) -> None:
        """Writes the mask of the next token into row ``index``.

        After a refused token, after the end, and where no token can follow, only the end tokens are allowed:
        a row without any token would make probabilities that are not numbers.
        """
        if self.matcher is None:
            raise ValueError("an output without a grammar has no mask")
        if not self.is_open:
            self.matcher.fill_ends(rows, index)
        elif self.max_tokens is not None and self._fill_in_time(self.matcher, rows, index):
            pass
        elif self.matcher.is_stuck:
            self.matcher.fill_ends(rows, index)
        else:
            self.matcher.fill(rows, index)

    def _fill_in_time(self, matcher: Matcher, rows: Any, index: int) -> bool:
        """Writes the mask within the rest of ``max_tokens``; ``False`` if no completion fits."""
        left = (self.max_tokens or 0) - len(self.tokens)
        return left > 0 and matcher.fill_within(rows, left, index)

    def copy(self) -> Follower:
        """A follower in the same place, which goes its own way from here."""
        twin = Follower.__new__(Follower)
        twin.grammar = self.grammar
        twin.max_tokens = self.max_tokens
        twin.matcher = None if self.matcher is None else self.matcher.copy()
        twin.tokens = list(self.tokens)
        twin.refused = self.refused
        twin._accepted = self._accepted
        return twin

    def __repr__(self) -> str:
        count = len(self.tokens)
        return f"<grammask.follow.Follower after {count} tokens, refused {self.refused}, {self.matcher!r}>"


class Followers:
    """The outputs of a batch, whose rows may change places from call to call, as beams do.

    ``grammars`` is one grammar for all rows, or a sequence with one for each prompt, ``None`` for a free
    output. If there are more rows than grammars, each grammar is for as many rows in turn: the beams of its
    prompt.

    ``max_tokens`` is that of :class:`Follower`, for all rows.
    """

    def __init__(
        self, grammars: Grammar | None | Sequence[Grammar | None], *, max_tokens: int | None = None
    ) -> None:
        self._max_tokens = max_tokens
        self._grammars: list[Grammar | None]
        if grammars is None or isinstance(grammars, Grammar):
            self._grammars = [grammars]
        else:
            self._grammars = list(grammars)
        if not self._grammars:
            raise ValueError("grammars: the sequence is empty")
        self.rows: list[Follower] = []

    def reset(self) -> None:
        """Forgets all outputs."""
        self.rows = []

    def follow(self, outputs: Sequence[Sequence[int]]) -> None:
        """Moves to the places after these outputs, one for each row.

        Each row continues the follower whose ids its own ids extend, wherever that was in the last call;
        otherwise the follower of its own place goes back to the common prefix.
        """
        count = len(outputs)
        if len(self.rows) != count:
            grammars = self._for_rows(count)
            self.rows = [Follower(grammar, max_tokens=self._max_tokens) for grammar in grammars]
        known = {(id(row.grammar), tuple(row.tokens)): place for place, row in enumerate(self.rows)}
        taken: set[int] = set()
        chosen: list[Follower] = []
        for place, tokens in enumerate(outputs):
            own = self.rows[place]
            key = (id(own.grammar), tuple(tokens[:-1]))
            source = place if tuple(own.tokens) == key[1] else known.get(key, place)
            # A second row that continues the same follower gets a copy, made before the first one moves on.
            chosen.append(self.rows[source].copy() if source != place or source in taken else own)
            taken.add(source)
        for row, tokens in zip(chosen, outputs, strict=True):
            row.follow(tokens)
        self.rows = chosen

    def accept(self, tokens: Iterable[int]) -> None:
        """Appends one token to each row, all of which stayed in their places."""
        for row, token in zip(self.rows, tokens, strict=True):
            row.follow([*row.tokens, token])

    def fill(self, rows: Any, *, threads: int = 1) -> list[int]:
        """Writes the masks into the rows with the same numbers; returns the numbers of rows that were
        written.

        Rows of outputs without a grammar stay as they are. Raises ``LimitError`` if a mask exceeds a limit.
        """
        constrained = [(place, row) for place, row in enumerate(self.rows) if row.matcher is not None]
        if self._max_tokens is not None:
            for place, row in constrained:
                row.fill(rows, place)
            return [place for place, _ in constrained]
        open_rows = [(place, row.matcher) for place, row in constrained if row.matcher and row.is_open]
        matchers = [matcher for _, matcher in open_rows]
        if fill_masks(matchers, rows, indices=[place for place, _ in open_rows], threads=threads):
            raise LimitError(next(matcher.error for matcher in matchers if matcher.error is not None))
        for place, row in constrained:
            if not row.is_open or row.matcher.is_stuck:  # type: ignore[union-attr]
                row.fill(rows, place)
        return [place for place, _ in constrained]

    def _for_rows(self, count: int) -> list[Grammar | None]:
        each, rest = divmod(count, len(self._grammars))
        if rest or not each:
            raise ValueError(f"grammars: {len(self._grammars)} grammars for {count} rows")
        return [grammar for grammar in self._grammars for _ in range(each)]


def _common(first: list[int], second: list[int]) -> int:
    """The length of the longest common prefix."""
    length = min(len(first), len(second))
    if first[:length] == second[:length]:
        return length
    return next(place for place in range(length) if first[place] != second[place])
