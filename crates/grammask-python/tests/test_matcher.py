"""One output under a grammar: accept, masks, rollback, copies."""

import copy
import random

import numpy as np
import pytest

import grammask
import grammask.numpy


def bits(row: np.ndarray) -> list[int]:
    """The ids of the bits that are set."""
    return np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist()


def test_accept_and_mask(answers: grammask.Grammar) -> None:
    matcher = answers.matcher()
    assert matcher.allowed() == [0, 1, 3]
    assert matcher.accept(3) is True
    assert matcher.accept(1) is False
    assert (matcher.text, len(matcher), matcher.is_complete) == (b"ye", 1, False)
    assert matcher.accept_all([4, 2, 0, 0]) == 3
    assert matcher.is_complete
    assert matcher.allowed() == [2, 5]
    assert matcher.accept(5) and matcher.is_finished
    assert not matcher.accept(2)
    matcher.rollback(1)
    assert not matcher.is_finished and matcher.accept(2)


def test_rollback_reset_and_copies(answers: grammask.Grammar) -> None:
    matcher = answers.matcher()
    assert matcher.accept_all([0, 2, 1]) == 3
    twin = copy.copy(matcher)
    deep = copy.deepcopy(matcher)
    matcher.rollback(2)
    assert (matcher.text, twin.text, deep.text) == (b"yes", b"yes,no", b"yes,no")
    with pytest.raises(ValueError, match="count: .*2.*1"):
        matcher.rollback(2)
    assert matcher.text == b"yes"
    matcher.reset()
    assert len(matcher) == 0 and matcher
    assert matcher.validate([0, 2, 2]) == 2 and len(matcher) == 0


@pytest.mark.parametrize("dtype", [np.int32, np.uint32])
def test_fill_writes_the_mask_and_clears_the_rest(answers: grammask.Grammar, dtype: type) -> None:
    rows = np.full((3, 4), -1, dtype=np.int32).view(dtype)
    answers.matcher().fill(rows, 1)
    assert bits(rows[1]) == [0, 1, 3]
    assert (rows[[0, 2]].view(np.int32) == -1).all()
    line = np.full(4, -1, dtype=np.int32)
    answers.matcher().fill(line)
    assert bits(line) == [0, 1, 3]


def test_fill_into_other_buffers(answers: grammask.Grammar) -> None:
    import array

    row = array.array("i", [-1])
    answers.matcher().fill(row)
    assert row[0] == 0b1011
    memory = memoryview(bytearray(8)).cast("I")
    answers.matcher().fill(memory)
    assert list(memory) == [0b1011, 0]


@pytest.mark.parametrize(
    ("rows", "index", "message"),
    [
        (np.zeros(0, dtype=np.int32), 0, "rows: a row has 0 words"),
        (np.zeros((2, 1), dtype=np.int64), 0, "rows: the items have format"),
        (np.zeros((2, 1), dtype=np.float32), 0, "rows: the items have format"),
        (np.zeros((4, 2), dtype=np.int32)[::2], 0, "rows: the array is not C-contiguous"),
        (np.zeros((1, 2, 3), dtype=np.int32), 0, "rows: the array has 3 dimensions"),
        (np.zeros((2, 1), dtype=np.int32), 2, "index: row 2 of an array with 2 rows"),
        (np.zeros((2, 1), dtype=np.int32), 2**63, "index: row"),
        (np.frombuffer(b"1234", dtype=np.int32), 0, "rows: the array is read-only"),
    ],
)
def test_rows_of_a_wrong_shape(answers: grammask.Grammar, rows: np.ndarray, index: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        answers.matcher().fill(rows, index)


def test_wrong_arguments_are_named(answers: grammask.Grammar) -> None:
    matcher = answers.matcher()
    for token in (-1, 2**32, 2**70):
        with pytest.raises(ValueError, match="token: "):
            matcher.accept(token)
    for token in ("yes", None, 1.0, [0]):
        with pytest.raises(TypeError, match="token: expected a token id"):
            matcher.accept(token)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="rows: expected a writable"):
        matcher.fill([0])
    with pytest.raises(ValueError, match="tokens|token"):
        matcher.accept_all([0, -1])
    assert not matcher.accept(100_000)
    assert len(matcher) == 0
    with pytest.raises(TypeError):
        type("Sub", (grammask.Matcher,), {})


def test_numpy_tokens(answers: grammask.Grammar) -> None:
    matcher = answers.matcher()
    assert matcher.accept(np.int64(0)) and matcher.accept_all(np.array([2, 1])) == 2


def test_fill_is_accept_bit_for_bit(byte_tokens: grammask.Vocabulary) -> None:
    texts = [
        "start ::= 'a' (start | 'b')* 'c'?;",
        "start ::= #'[a-c]+' ('x' start)?;",
        "start ::= list; list ::= '[' (list (',' list)*)? ']';",
        "start ::= #'(ab|a)*' & ~#'.*bab.*';",
    ]
    chance = random.Random(7)
    row = np.zeros(byte_tokens.words, dtype=np.int32)
    for text in texts:
        matcher = grammask.Grammar.kbnf(text, byte_tokens).matcher()
        for _ in range(30):
            matcher.fill(row)
            allowed = bits(row)
            assert allowed == matcher.allowed()
            for token in range(257):
                twin = matcher.copy()
                assert twin.accept(token) == (token in allowed)
                assert (matcher.validate([token]) == 1) == (token in allowed)
            if not allowed or matcher.is_finished:
                break
            matcher.accept(chance.choice(allowed))


