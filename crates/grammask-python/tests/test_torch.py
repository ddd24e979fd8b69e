"""Masks on tensors, and the processor of transformers driven as its generation loops do. Needs torch."""

import itertools
from typing import Any

import numpy as np
import pytest

import grammask
from grammask.follow import Follower

torch: Any = pytest.importorskip("torch")

import grammask.torch  # noqa: E402 - after the question whether torch is there
from grammask.transformers import GrammarProcessor  # noqa: E402

DTYPES = ["float16", "bfloat16", "float32", "float64"]
END = 5


def reference(logits: Any, rows: Any) -> Any:
    """The logits that are expected: bit by bit."""
    out = logits.clone()
    for row, token in itertools.product(range(out.shape[0]), range(out.shape[1])):
        word = token // 32
        if word >= rows.shape[1] or not int(rows[row, word]) >> token % 32 & 1:
            out[row, token] = float("-inf")
    return out


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("width", [1, 31, 64, 70, 100])
def test_apply_is_bit_by_bit(dtype: str, width: int) -> None:
    rows = torch.randint(-(2**31), 2**31 - 1, (3, 3), dtype=torch.int64).to(torch.int32)
    logits = torch.randn(3, width, dtype=torch.float32).to(getattr(torch, dtype))
    expected = reference(logits, rows)
    assert torch.equal(grammask.torch.apply(logits.clone(), rows), expected)
    # Not contiguous, in both dimensions.
    spread = torch.zeros(3, width * 2, dtype=logits.dtype)[:, ::2]
    spread.copy_(logits)
    assert grammask.torch.apply(spread, rows) is spread and torch.equal(spread, expected)
    turned = logits.t().contiguous().t()
    grammask.torch.apply(turned, rows)
    assert torch.equal(turned, expected)


def test_indices_one_dimension_and_errors() -> None:
    rows = torch.tensor([[0b11], [0b100]], dtype=torch.int32)
    logits = torch.zeros(4, 3)
    grammask.torch.apply(logits, rows, indices=[3, 0])
    assert torch.isfinite(logits).tolist() == [
        [False, False, True],
        [True] * 3,
        [True] * 3,
        [True, True, False],
    ]
    assert torch.isfinite(grammask.torch.apply(torch.zeros(3), rows[1])).tolist() == [False, False, True]
    with pytest.raises(TypeError, match="logits: expected a floating-point tensor"):
        grammask.torch.apply(torch.zeros(2, 3, dtype=torch.int32), rows)
    with pytest.raises(TypeError, match="rows: expected an int32 tensor"):
        grammask.torch.apply(torch.zeros(2, 3), rows.to(torch.int64))
    with pytest.raises(ValueError, match="rows: 2 rows for 3 rows of logits"):
        grammask.torch.apply(torch.zeros(3, 3), rows)
    for wrong in ([0], [0, 4], [0, -1], [1, 1]):
        with pytest.raises(ValueError, match="indices: "):
            grammask.torch.apply(torch.zeros(4, 3), rows, indices=wrong)
    with pytest.raises(ValueError, match="2 dimensions"):
        grammask.torch.apply(torch.zeros(1, 2, 3), rows)


def test_rows_of_tensors(answers: grammask.Grammar) -> None:
    rows = grammask.torch.allocate(3, answers.vocabulary, pin=False)
    assert rows.shape == (3, 1) and (rows == -1).all()
    answers.matcher().fill(rows, 1)
    assert rows[:, 0].tolist() == [-1, 0b1011, -1]
    # Slices come and go, and the tensor is still found.
    for _ in range(20):
        answers.matcher().fill(rows[2:])
    assert rows[:, 0].tolist() == [-1, 0b1011, 0b1011]
    assert grammask.fill_masks([answers.matcher()] * 1, rows, indices=[0]) == 0
    assert rows[:, 0].tolist() == [0b1011] * 3
    with pytest.raises(ValueError, match="int32"):
        answers.matcher().fill(torch.zeros(3, 1, dtype=torch.float32))
    with pytest.raises(ValueError, match="contiguous"):
        answers.matcher().fill(torch.zeros(2, 4, dtype=torch.int32)[:, ::2])
    assert grammask.torch.allocate(2, 33, pin=False).shape == (2, 2)


def finite(scores: Any) -> list[list[int]]:
    return [torch.nonzero(row.isfinite()).flatten().tolist() for row in scores]


