"""Followers and processors that follow ids: rollback, beams, ends, refused tokens, new prompts."""

import random

import numpy as np
import pytest

import grammask
import grammask.llamacpp
import grammask.numpy
from grammask.follow import Follower, Followers

END = 5


def bits(row: np.ndarray) -> list[int]:
    return np.flatnonzero(grammask.numpy.allowed(row)).tolist()


def mask(follower: Follower) -> list[int]:
    rows = np.zeros((1, 1), dtype=np.int32)
    follower.fill(rows)
    return bits(rows[0])


def test_a_follower_goes_back_to_the_common_prefix(answers: grammask.Grammar) -> None:
    follower = Follower(answers)
    assert mask(follower) == [0, 1, 3]
    follower.follow([0, 2, 3])
    assert mask(follower) == [4]
    follower.follow([0, 2, 1])
    assert mask(follower) == [2, END]
    follower.follow([0])
    assert mask(follower) == [2, END]
    follower.follow([])
    assert mask(follower) == [0, 1, 3]


def test_refused_tokens_and_ends(answers: grammask.Grammar) -> None:
    follower = Follower(answers)
    follower.follow([0, 0, 2, 1])
    assert (follower.refused, follower.is_open, mask(follower)) == (1, False, [END])
    follower.follow([0, 0, 2])
    assert follower.refused == 1
    follower.follow([0, 2, 1, END, 0, 0])
    assert (follower.refused, follower.is_open, mask(follower)) == (None, False, [END])
    follower.follow([0, 2, 1, END, 7])
    assert follower.refused is None
    follower.follow([0, 2])
    assert (follower.is_open, mask(follower)) == (True, [0, 1, 3])
    twin = follower.copy()
    twin.follow([1])
    assert (follower.tokens, twin.tokens, mask(follower)) == ([0, 2], [1], [0, 1, 3])


def test_random_walks_agree_with_fresh_matchers(byte_tokens: grammask.Vocabulary) -> None:
    grammar = grammask.Grammar.kbnf(
        "start ::= list; list ::= '[' (list (',' list)*)? ']' | #'[a-c]{1,5}';", byte_tokens
    )
    chance = random.Random(3)
    follower = Follower(grammar)
    tokens: list[int] = []
    for _ in range(300):
        tokens = tokens[: chance.randrange(len(tokens) + 1)] if chance.random() < 0.3 else tokens
        fresh = grammar.matcher()
        count = fresh.accept_all(tokens)
        choices = fresh.allowed() if count == len(tokens) else []
        tokens = [
            *tokens,
            chance.choice(choices) if choices and chance.random() < 0.9 else chance.randrange(257),
        ]
        follower.follow(tokens)
        fresh = grammar.matcher()
        count = fresh.accept_all(tokens)
        if count == len(tokens) and not fresh.is_finished:
            rows = np.zeros((1, byte_tokens.words), dtype=np.int32)
            follower.fill(rows)
            assert (follower.refused, bits(rows[0])) == (None, fresh.allowed())
        else:
            assert not follower.is_open
            assert (follower.refused is None) == fresh.is_finished


def test_rows_change_places(answers: grammask.Grammar) -> None:
    rows = np.zeros((3, 1), dtype=np.int32)
    followers = Followers(answers)
    followers.follow([[], [], []])
    assert followers.fill(rows) == [0, 1, 2]
    followers.follow([[0], [1], [3]])
    # Both continuations of row 2 come first, then one of row 0.
    followers.follow([[3, 4], [3, 0], [0, 2]])
    assert followers.fill(rows) == [0, 1, 2]
    assert [bits(row) for row in rows] == [[2, END], [END], [0, 1, 3]]
    assert [row.refused for row in followers.rows] == [None, 1, None]
    followers.accept([2, 9, 1])
    followers.fill(rows)
    assert [bits(row) for row in rows] == [[0, 1, 3], [END], [2, END]]


