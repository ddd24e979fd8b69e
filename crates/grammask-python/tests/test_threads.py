"""Batches and threads: one call fills many rows, and an object belongs to one call at a time."""

import threading

import numpy as np
import pytest

import grammask


def test_a_batch_is_its_matchers_one_by_one(answers: grammask.Grammar) -> None:
    matchers = [answers.matcher() for _ in range(70)]
    for number, matcher in enumerate(matchers):
        matcher.accept_all([0, 2, 1, 5][: number % 5])
    expected = np.zeros((70, 1), dtype=np.int32)
    for number, matcher in enumerate(matchers):
        matcher.copy().fill(expected, number)
    for threads in (1, 2, 9):
        rows = np.full((80, 1), -1, dtype=np.int32)
        assert grammask.fill_masks(matchers, rows, threads=threads, indices=range(5, 75)) == 0
        assert (rows[5:75] == expected).all() and (rows[:5] == -1).all() and (rows[75:] == -1).all()
    places = np.random.default_rng(1).permutation(70).tolist()
    rows = np.zeros((70, 1), dtype=np.int32)
    grammask.fill_masks(matchers, rows, indices=places)
    assert (rows[places] == expected).all()
    assert grammask.fill_masks([], rows) == 0


def test_wrong_batches_change_nothing(answers: grammask.Grammar) -> None:
    matchers = [answers.matcher(), answers.matcher()]
    rows = np.full((2, 1), 7, dtype=np.int32)
    with pytest.raises(ValueError, match="indices: 1 indices for 2 matchers"):
        grammask.fill_masks(matchers, rows, indices=[0])
    with pytest.raises(ValueError, match="indices: row 2"):
        grammask.fill_masks(matchers, rows, indices=[0, 2])
    with pytest.raises(ValueError, match="index: row 2"):
        grammask.fill_masks([*matchers, answers.matcher()], rows)
    with pytest.raises(RuntimeError, match="in use"):
        grammask.fill_masks([matchers[0], matchers[0]], rows)
    assert (rows == 7).all()
    # They are given back: all calls work again.
    assert grammask.fill_masks(matchers, rows) == 0


def test_threads_share_a_grammar(byte_tokens: grammask.Vocabulary) -> None:
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in "abcdef"}}
    grammar = grammask.Grammar.json_schema(schema, byte_tokens)
    document = b'{"a": "xyz", "f": "", "new": [1, 2, {"b": null}]}'
    failures: list[BaseException] = []
    rows = np.zeros((4, byte_tokens.words), dtype=np.int32)

    def follow(number: int) -> None:
        try:
            for _ in range(20):
                matcher = grammar.matcher()
                for byte in document:
                    matcher.fill(rows, number)
                    assert rows[number, byte // 32] >> byte % 32 & 1
                    assert matcher.accept(byte)
                assert matcher.is_complete
        except BaseException as error:  # noqa: BLE001 - reported below
            failures.append(error)

    threads = [threading.Thread(target=follow, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_one_matcher_in_two_threads_is_an_error_or_right(answers: grammask.Grammar) -> None:
    matcher = answers.matcher()
    seen: set[str] = set()

    def fill() -> None:
        row = np.zeros(1, dtype=np.int32)
        for _ in range(2000):
            try:
                matcher.fill(row)
                assert row[0] == 0b1011
            except RuntimeError as error:
                seen.add(str(error))

    threads = [threading.Thread(target=fill) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("in use" in message for message in seen)
