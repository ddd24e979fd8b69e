"""grammask as the grammar backend of SGLang.

The package is a plugin (``sglang.srt.plugins``), so this is enough:

    sglang serve MODEL --grammar-backend grammask

:func:`register` adds the backend to SGLang's registry and the name to the command line, and lets the masks of
a tree of draft tokens be computed in one call instead of one for each node.
"""

from __future__ import annotations

import logging
from typing import Any

__all__ = ["NAME", "make_backend", "register", "traverse_tree"]

#: The name of the backend.
NAME = "grammask"

logger = logging.getLogger("grammask")


def register() -> None:
    """The entry point of the plugin. A second call changes nothing."""
    from sglang.srt.arg_groups import choices
    from sglang.srt.constrained import base_grammar_backend

    if NAME in base_grammar_backend.GRAMMAR_BACKEND_REGISTRY:
        return
    base_grammar_backend.register_grammar_backend(NAME, make_backend)
    choices.add_grammar_backend_choices([NAME])
    try:
        from sglang.srt.plugins.hook_registry import HookRegistry, HookType
    except ImportError:
        logger.warning("this version of SGLang has no hooks; draft trees are walked node by node")
        return
    HookRegistry.register("sglang.srt.speculative.spec_utils.traverse_tree", traverse_tree, HookType.AROUND)


def make_backend(server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Any = None) -> Any:
    """Makes the backend, as SGLang's registry calls it.

    SGLang does not wrap registered backends for models that think, so this does: with a parser of thoughts,
    the grammar begins after them.
    """
    from sglang.srt.runtime_context import get_serving

    from grammask import _sglang

    serving = get_serving()
    backend = _sglang.GrammaskGrammarBackend(
        tokenizer,
        vocab_size,
        eos_token_ids,
        any_whitespace=not getattr(serving, "constrained_json_disable_any_whitespace", False),
        max_whitespace=getattr(serving, "constrained_json_max_whitespace_cnt", None),
        whitespace_pattern=getattr(serving, "constrained_json_whitespace_pattern", None),
    )
    if not getattr(serving, "reasoning_parser", None):
        return backend
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarBackend
    from sglang.srt.parser.reasoning_parser import ReasoningParser

    parser = ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    strict = getattr(serving, "enable_strict_thinking", False)
    return ReasonerGrammarBackend(backend, parser, tokenizer, enable_strict_thinking=strict)


def traverse_tree(original: Any, *args: Any, **keywords: Any) -> None:
    """Takes the place of SGLang's function of this name: one native call for a whole tree of draft tokens.

    Grammars of other backends, and outputs that are still thinking, go to the original.
    """
    from grammask import _sglang

    names = (
        "retrieve_next_token",
        "retrieve_next_sibling",
        "draft_tokens",
        "grammar",
        "allocate_token_bitmask",
        "vocab_size",
    )
    values = dict(zip(names, args, strict=False)) | keywords
    grammar = _sglang.plain_grammar(values["grammar"])
    if grammar is None:
        original(*args, **keywords)
        return
    grammar.fill_tree(
        values["allocate_token_bitmask"],
        values["retrieve_next_token"].tolist(),
        values["retrieve_next_sibling"].tolist(),
        values["draft_tokens"].tolist(),
        values.get("vocab_size"),
    )
