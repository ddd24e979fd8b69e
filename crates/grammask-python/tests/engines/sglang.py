"""SGLang 0.5.23: the names of ``sglang.srt.constrained`` that a backend meets, and what its scheduler does."""

from __future__ import annotations

import sys
import types
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple

REGISTRY: dict[str, Any] = {}
CHOICES: list[str] = ["xgrammar"]
HOOKS: list[tuple[str, Any, Any]] = []


@dataclass
class GrammarStats:
    compilation_time: float | None = None
    schema_count: int | None = None
    ebnf_size: int | None = None
    is_cache_hit: bool = False
    is_grammar_aborted: bool = False
    tree_traversal_time: list[float] = field(default_factory=list)
    dispatch_type: str | None = None
    num_timeout: int = 0


class GrammarRow(NamedTuple):
    row: int
    grammar: Any


class BaseGrammarObject:
    def __init__(self) -> None:
        self._finished = False
        self.grammar_stats: Any = None
        self.current_token: int | None = None

    def maybe_init_reasoning(self, reasoning: bool) -> None: ...
    def accept_token(self, token: int) -> None: ...
    def rollback(self, k: int) -> None: ...
    def is_terminated(self) -> bool: ...
    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any: ...
    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None: ...
    @staticmethod
    def fill_vocab_mask_batched(entries: list[GrammarRow], vocab_mask: Any) -> None: ...
    @staticmethod
    def reset_vocab_mask(vocab_mask: Any) -> None: ...
    @staticmethod
    def move_vocab_mask(vocab_mask: Any, device: Any) -> Any: ...
    @staticmethod
    def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None: ...
    def copy(self) -> BaseGrammarObject: ...

    @property
    def finished(self) -> bool:
        return self._finished

    @finished.setter
    def finished(self, finished: bool) -> None:
        self._finished = finished

    def try_jump_forward(self, tokenizer: Any) -> Any: ...


class InvalidGrammarObject(BaseGrammarObject):
    def __init__(self, error_message: str = "Unknown grammar error") -> None:
        super().__init__()
        self.error_message = error_message


class BaseGrammarBackend:
    def __init__(self) -> None:
        self.executor = ThreadPoolExecutor(2)
        self.cache: dict[tuple[str, str], BaseGrammarObject] = {}

    def initialize_vocab_mask_buffer(self, name: str, vocab_size: int, max_rows: int, device: Any) -> Any: ...
    def dispatch_json(self, key_string: str) -> BaseGrammarObject: ...
    def dispatch_regex(self, key_string: str) -> BaseGrammarObject: ...
    def dispatch_ebnf(self, key_string: str) -> BaseGrammarObject: ...
    def dispatch_structural_tag(self, key_string: str) -> BaseGrammarObject: ...

    def get_cached_or_future_value(self, key: tuple[str, str], require_reasoning: bool) -> tuple[Any, bool]:
        value = self.cache.get(key)
        if value:
            copied = value.copy()
            copied.maybe_init_reasoning(require_reasoning)
            return copied, True
        future: Future[Any] = self.executor.submit(getattr(self, f"dispatch_{key[0]}"), key[1])
        return future, False

    def set_cache(self, key: tuple[str, str], value: BaseGrammarObject) -> None:
        self.cache[key] = value

    def reset(self) -> None:
        self.cache.clear()


class ReasonerGrammarBackend(BaseGrammarBackend):
    def __init__(
        self,
        grammar_backend: Any,
        reasoning_parser: Any,
        tokenizer: Any,
        enable_strict_thinking: bool = False,
    ) -> None:
        super().__init__()
        self.grammar_backend = grammar_backend
        self.reasoning_parser = reasoning_parser
        if enable_strict_thinking and not grammar_backend.is_support_token_filter:
            raise ValueError("the grammar backend cannot filter tokens")
        self.token_filter = grammar_backend.set_token_filter if enable_strict_thinking else None

    def dispatch_json(self, key_string: str) -> Any:
        """The grammar with the functions of the backend for masks, which all must be there."""
        grammar = self.grammar_backend.dispatch_json(key_string)
        backend = self.grammar_backend
        functions = (backend.allocate_vocab_mask, backend.move_vocab_mask, backend.apply_vocab_mask)
        return ReasonerGrammarObject(grammar, functions, self.token_filter)


