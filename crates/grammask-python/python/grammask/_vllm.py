"""The classes that vLLM calls; imported by ``grammask.vllm.install`` only, as it needs vLLM."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grammask import _grammask
from grammask._grammask import GrammarCache
from grammask._serving import PREFETCH, Output, logger, vocabulary_of
from grammask.errors import GrammarError, LimitError

if TYPE_CHECKING:
    # Bases whose methods mypy need not know.
    class StructuredOutputBackend: ...

    class StructuredOutputGrammar: ...

    StructuredOutputOptions: Any

    def get_structured_output_key(params: Any) -> tuple[Any, str]: ...
else:
    from vllm.v1.structured_output.backend_types import (
        StructuredOutputBackend,
        StructuredOutputGrammar,
        StructuredOutputOptions,
    )
    from vllm.v1.structured_output.request import get_structured_output_key

__all__ = ["GrammaskBackend", "GrammaskGrammar", "validate"]

#: Bytes that all compiled grammars together may have; ``GRAMMASK_CACHE_BYTES`` changes it.
_CACHE_BYTES = 1 << 30


def source_of(kind: Any, spec: str) -> tuple[str, Any]:
    """A request of vLLM as a kind of grammar and its source.

    Raises ``ValueError`` for a kind that vLLM does not have.
    """
    name = getattr(kind, "name", str(kind))
    if name == "JSON":
        return "json_schema", spec
    if name == "JSON_OBJECT":
        return "json_schema", {"type": "object"}
    if name == "CHOICE":
        return "choice", json.loads(spec)
    if name == "REGEX":
        return "regex", spec
    if name == "STRUCTURAL_TAG":
        return "structural_tag", spec
    if name == "GRAMMAR":
        return ("lark" if _is_lark(spec) else "ebnf"), spec
    raise ValueError(f"structured outputs of the kind {name} are not supported")


def _is_lark(text: str) -> bool:
    """True if a grammar defines rules with a colon, as Lark does, and none with ``::=``."""
    for line in text.splitlines():
        code = line.split("//")[0].split("#")[0].strip()
        if "::=" in code:
            return False
    return True


def validate(sampling_params: Any, tokenizer: Any = None) -> None:
    """Checks the structured outputs of a request without the engine's tokenizer.

    Raises vLLM's ``VLLMValidationError``, or ``ValueError`` where vLLM has no such class.
    """
    params = sampling_params.structured_outputs
    if params is None:
        return
    try:
        kind, source = source_of(*get_structured_output_key(params))
        check = getattr(_grammask, f"check_{kind}", None)
        if check is None:
            raise ValueError(f"grammars of the kind {kind} are not supported")
        check(source)
    except (GrammarError, LimitError, ValueError, TypeError) as error:
        raise _validation_error(f"invalid grammar specification: {error}") from error


def _validation_error(message: str) -> Exception:
    """The error that vLLM turns into an answer to the client."""
    try:
        from vllm.exceptions import VLLMValidationError
    except ImportError:
        return ValueError(message)
    error: Exception = VLLMValidationError(message)
    return error


# vLLM's class is a dataclass with `__post_init__`: without this line, `__init__` would not be made.
@dataclass
class GrammaskBackend(StructuredOutputBackend):
    """The engine of one vLLM process."""

    if TYPE_CHECKING:
        vllm_config: Any
        tokenizer: Any
        vocab_size: int

    def __post_init__(self) -> None:
        config = self.vllm_config.structured_outputs_config
        self._options: dict[str, Any] = {"prefetch": PREFETCH}
        if getattr(config, "disable_any_whitespace", False):
            self._options["whitespace"] = "compact"
        if getattr(config, "disable_additional_properties", False):
            self._options["extra"] = "closed"
        vocabulary = vocabulary_of(self.tokenizer, self.vocab_size)
        budget = int(os.environ.get("GRAMMASK_CACHE_BYTES", _CACHE_BYTES))
        self.cache = GrammarCache(vocabulary, budget=budget)
        self._special = set(vocabulary.special)
        logger.info("grammask %s serves the structured outputs of vLLM", _grammask.__version__)

    @staticmethod
    def is_tokenizer_supported(tokenizer: Any) -> bool:
        """True for every tokenizer that ``Vocabulary.from_tokenizer`` reads."""
        from grammask.tokenizers import is_known

        return is_known(tokenizer)

    def compile_grammar(
        self, request_type: Any, grammar_spec: str, stop_token_ids: Any = None
    ) -> GrammaskGrammar:
        """Compiles a grammar, or takes it from the cache. ``stop_token_ids`` end the output instead of the
        model's.
        """
        kind, source = source_of(request_type, grammar_spec)
        options = self._options if kind == "json_schema" else {}
        ends = sorted(token for token in stop_token_ids or () if self._has(token))
        return GrammaskGrammar(Output(self.cache.get(kind, source, end=ends or None, **options)))

    def _has(self, token: int) -> bool:
        """True if the vocabulary has the token. A model may stop at ids that its tokenizer does not have."""
        return token in self._special or (token >= 0 and self.cache.vocabulary.token(token) is not None)

    def allocate_token_bitmask(self, max_num_seqs: int) -> Any:
        """Rows that allow everything."""
        from grammask import torch

        return torch.allocate(max_num_seqs, self.cache.vocabulary)

    def destroy(self) -> None:
        """Drops the compiled grammars."""
        self.cache.clear()

    def stats(self) -> dict[str, int]:
        """What the cache of grammars holds, and what it has done."""
        return self.cache.stats()


class GrammaskGrammar(StructuredOutputGrammar):
    """The grammar of one request."""

    def __init__(self, output: Output) -> None:
        self.output = output

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Accepts tokens; returns ``False`` at the first that is not allowed. Tokens after the end are
        accepted.
        """
        for place, token in enumerate(tokens):
            if not self.output.accept(token):
                logger.error("request %s: token %d at place %d is not allowed", request_id, token, place)
                return False
        return True

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """The longest prefix that could be accepted. Changes nothing."""
        return list(tokens[: self.output.validate(tokens)])

    def rollback(self, num_tokens: int) -> None:
        """Takes back the last tokens."""
        self.output.rollback(num_tokens)

    def fill_bitmask(self, bitmask: Any, batch_index: int) -> None:
        """Writes the mask into a row."""
        self.output.fill(bitmask, batch_index)

    def is_terminated(self) -> bool:
        """True if the output has ended."""
        return self.output.is_finished

    def reset(self) -> None:
        """Goes back to the beginning."""
        self.output.reset()
