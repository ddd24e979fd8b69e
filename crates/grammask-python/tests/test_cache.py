"""The cache of compiled grammars, grammars that begin later, and statistics."""

import threading

import numpy as np
import pytest

import grammask

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def test_hits_are_by_text_and_options(byte_tokens: grammask.Vocabulary) -> None:
    cache = grammask.GrammarCache(byte_tokens)
    first = cache.get("json_schema", SCHEMA)
    second = cache.get("json_schema", dict(SCHEMA))
    third = cache.get("json_schema", SCHEMA, whitespace="compact")
    assert first.matcher().accept_bytes(b'{"a": 1}') and second.vocabulary is byte_tokens
    assert not third.matcher().accept_bytes(b'{"a": 1}')
    assert cache.get("kbnf", "start ::= 'a'; other ::= 'b';", start="other").matcher().accept(98)
    assert cache.get("kbnf", "start ::= 'a'; other ::= 'b';").matcher().accept(97)
    assert cache.get("kbnf", "start ::= 'a';", end=[]).ends == []
    stats = cache.stats()
    assert (stats["grammars"], stats["hits"], stats["misses"]) == (5, 1, 5)
    assert 0 < stats["bytes"] < stats["budget"] and len(cache) == 5
    cache.clear()
    assert len(cache) == 0 and cache


def test_errors_of_a_cache(byte_tokens: grammask.Vocabulary) -> None:
    cache = grammask.GrammarCache(byte_tokens, budget=1)
    for _ in range(2):
        with pytest.raises(grammask.GrammarError) as caught:
            cache.get("kbnf", "start ::= ;")
        assert caught.value.rendered is not None
    assert cache.stats()["failures"] == 2
    with pytest.raises(ValueError, match='kind: "sql" is not one of'):
        cache.get("sql", "")
    with pytest.raises(TypeError, match="text: expected a str"):
        cache.get("kbnf", b"start ::= 'a';")
    with pytest.raises(TypeError, match="colour: unknown option"):
        cache.get("kbnf", "start ::= 'a';", colour="red")
    cache.get("kbnf", "start ::= 'a';")
    cache.get("kbnf", "start ::= 'b';")
    assert cache.stats()["evicted"] == 1


def test_threads_share_a_compile_and_requests_are_cancelled(byte_tokens: grammask.Vocabulary) -> None:
    cache = grammask.GrammarCache(byte_tokens)
    found: list[grammask.Grammar] = []
    barrier = threading.Barrier(6)

    def ask() -> None:
        barrier.wait()
        found.append(cache.get("json_schema", SCHEMA))

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stats = cache.stats()
    assert len(found) == 6 and stats["misses"] == 1 and stats["hits"] + stats["shared"] == 5
    request = grammask.Request()
    assert not request.is_cancelled
    cache.cancel(request)
    assert request.is_cancelled
    with pytest.raises(grammask.Cancelled):
        cache.get("json_schema", SCHEMA, request=request)
    assert cache.stats()["cancelled"] == 1


def test_begin(words: grammask.Vocabulary) -> None:
    vocabulary = grammask.Vocabulary(
        [b"yes", b"no", b"</", b"think>", b">no"], {5: "<end>", 6: "<think>"}, end=5
    )
    text = "start ::= 'yes' | 'no';"
    for begin in ("<think>", 6):
        matcher = grammask.Grammar.kbnf(text, vocabulary, begin=begin).matcher()
        assert matcher.allowed() == [0, 1, 2, 3, 4, 6]
        assert matcher.accept_all([3, 3, 6]) == 3 and matcher.allowed() == [0, 1]
    matcher = grammask.Grammar.kbnf(text, vocabulary, begin="</think>").matcher()
    assert matcher.accept_all([6, 0, 2, 3, 1]) == 5 and matcher.is_complete
    schema = grammask.Grammar.json_schema({"const": "yes"}, vocabulary, begin="<think>")
    assert schema.matcher().accept_all([6]) == 1
    with pytest.raises(ValueError, match="begin: the text is empty"):
        grammask.Grammar.kbnf(text, vocabulary, begin="")
    with pytest.raises(ValueError, match="begin: the vocabulary has no token 99"):
        grammask.Grammar.kbnf(text, vocabulary, begin=99)
    with pytest.raises(TypeError, match="begin: expected a token id"):
        grammask.Grammar.kbnf(text, vocabulary, begin=1.5)  # type: ignore[arg-type]


def test_rows_of_ends_and_statistics(answers: grammask.Grammar) -> None:
    assert answers.ends == [5]
    rows = np.full((2, 2), -1, dtype=np.int32)
    matcher = answers.matcher()
    matcher.fill_ends(rows, 1)
    assert rows.tolist() == [[-1, -1], [1 << 5, 0]]
    matcher.fill(rows)
    assert matcher.stats()["asked"] == 1 and set(answers.stats()) >= {
        "bytes",
        "masks",
        "asked",
        "first_visits",
        "seconds",
    }
    assert set(answers.vocabulary.stats()) >= {"bytes", "nodes"}


def test_a_vocabulary_for_more_logits(words: grammask.Vocabulary) -> None:
    wide = words.resized(100)
    assert (wide.size, wide.words, wide.ends, wide.fingerprint) == (100, 4, words.ends, words.fingerprint)
    with pytest.raises(ValueError, match="size: 2 is less than the 6 ids"):
        words.resized(2)


def test_a_tree_keeps_rows_that_cannot_be_reached(answers: grammask.Grammar) -> None:
    draft, next_token, next_sibling = [9, 0, 0, 5, 0], [1, 2, -1, 4, -1], [-1, 3, -1, -1, -1]
    rows = np.full((5, 1), -1, dtype=np.int32)
    assert answers.matcher().fill_tree(rows, next_token, next_sibling, draft, keep=True) == 2
    assert rows[:, 0].tolist() == [0b1011, 0b100100, -1, -1, -1]
