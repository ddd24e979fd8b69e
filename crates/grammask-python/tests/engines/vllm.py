"""vLLM 0.32 and 0.33: the names of ``vllm.v1.structured_output`` that an engine meets, and what its manager
does.
"""

from __future__ import annotations

import enum
import sys
import types
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np


class StructuredOutputOptions(enum.Enum):
    JSON = enum.auto()
    JSON_OBJECT = enum.auto()
    REGEX = enum.auto()
    GRAMMAR = enum.auto()
    CHOICE = enum.auto()
    STRUCTURAL_TAG = enum.auto()


class StructuredOutputGrammar(ABC):
    @abstractmethod
    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool: ...
    @abstractmethod
    def validate_tokens(self, tokens: list[int]) -> list[int]: ...
    @abstractmethod
    def rollback(self, num_tokens: int) -> None: ...
    @abstractmethod
    def fill_bitmask(self, bitmask: Any, batch_index: int) -> None: ...
    @abstractmethod
    def is_terminated(self) -> bool: ...
    @abstractmethod
    def reset(self) -> None: ...


@dataclass
class StructuredOutputBackend(ABC):
    vllm_config: Any
    tokenizer: Any
    vocab_size: int

    @abstractmethod
    def compile_grammar(
        self, request_type: StructuredOutputOptions, grammar_spec: str, stop_token_ids: set[int] | None = None
    ) -> StructuredOutputGrammar: ...
    @abstractmethod
    def allocate_token_bitmask(self, max_num_seqs: int) -> Any: ...
    @abstractmethod
    def destroy(self) -> None: ...


class VLLMValidationError(ValueError):
    pass


@dataclass
class Params:
    """``StructuredOutputsParams``: one field is set."""

    json: Any = None
    json_object: bool | None = None
    regex: str | None = None
    choice: list[str] | None = None
    grammar: str | None = None
    structural_tag: str | None = None


def get_structured_output_key(params: Params) -> tuple[StructuredOutputOptions, str]:
    import json

    for name in ("json", "json_object", "regex", "choice", "grammar", "structural_tag"):
        value = getattr(params, name)
        if value is not None:
            text = "" if name == "json_object" else value if isinstance(value, str) else json.dumps(value)
            return StructuredOutputOptions[name.upper()], text
    raise ValueError("No valid structured output parameter found")


@dataclass
class StructuredOutputsConfig:
    disable_any_whitespace: bool = False
    disable_additional_properties: bool = False


@dataclass
class VllmConfig:
    structured_outputs_config: StructuredOutputsConfig = field(default_factory=StructuredOutputsConfig)


def modules() -> dict[str, types.ModuleType]:
    """The modules, by name, for ``sys.modules``."""

    def module(name: str, **names: Any) -> types.ModuleType:
        made = types.ModuleType(name)
        vars(made).update(names)
        return made

    guidance = {
        "GuidanceBackend": type("GuidanceBackend", (), {}),
        "has_guidance_unsupported_json_features": lambda schema: True,
        "validate_guidance_grammar": lambda sampling_params, tokenizer=None: None,
    }
    base = "vllm.v1.structured_output"
    return {
        "vllm": module("vllm", __version__="0.33.0"),
        "vllm.exceptions": module("vllm.exceptions", VLLMValidationError=VLLMValidationError),
        "vllm.v1": module("vllm.v1"),
        base: module(base, GuidanceBackend=guidance["GuidanceBackend"]),
        f"{base}.backend_guidance": module(f"{base}.backend_guidance", **guidance),
        f"{base}.backend_types": module(
            f"{base}.backend_types",
            StructuredOutputBackend=StructuredOutputBackend,
            StructuredOutputGrammar=StructuredOutputGrammar,
            StructuredOutputOptions=StructuredOutputOptions,
        ),
        f"{base}.request": module(f"{base}.request", get_structured_output_key=get_structured_output_key),
    }


def forget() -> None:
    """Removes the adapter's classes, which belong to one set of modules."""
    sys.modules.pop("grammask._vllm", None)


class Manager:
    """What ``StructuredOutputManager`` does with grammars in each step: masks for drafts, then rollback."""

    def __init__(self, words: int, drafts: int) -> None:
        self.bitmask = np.full((64 * (1 + drafts), words), -1, dtype=np.int32)

    def masks(self, grammars: list[StructuredOutputGrammar], drafts: list[list[int]]) -> list[np.ndarray]:
        """The rows of each request: one before each draft token, and one after the last."""
        row = 0
        rows = []
        for grammar, draft in zip(grammars, drafts, strict=True):
            first, advanced, is_padding, failed = row, 0, False, None
            for token in [*draft, None]:
                if failed is not None:
                    self.bitmask[row] = self.bitmask[failed]
                elif is_padding or grammar.is_terminated():
                    self.bitmask[row] = -1
                else:
                    grammar.fill_bitmask(self.bitmask, row)
                if token == -1:
                    is_padding = True
                elif token is not None and not is_padding and failed is None:
                    if not grammar.is_terminated() and grammar.accept_tokens("request", [token]):
                        advanced += 1
                    else:
                        failed = row
                row += 1
            if advanced:
                grammar.rollback(advanced)
            rows.append(self.bitmask[first:row].copy())
        return rows