def test_one_grammar_for_each_prompt(answers: grammask.Grammar, words: grammask.Vocabulary) -> None:
    other = grammask.Grammar.kbnf("start ::= 'no' 'no';", words)
    rows = np.full((6, 1), -1, dtype=np.int32)
    followers = Followers([answers, other, None])
    followers.follow([[], [], [], [1], [], []])
    assert followers.fill(rows, threads=2) == [0, 1, 2, 3]
    assert [bits(row) for row in rows[:4]] == [[0, 1, 3], [0, 1, 3], [1], [1]]
    assert (rows[4:] == -1).all()
    with pytest.raises(ValueError, match="3 grammars for 4 rows"):
        followers.follow([[]] * 4)
    with pytest.raises(ValueError, match="empty"):
        Followers([])


def test_a_row_of_one_grammar_is_not_continued_by_another(
    answers: grammask.Grammar, words: grammask.Vocabulary
) -> None:
    other = grammask.Grammar.kbnf("start ::= 'yes' 'no';", words)
    followers = Followers([answers, other])
    followers.follow([[0], []])
    followers.follow([[0, 2], [0]])
    rows = np.zeros((2, 1), dtype=np.int32)
    followers.fill(rows)
    assert [bits(row) for row in rows] == [[0, 1, 3], [1]]


def test_numpy_logits() -> None:
    rows = np.array([[0b101], [0b10]], dtype=np.int32)
    logits = np.ones((2, 40), dtype=np.float32)
    grammask.numpy.apply(logits, rows)
    assert [np.flatnonzero(np.isfinite(row)).tolist() for row in logits] == [[0, 2], [1]]
    narrow = np.ones((2, 2), dtype=np.float16)[:, ::-1]
    grammask.numpy.apply(narrow, rows)
    assert np.isfinite(narrow).tolist() == [[True, False], [False, True]]
    assert np.isfinite(grammask.numpy.apply(np.ones(3, dtype=np.float64), rows[:1])).tolist() == [
        True,
        False,
        True,
    ]
    with pytest.raises(TypeError, match="logits: expected floating-point"):
        grammask.numpy.apply(np.ones((2, 2), dtype=np.int32), rows)
    with pytest.raises(TypeError, match="rows: expected int32"):
        grammask.numpy.apply(np.ones((2, 2)), rows.astype(np.int64))
    with pytest.raises(ValueError, match="rows: the shape"):
        grammask.numpy.apply(np.ones((3, 2)), rows)


def test_llama_cpp_outputs_begin_after_the_prompt(answers: grammask.Grammar) -> None:
    processor = grammask.llamacpp.GrammarProcessor(answers)

    def step(*ids: int) -> list[int]:
        scores = np.zeros(8, dtype=np.single)
        out = processor(np.array(ids, dtype=np.intc), scores)
        assert out is scores
        return np.flatnonzero(np.isfinite(out)).tolist()

    assert step(0, 0, 7) == [0, 1, 3]
    assert step(0, 0, 7, 0) == [2, END]
    assert step(0, 0, 7, 0, 2) == [0, 1, 3]
    # A retry takes two tokens back.
    assert step(0, 0, 7) == [0, 1, 3]
    # Another prompt, and one that is longer than the last call by more than a token.
    assert step(1, 1) == [0, 1, 3]
    assert step(1, 1, 3) == [4]
    assert step(1, 1, 3, 4, 2) == [0, 1, 3]
    processor.reset()
    assert step(1, 1, 3, 4, 2, 0) == [0, 1, 3]


def test_followers_end_in_time(byte_tokens: grammask.Vocabulary) -> None:
    grammar = grammask.Grammar.kbnf("start ::= '(' start ')' | 'x';", byte_tokens)
    rows = grammask.numpy.allocate(2, byte_tokens)
    followers = Followers([grammar, None], max_tokens=6)
    outputs: list[list[int]] = [[], []]
    while 256 not in outputs[0]:
        followers.follow(outputs)
        assert followers.fill(rows) == [0]
        allowed = np.flatnonzero(grammask.numpy.allowed(rows)[0])
        outputs = [[*outputs[0], int(allowed.min())], [*outputs[1], 7]]
        assert len(outputs[0]) <= 6
    assert bytes(outputs[0][:-1]) == b"((x))"
    # Where nothing fits, the mask is that of the grammar.
    late = Follower(grammar, max_tokens=1)
    late.fill(rows, 0)
    assert np.flatnonzero(grammask.numpy.allowed(rows)[0]).tolist() == [ord("("), ord("x")]
