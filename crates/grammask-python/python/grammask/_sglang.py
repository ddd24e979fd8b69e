"""The classes that SGLang calls; imported by ``grammask.sglang.make_backend`` only, as it needs SGLang."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grammask._grammask import GrammarCache, Vocabulary, fill_masks
from grammask._serving import PREFETCH, Output, logger, vocabulary_of
from grammask.errors import GrammarError, LimitError

if TYPE_CHECKING:
    # Bases whose methods mypy need not know.
    class BaseGrammarBackend:
        def reset(self) -> None: ...

    class BaseGrammarObject:
        finished: bool
        current_token: int | None
        grammar_stats: Any

    class GrammarRow: ...

    GrammarStats: Any
    InvalidGrammarObject: Any
else:
    from sglang.srt.constrained.base_grammar_backend import (
        BaseGrammarBackend,
        BaseGrammarObject,
        GrammarStats,
        InvalidGrammarObject,
    )

__all__ = ["GrammaskGrammar", "GrammaskGrammarBackend", "plain_grammar"]

#: An id that no vocabulary has, for draft tokens that are padding.
_NO_TOKEN = 2**32 - 1

#: Threads for the masks of a batch; a batch of known masks uses one.
_THREADS = 4

#: Bytes that all compiled grammars together may have. SGLang keeps a template of each grammar itself.
_CACHE_BYTES = 1 << 30

#: What SGLang passes for any JSON value.
_ANY_JSON = "$$ANY$$"


def _rows(vocabulary: Vocabulary, vocab_size: int, count: int) -> Any:
    """Rows that allow everything, in main memory, for the vocabulary and for SGLang's size of it."""
    from grammask import torch as masks

    return masks.allocate(count, max((vocab_size + 31) // 32, vocabulary.words) * 32)


class GrammaskGrammar(BaseGrammarObject):
    """The grammar of one request."""

    def __init__(self, output: Output, stats: Any = None) -> None:
        super().__init__()
        self.output = output
        self.grammar_stats = stats

    def accept_token(self, token: int) -> None:
        """Accepts a token; raises ``ValueError`` if it is not allowed."""
        if self.finished:
            return
        if not self.output.accept(token):
            raise ValueError(f"token {token} is not allowed after {self.output.matcher!r}")
        self.current_token = token
        if self.output.is_finished:
            self.finished = True

    def rollback(self, k: int) -> None:
        """Takes back the last ``k`` tokens."""
        if k > 0:
            self.output.rollback(k)
            self.finished = self.output.is_finished

    def is_terminated(self) -> bool:
        """True if the output has ended."""
        return self.finished

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:
        """Rows that allow everything, in main memory."""
        return _rows(self.output.grammar.vocabulary, vocab_size, batch_size)

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        """Writes the mask into row ``idx``."""
        self.output.fill(vocab_mask, idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: list[Any], vocab_mask: Any) -> None:
        """Writes the masks of many requests in one call; other rows stay as they are."""
        batch = []
        for entry in entries:
            grammar = entry.grammar
            if type(grammar) is GrammaskGrammar and not grammar.finished:
                batch.append(entry)
            else:
                grammar.fill_vocab_mask(vocab_mask, entry.row)
        matchers = [entry.grammar.output.matcher for entry in batch]
        failed = fill_masks(matchers, vocab_mask, indices=[entry.row for entry in batch], threads=_THREADS)
        for entry, matcher in zip(batch, matchers, strict=True):
            # A limit, or a place without any token: `fill` writes the end tokens and logs the reason.
            if failed and matcher.error is not None or matcher.is_stuck:
                entry.grammar.output.fill(vocab_mask, entry.row)

    def fill_tree(
        self,
        rows: Any,
        next_token: list[int],
        next_sibling: list[int],
        draft: list[int],
        vocab_size: int | None,
    ) -> None:
        """Writes the masks along a tree of draft tokens. Rows that cannot be reached stay as they are."""
        if self.is_terminated():
            return
        top = _NO_TOKEN if vocab_size is None else vocab_size
        known = [token if 0 <= token < top else _NO_TOKEN for token in draft]
        try:
            self.output.matcher.fill_tree(rows, next_token, next_sibling, known, keep=True)
        except LimitError as error:
            logger.error("an output ends at a limit: %s", error)
            for row in range(len(known)):
                self.output.matcher.fill_ends(rows, row)

    @staticmethod
    def reset_vocab_mask(vocab_mask: Any) -> None:
        """Makes all rows allow everything."""
        vocab_mask.fill_(-1)

    @staticmethod
    def move_vocab_mask(vocab_mask: Any, device: Any) -> Any:
        """Copies rows to a device, without waiting."""
        return vocab_mask.to(device, non_blocking=True)

    @staticmethod
    def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None:
        """Sets the logits of tokens that are not allowed to negative infinity."""
        from grammask import torch as masks

        if logits.device.type == "cuda":
            try:
                from sglang.kernels.ops.grammar.bitmask_ops import apply_token_bitmask_inplace_triton
            except ImportError:
                pass
            else:
                words = (logits.shape[-1] + 31) // 32
                apply_token_bitmask_inplace_triton(logits, vocab_mask[..., :words])
                return
        masks.apply(logits, vocab_mask)

    def copy(self) -> GrammaskGrammar:
        """A fresh output of the same grammar. SGLang copies templates for each request."""
        stats = self.grammar_stats
        if stats is not None:
            stats = GrammarStats(dispatch_type=stats.dispatch_type, is_cache_hit=True)
        return GrammaskGrammar(Output(self.output.grammar), stats)

    def try_jump_forward(self, tokenizer: Any) -> None:
        """Forced text is not skipped; SGLang has no caller for it."""
        return None

    def __repr__(self) -> str:
        return f"<grammask.sglang grammar: {self.output.matcher!r}>"


class GrammaskGrammarBackend(BaseGrammarBackend):
    """Compiles the grammars of SGLang's requests."""

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        eos_token_ids: Any = None,
        *,
        any_whitespace: bool = True,
        max_whitespace: int | None = None,
        whitespace_pattern: str | None = None,
    ) -> None:
        super().__init__()
        if whitespace_pattern is not None:
            raise ValueError(
                "grammask does not take a pattern for white space; use "
                "--constrained-json-disable-any-whitespace or --constrained-json-max-whitespace-cnt"
            )
        ends = eos_token_ids
        if ends is not None and not isinstance(ends, int):
            ends = sorted(ends)
        self._options: dict[str, Any] = {"prefetch": PREFETCH}
        if not any_whitespace:
            self._options["whitespace"] = "compact"
        elif max_whitespace is not None:
            self._options |= {"whitespace": "flexible", "max_whitespace": max_whitespace}
        self.grammars = GrammarCache(vocabulary_of(tokenizer, vocab_size, ends or None), budget=_CACHE_BYTES)

    def dispatch_json(self, key_string: str) -> Any:
        """A JSON Schema, or any JSON value."""
        source = True if key_string == _ANY_JSON else key_string
        return self._compile("json", "json_schema", source, **self._options)

    def dispatch_regex(self, key_string: str) -> Any:
        """A regular expression."""
        return self._compile("regex", "regex", key_string)

    def dispatch_ebnf(self, key_string: str) -> Any:
        """A grammar in xgrammar's EBNF."""
        return self._compile("ebnf", "ebnf", key_string)

    def dispatch_structural_tag(self, key_string: str) -> Any:
        """A structural tag of xgrammar, in either of its forms."""
        return self._compile("structural_tag", "structural_tag", key_string)

    def initialize_vocab_mask_buffer(self, name: str, vocab_size: int, max_rows: int, device: Any) -> Any:
        """Rows that SGLang uses for all batches."""
        from sglang.srt.constrained.base_grammar_backend import register_vocab_mask_buffer

        rows = _rows(self.grammars.vocabulary, vocab_size, max_rows)
        return register_vocab_mask_buffer(name, rows, max_rows)

    # The wrapper for models that think takes the functions for masks from the backend, too.

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:
        """Rows that allow everything, in main memory."""
        return _rows(self.grammars.vocabulary, vocab_size, batch_size)

    move_vocab_mask = staticmethod(GrammaskGrammar.move_vocab_mask)
    apply_vocab_mask = staticmethod(GrammaskGrammar.apply_vocab_mask)

    @property
    def is_support_token_filter(self) -> bool:
        """True: thoughts can exclude tokens and have a budget (``--enable-strict-thinking``)."""
        return True

    @staticmethod
    def set_token_filter(
        vocab_mask: Any,
        token_ids: list[int],
        batch_idx: int,
        is_allowed: bool = True,
        reset_vocab_mask: bool = True,
    ) -> None:
        """Allows or forbids these tokens in row ``batch_idx``.

        With ``reset_vocab_mask``, all other tokens become the opposite.
        """
        if reset_vocab_mask:
            vocab_mask[batch_idx] = 0 if is_allowed else -1
        row = vocab_mask[batch_idx]
        for token in token_ids:
            word, bit = divmod(token, 32)
            # As a signed word: the highest bit is its sign.
            value = 1 << bit if bit < 31 else -(1 << 31)
            row[word] = row[word] | value if is_allowed else row[word] & ~value

    def stats(self) -> dict[str, int]:
        """What the cache of grammars holds, and what it has done."""
        return self.grammars.stats()

    def reset(self) -> None:
        """Drops all grammars."""
        super().reset()
        self.grammars.clear()

    def _compile(self, dispatch: str, kind: str, source: Any, **options: Any) -> Any:
        try:
            grammar = self.grammars.get(kind, source, **options)
        except (GrammarError, LimitError, ValueError, TypeError) as error:
            logger.error("a grammar does not compile: %s", error)
            return InvalidGrammarObject(str(error))
        return GrammaskGrammar(Output(grammar), GrammarStats(dispatch_type=dispatch))


def plain_grammar(grammar: Any) -> GrammaskGrammar | None:
    """The grammar that decides about the next token, if it is one of this package.

    Of a wrapper for models that think, this is the inner one after the thoughts have ended.
    """
    if isinstance(grammar, GrammaskGrammar):
        return grammar
    inner = getattr(grammar, "grammar", None)
    is_past_thoughts = getattr(grammar, "_is_generation", None)
    if isinstance(inner, GrammaskGrammar) and is_past_thoughts is not None and is_past_thoughts():
        return inner
    return None