def test_forced(byte_tokens: grammask.Vocabulary) -> None:
    grammar = grammask.Grammar.kbnf("start ::= 'key' ':' ('1' | '2');", byte_tokens)
    matcher = grammar.matcher()
    assert matcher.forced_bytes() == b"key:"
    assert bytes(matcher.forced_tokens(list)) == b"key:"[: len(matcher.forced_tokens(list))]
    with pytest.raises(ZeroDivisionError):
        matcher.forced_tokens(lambda _: 1 // 0)
    with pytest.raises(TypeError, match="tokenize"):
        matcher.forced_tokens(lambda _: 3)  # type: ignore[arg-type, return-value]


def test_draft_tree(answers: grammask.Grammar) -> None:
    # Node 0 is the last accepted token; 1 and 4 follow it, 2 and 3 follow 1.
    draft = [99, 0, 2, 1, 3]
    next_token, next_sibling = [1, 2, -1, -1, -1], [-1, 4, 3, -1, -1]
    rows = np.full((6, 1), -1, dtype=np.int32)
    matcher = answers.matcher()
    assert matcher.fill_tree(rows, next_token, next_sibling, draft, start=1) == 4
    expected = [-1]
    for path in ([], [0], [0, 2], None, [3]):
        twin = matcher.copy()
        row = np.zeros(1, dtype=np.int32)
        if path is not None:
            assert twin.accept_all(path) == len(path)
            twin.fill(row)
        expected.append(int(row[0]))
    assert rows[:, 0].tolist() == expected
    assert len(matcher) == 0


@pytest.mark.parametrize(
    ("next_token", "next_sibling", "draft"),
    [
        ([], [], []),
        ([1], [-1], [0, 0]),
        ([1, 0], [-1, -1], [0, 0]),
        ([1, -1], [-1, 1], [0, 0]),
        ([5, -1], [-1, -1], [0, 0]),
        ([-2, -1], [-1, -1], [0, 0]),
        ([1, -1], [-1, -1], [0, -1]),
    ],
)
def test_arrays_that_are_not_a_tree(
    answers: grammask.Grammar, next_token: list[int], next_sibling: list[int], draft: list[int]
) -> None:
    rows = np.full((4, 1), 7, dtype=np.int32)
    with pytest.raises(ValueError, match="draft: "):
        answers.matcher().fill_tree(rows, next_token, next_sibling, draft)
    assert (rows == 7).all()


def test_repr_shows_the_end_of_the_text(answers: grammask.Grammar) -> None:
    matcher = answers.matcher()
    matcher.accept_all([0, 2] * 30)
    assert repr(matcher).startswith("<grammask.Matcher after 60 tokens, ...")
    assert "yes," in repr(matcher)


def test_ends_of_one_matcher(byte_tokens: grammask.Vocabulary) -> None:
    grammar = grammask.Grammar.kbnf("start ::= 'a'+;", byte_tokens)
    matcher = grammar.matcher(end=[10, 256])
    assert (grammar.ends, sorted(matcher.ends), grammar.matcher().ends) == ([256], [10, 256], [256])
    assert matcher.accept(ord("a")) and matcher.allowed() == [10, ord("a"), 256]
    assert matcher.accept(10) and matcher.is_finished and matcher.text == b"a"
    matcher.rollback()
    assert matcher.accept(ord("a")) and matcher.text == b"aa"
    assert matcher.copy().ends == matcher.ends
    row = np.zeros((1, byte_tokens.words), dtype=np.int32)
    matcher.fill_ends(row)
    assert np.flatnonzero(grammask.numpy.allowed(row)[0]).tolist() == [10, 256]
    with pytest.raises(ValueError, match="end: "):
        grammar.matcher(end=[999])
    with pytest.raises(ValueError, match="end: "):
        grammar.matcher(end="<|stop|>")


def test_masks_within_a_budget_end_in_time(byte_tokens: grammask.Vocabulary) -> None:
    schema = {"type": "array", "items": {"type": "string", "minLength": 2}, "minItems": 2}
    grammar = grammask.Grammar.json_schema(schema, byte_tokens)
    least = grammar.matcher().min_tokens_to_end()
    # `["aa","aa"]` and the end.
    assert least == 12 and grammar.matcher().tokens_to_end() == (12, 12)
    row = np.zeros((1, byte_tokens.words), dtype=np.int32)
    random = np.random.default_rng(1)
    for budget in [12, 13, 20, 50]:
        matcher = grammar.matcher()
        for left in range(budget, 0, -1):
            if matcher.is_finished:
                break
            assert matcher.fill_within(row, left)
            allowed = np.flatnonzero(grammask.numpy.allowed(row)[0])
            assert set(allowed) <= set(matcher.allowed())
            assert matcher.accept(int(random.choice(allowed)))
        assert matcher.is_finished
    assert not grammar.matcher().fill_within(row, 11)
    assert not row.any()
    with pytest.raises(ValueError, match="rows"):
        grammar.matcher().fill_within(np.zeros(2, dtype=np.int32), 50)