def test_greedy_batches_with_padding(answers: grammask.Grammar) -> None:
    processor = GrammarProcessor(answers)
    prompt = torch.tensor([[7, 7], [7, 0]])
    assert finite(processor(prompt, torch.zeros(2, 8))) == [[0, 1, 3]] * 2
    ids = torch.cat([prompt, torch.tensor([[0], [3]])], dim=1)
    assert finite(processor(ids, torch.zeros(2, 8))) == [[2, END], [4]]
    ids = torch.cat([ids, torch.tensor([[END], [4]])], dim=1)
    # A finished row is padded, and may only end.
    assert finite(processor(ids, torch.zeros(2, 8))) == [[END], [2, END]]
    ids = torch.cat([ids, torch.tensor([[7], [2]])], dim=1)
    assert finite(processor(ids, torch.zeros(2, 8))) == [[END], [0, 1, 3]]
    assert processor.refused == []
    # Another prompt begins again.
    assert finite(processor(torch.tensor([[1, 1], [1, 1]]), torch.zeros(2, 8))) == [[0, 1, 3]] * 2


def test_beams_and_guesses(answers: grammask.Grammar) -> None:
    processor = GrammarProcessor([answers, None])
    prompt = torch.zeros(4, 3, dtype=torch.int64)
    free = list(range(8))
    assert finite(processor(prompt, torch.zeros(4, 8))) == [[0, 1, 3], [0, 1, 3], free, free]

    def step(*outputs: list[int]) -> list[list[int]]:
        ids = torch.tensor([[0, 0, 0, *output] for output in outputs])
        return finite(processor(ids, torch.zeros(4, 8)))

    assert step([0], [3], [9], [9]) == [[2, END], [4], free, free]
    # Both beams continue the second one, one of them with a token of probability 0.
    assert step([3, 4], [3, 0], [9, 9], [9, 9]) == [[2, END], [END], free, free]
    assert processor.refused == [1]
    # Guesses are taken back.
    assert step([3], [3], [9], [9]) == [[4], [4], free, free]
    processor.reset()
    assert step([3], [3], [9], [9])[0] == [0, 1, 3]


def test_random_beams_agree_with_fresh_followers(byte_tokens: grammask.Vocabulary) -> None:
    grammar = grammask.Grammar.kbnf("start ::= ('a' | 'b')+ ('c' start)?;", byte_tokens)
    generator = np.random.default_rng(2)
    processor = GrammarProcessor(grammar)
    rows: list[list[int]] = [[] for _ in range(4)]
    row = grammask.torch.allocate(1, byte_tokens, pin=False)
    for _ in range(30):
        ids = torch.tensor([[1, 2, *output] for output in rows])
        got = processor(ids, torch.zeros(4, 257))
        for place, output in enumerate(rows):
            fresh = Follower(grammar)
            fresh.follow(output)
            fresh.fill(row)
            assert torch.equal(got[place], grammask.torch.apply(torch.zeros(257), row[0]))
        parents = generator.integers(0, 4, size=4)
        rows = [[*rows[parent], int(generator.choice([97, 98, 99, 256, 120]))] for parent in parents]


def test_a_small_llama(byte_tokens: grammask.Vocabulary) -> None:
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.LlamaConfig(vocab_size=300, eos_token_id=256, pad_token_id=257, **sizes)
    model = transformers.LlamaForCausalLM(config).eval()
    vocabulary = byte_tokens.resized(300)
    schema = {
        "type": "object",
        "properties": {"n": {"enum": [1, 23, 456]}},
        "required": ["n"],
        "additionalProperties": False,
    }
    grammar = grammask.Grammar.json_schema(schema, vocabulary, whitespace="compact")
    prompt = torch.tensor([[1, 2, 3], [4, 5, 6]])
    for options in (
        {"do_sample": False},
        {"do_sample": True, "temperature": 1.5},
        {"num_beams": 3, "do_sample": False},
        {"num_beams": 3, "num_return_sequences": 3, "do_sample": False},
        {"prompt_lookup_num_tokens": 3, "do_sample": False},
    ):
        rows = prompt[:1] if "prompt_lookup_num_tokens" in options else prompt
        processor = GrammarProcessor(grammar)
        out = model.generate(rows, logits_processor=[processor], max_new_tokens=30, **options)
        for ids in out:
            text = bytes(token for token in ids[3:].tolist() if token < 256)
            assert text in (b'{"n":1}', b'{"n":23}', b'{"n":456}'), (options, text)
