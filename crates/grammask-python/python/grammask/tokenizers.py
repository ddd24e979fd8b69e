"""Vocabularies from the tokenizer objects of other libraries.

Nothing is imported from these libraries: an object is recognized by the names of its class and its methods.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from grammask._grammask import Vocabulary

__all__ = ["from_tokenizer", "is_known"]


def from_tokenizer(
    tokenizer: Any,
    *,
    format: str | None = None,
    added: str | Iterable[str] | None = None,
    end: int | str | Iterable[int | str] | None = None,
    size: int | None = None,
) -> Vocabulary:
    """Makes a vocabulary with the ids of a tokenizer.

    ``tokenizer`` is one of: a transformers tokenizer with a fast backend, a ``tokenizers.Tokenizer``, a
    ``tiktoken.Encoding``, a ``SentencePieceProcessor``, a tokenizer of mistral-common, a ``llama_cpp.Llama``,
    the path of a tokenizer in any format, the path of a folder with the files of a model, or the bytes of a
    tokenizer.

    ``format`` and ``added`` are for paths and bytes: see ``Vocabulary.load``.

    ``end`` names the tokens that end an output, by id or by the name of a special token. Without it, these
    are the end token that the tokenizer object knows, and special tokens whose names end a text in known
    models.
    ``size`` is the number of logits of the
    model.

    Raises ``TypeError`` for an object of another kind, and ``VocabularyError`` for a tokenizer that cannot be
    read.
    """
    if isinstance(tokenizer, (bytes, str, os.PathLike)):
        return Vocabulary.load(tokenizer, format=format, added=added, end=end, size=size)
    if format is not None or added is not None:
        raise ValueError("format, added: these options are for paths and bytes")
    for matches, make in _KINDS:
        if matches(tokenizer):
            return make(tokenizer, end, size)
    kind = type(tokenizer)
    raise TypeError(f"tokenizer: {kind.__module__}.{kind.__qualname__} is not a known kind of tokenizer")


def is_known(tokenizer: Any) -> bool:
    """True if :func:`from_tokenizer` reads tokenizers of this kind. A tokenizer may still be one that it
    cannot read.
    """
    is_file = isinstance(tokenizer, (bytes, str, os.PathLike))
    return is_file or any(matches(tokenizer) for matches, _ in _KINDS)


def _from_transformers(tokenizer: Any, end: Any, size: int | None) -> Vocabulary:
    vocabulary = Vocabulary.load(tokenizer.backend_tokenizer.to_str().encode(), end=end, size=size)
    return _with_eos(vocabulary, end, getattr(tokenizer, "eos_token_id", None))


def _from_tokenizers(tokenizer: Any, end: Any, size: int | None) -> Vocabulary:
    return Vocabulary.load(tokenizer.to_str().encode(), end=end, size=size)


def _from_tiktoken(encoding: Any, end: Any, size: int | None) -> Vocabulary:
    special = {token: name for name, token in encoding._special_tokens.items()}
    tokens: list[bytes | None] = [None] * (encoding.max_token_value + 1)
    for text, token in encoding._mergeable_ranks.items():
        tokens[token] = text
    return _with_eos(Vocabulary(tokens, special, end=end, size=size), end)


def _from_sentencepiece(processor: Any, end: Any, size: int | None) -> Vocabulary:
    return Vocabulary.load(
        processor.serialized_model_proto(), format="sentencepiece", end=end, size=size
    )


def _from_mistral(tokenizer: Any, end: Any, size: int | None) -> Vocabulary:
    # vLLM wraps the tokenizer of mistral-common once more.
    tokenizer = getattr(tokenizer, "mistral", tokenizer)
    inner = getattr(tokenizer, "instruct_tokenizer", tokenizer)
    inner = getattr(inner, "tokenizer", inner)
    if (
        hasattr(inner, "get_piece_size")
        or hasattr(inner, "_model")
        and hasattr(inner._model, "get_piece_size")
    ):
        return _from_sentencepiece(getattr(inner, "_model", inner), end, size)
    specials = inner.num_special_tokens
    tokens: list[bytes | None] = [None] * specials
    special = {token: inner.id_to_piece(token) for token in range(specials)}
    tokens += [inner.id_to_byte_piece(token) for token in range(specials, inner.n_words)]
    return _with_eos(Vocabulary(tokens, special, end=end, size=size), end, inner.eos_id)


def _from_llama_cpp(model: Any, end: Any, size: int | None) -> Vocabulary:
    count = model.n_vocab()
    tokens: list[bytes | None] = []
    special = {}
    for token in range(count):
        text = model.detokenize([token])
        name = model.detokenize([token], special=True)
        if text or not name:
            tokens.append(text or None)
        else:
            special[token] = name.decode("utf-8", "replace")
            tokens.append(None)
    return _with_eos(Vocabulary(tokens, special, end=end, size=size), end, model.token_eos())


def _with_eos(vocabulary: Vocabulary, end: Any, eos: Any = None) -> Vocabulary:
    """The vocabulary whose ends are those that were asked for; else the one that the tokenizer knows, and
    those that are ends by their names.
    """
    if end is not None:
        return vocabulary
    known = list(eos) if isinstance(eos, Sequence) else [] if eos is None else [eos]
    return vocabulary.with_ends(dict.fromkeys([*known, *vocabulary.with_known_ends().ends]))


def _is_mistral(tokenizer: Any) -> bool:
    return type(tokenizer).__module__.startswith(("mistral_common.", "vllm.tokenizers.mistral"))


#: How a kind of tokenizer is recognized, and how it is read.
_KINDS = [
    (_is_mistral, _from_mistral),
    (
        lambda t: hasattr(t, "backend_tokenizer") and hasattr(t.backend_tokenizer, "to_str"),
        _from_transformers,
    ),
    (lambda t: hasattr(t, "to_str") and hasattr(t, "id_to_token"), _from_tokenizers),
    (lambda t: hasattr(t, "_mergeable_ranks") and hasattr(t, "_special_tokens"), _from_tiktoken),
    (lambda t: hasattr(t, "serialized_model_proto"), _from_sentencepiece),
    (lambda t: hasattr(t, "detokenize") and hasattr(t, "n_vocab"), _from_llama_cpp),
]

#: Vocabularies that were unpickled and are still in use: equal ones share what their grammars compute.
_UNPICKLED: weakref.WeakValueDictionary[tuple[int, tuple[int, ...], int], Vocabulary] = (
    weakref.WeakValueDictionary()
)


def _unpickle(fingerprint: int, tokens: bytes, ends: list[int], size: int) -> Vocabulary:
    key = (fingerprint, tuple(ends), size)
    known = _UNPICKLED.get(key)
    if known is None:
        known = _UNPICKLED[key] = Vocabulary.load(tokens, end=ends, size=size)
    return known