class ReasonerGrammarObject(BaseGrammarObject):
    def __init__(self, grammar: Any, functions: tuple[Any, ...], token_filter: Any) -> None:
        super().__init__()
        self.grammar, self.functions, self.token_filter = grammar, functions, token_filter

    def copy(self) -> ReasonerGrammarObject:
        return ReasonerGrammarObject(self.grammar.copy(), self.functions, self.token_filter)


class ReasoningParser:
    def __init__(self, model_type: str, stream_reasoning: bool, tokenizer: Any) -> None:
        self.model_type = model_type


@dataclass
class Serving:
    reasoning_parser: str | None = None
    enable_strict_thinking: bool = False
    constrained_json_disable_any_whitespace: bool = False
    constrained_json_max_whitespace_cnt: int | None = None
    constrained_json_whitespace_pattern: str | None = None


SERVING = Serving()


class HookType:
    AROUND = "around"


class HookRegistry:
    @classmethod
    def register(cls, target: str, hook: Any, hook_type: Any) -> None:
        HOOKS.append((target, hook, hook_type))


def modules() -> dict[str, types.ModuleType]:
    """The modules, by name, for ``sys.modules``."""
    REGISTRY.clear()
    HOOKS.clear()
    CHOICES[:] = ["xgrammar"]

    def module(name: str, **names: Any) -> tuple[str, types.ModuleType]:
        made = types.ModuleType(f"sglang.srt.{name}")
        vars(made).update(names)
        return made.__name__, made

    base = [
        BaseGrammarBackend,
        BaseGrammarObject,
        GrammarRow,
        GrammarStats,
        InvalidGrammarObject,
    ]
    constrained = module(
        "constrained.base_grammar_backend",
        GRAMMAR_BACKEND_REGISTRY=REGISTRY,
        register_grammar_backend=REGISTRY.__setitem__,
        **{item.__name__: item for item in base},
    )
    package = types.ModuleType("sglang.srt.constrained")
    package.base_grammar_backend = constrained[1]  # type: ignore[attr-defined]
    choices = module("arg_groups.choices", add_grammar_backend_choices=CHOICES.extend)
    groups = types.ModuleType("sglang.srt.arg_groups")
    groups.choices = choices[1]  # type: ignore[attr-defined]
    return dict(
        [
            ("sglang", types.ModuleType("sglang")),
            ("sglang.srt", types.ModuleType("sglang.srt")),
            ("sglang.srt.constrained", package),
            constrained,
            ("sglang.srt.arg_groups", groups),
            choices,
            module("plugins.hook_registry", HookRegistry=HookRegistry, HookType=HookType),
            module("runtime_context", get_serving=lambda: SERVING),
            module("constrained.reasoner_grammar_backend", ReasonerGrammarBackend=ReasonerGrammarBackend),
            module("parser.reasoning_parser", ReasoningParser=ReasoningParser),
        ]
    )


def forget() -> None:
    """Removes the adapter's classes, which belong to one set of modules."""
    sys.modules.pop("grammask._sglang", None)


def walk_tree(
    next_token: Any, next_sibling: Any, draft: Any, grammar: Any, rows: Any, vocab_size: int | None = None
) -> None:
    """What ``traverse_tree`` does: masks along a tree of draft tokens, node by node."""
    pending = [(0, -1)]
    path: list[int] = []
    while pending:
        node, parent = pending.pop()
        while path and path[-1] != parent:
            path.pop()
            grammar.rollback(1)
        if node:
            token = int(draft[node])
            is_allowed = 0 <= token < (vocab_size or 2**31) and rows[parent][token // 32] >> token % 32 & 1
            if next_sibling[node] != -1:
                pending.append((int(next_sibling[node]), parent))
            if not is_allowed:
                continue
            grammar.accept_token(token)
            path.append(node)
        if not grammar.is_terminated():
            grammar.fill_vocab_mask(rows, node)
            if next_token[node] != -1:
                pending.append((int(next_token[node]), node))
    for _ in path:
        grammar.rollback(1)
