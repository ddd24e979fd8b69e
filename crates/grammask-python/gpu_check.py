"""Checks and times ``grammask.torch`` and ``grammask.transformers`` on a GPU.

    python gpu_check.py [--quick] [--device cuda]

Needs the wheel, torch, transformers and numpy, and no network. Prints a table; the exit status is 1 if a mask
on the device differs from the one on the CPU in any bit, or an output is not in its grammar.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

import grammask
import grammask.torch
from grammask.transformers import GrammarProcessor

DTYPES = [torch.bfloat16, torch.float16, torch.float32]
BATCHES = [1, 64, 256]
#: The ids of Llama 3; its logits are as many.
VOCABULARY = 128_256
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 12},
        "age": {"type": "integer", "minimum": 0, "maximum": 130},
        "tags": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "maxItems": 3},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}

failures: list[str] = []


def check(is_right: bool, what: str) -> None:
    """Counts and prints what is wrong."""
    if not is_right:
        failures.append(what)
        print(f"DIFFERENT: {what}")


def vocabulary(size: int = VOCABULARY) -> grammask.Vocabulary:
    """All bytes, and words made of digits and letters up to ``size`` ids; the last id ends an output."""
    letters = b"etaoinshrdlucmfwypvbgkqjxz0123456789 "
    tokens = [bytes([byte]) for byte in range(256)]
    word = 0
    while len(tokens) < size - 1:
        number, text = word, bytearray()
        for _ in range(2 + word % 5):
            number, letter = divmod(number, len(letters))
            text.append(letters[letter])
        tokens.append(bytes(text) + word.to_bytes(3, "big").hex().encode() if word > 40_000 else bytes(text))
        word += 1
    return grammask.Vocabulary(tokens, {size - 1: "<|end|>"}, end=size - 1)


def same(first: torch.Tensor, second: torch.Tensor) -> bool:
    """True if all bits are equal, so that one NaN equals another."""
    kind = {2: torch.int16, 4: torch.int32}[first.element_size()]
    return torch.equal(first.cpu().contiguous().view(kind), second.cpu().contiguous().view(kind))


def reference(logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """What ``apply`` must make of logits, by numpy on the CPU."""
    bits = np.unpackbits(rows.numpy().view(np.uint8), axis=1, bitorder="little").astype(bool)
    out = logits.cpu().clone()
    width = out.shape[1]
    allowed = np.zeros((out.shape[0], width), dtype=bool)
    covered = min(width, bits.shape[1])
    allowed[:, :covered] = bits[:, :covered]
    out[~torch.from_numpy(allowed)] = float("-inf")
    return out


def check_apply(device: str, batches: list[int]) -> None:
    """Random masks on random logits, in every shape that callers have."""
    generator = torch.Generator().manual_seed(1)
    cases = 0
    for dtype in DTYPES:
        for batch in batches:
            # Logits as wide as the rows, wider, narrower, and not a multiple of 32.
            for width, ids in (
                (VOCABULARY, VOCABULARY),
                (VOCABULARY + 320, VOCABULARY),
                (1000, 1024),
                (50_257, 50_257),
            ):
                for pin in (False, device != "cpu"):
                    rows = grammask.torch.allocate(batch, ids, pin=pin)
                    rows.random_(-(2**31), 2**31 - 1, generator=generator)
                    base = torch.randn(batch, width, generator=generator).to(dtype)
                    base[:, :3] = torch.tensor([float("nan"), float("inf"), -0.0]).to(dtype)
                    expected = reference(base, rows)
                    name = f"{dtype} batch {batch} logits {width} ids {ids} pinned {pin}"
                    plain = grammask.torch.apply(base.to(device), rows)
                    check(same(plain, expected), name)
                    check(same(grammask.torch.apply(base.clone(), rows), expected), f"{name}, on the CPU")
                    on_device = grammask.torch.apply(base.to(device), rows.to(device))
                    check(same(on_device, expected), f"{name}, rows on the device")
                    spread = torch.zeros(batch, width + 5, dtype=dtype, device=device)[:, 2 : width + 2]
                    spread.copy_(base)
                    grammask.torch.apply(spread, rows)
                    check(same(spread, expected), f"{name}, logits with gaps")
                    turned = base.to(device).t().contiguous().t()
                    grammask.torch.apply(turned, rows)
                    check(same(turned, expected), f"{name}, logits by column")
                    indices = list(range(batch - 1, -1, -2))
                    some = base.to(device)
                    grammask.torch.apply(some, rows[: len(indices)], indices=indices)
                    mixed = base.clone()
                    mixed[indices] = reference(base[indices], rows[: len(indices)])
                    check(same(some, mixed), f"{name}, with indices")
                    cases += 6
    print(f"apply: {cases} cases compared with numpy, {len(failures)} different")


def microseconds(work: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Median and 99th percentile of a call, which waits for the device."""
    for _ in range(5):
        work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1e6)
    times.sort()
    return statistics.median(times), times[int(len(times) * 0.99)]


def time_steps(device: str, grammar: grammask.Grammar, batches: list[int], repeats: int) -> None:
    """Times of a step: masks of a batch, copying them, and applying them."""
    synchronize = torch.cuda.synchronize if device != "cpu" else lambda: None
    print("\nmicroseconds, median and 99th percentile")
    print(
        f"{'batch':>5} {'dtype':>9} {'fill':>15} {'copy':>15} {'apply on device':>17} {'fill+copy+apply':>17}"
    )
    for batch in batches:
        matchers = [grammar.matcher() for _ in range(batch)]
        for number, matcher in enumerate(matchers):
            matcher.accept_bytes(b'{"name": "Ada", "age": 7'[: number % 20])
        rows = grammask.torch.allocate(batch, grammar.vocabulary, pin=device != "cpu")
        on_device = rows.to(device)

        def fill(matchers: list[grammask.Matcher] = matchers, rows: torch.Tensor = rows) -> None:
            grammask.fill_masks(matchers, rows)

        def copy(rows: torch.Tensor = rows, on_device: torch.Tensor = on_device) -> None:
            on_device.copy_(rows, non_blocking=True)
            synchronize()

        for dtype in DTYPES:
            logits = torch.randn(batch, grammar.vocabulary.size, dtype=torch.float32).to(
                device=device, dtype=dtype
            )

            def apply(logits: torch.Tensor = logits, on_device: torch.Tensor = on_device) -> None:
                grammask.torch.apply(logits, on_device)
                synchronize()

            def whole(logits: torch.Tensor = logits, rows: torch.Tensor = rows) -> None:
                fill()
                grammask.torch.apply(logits, rows)
                synchronize()

            columns = [microseconds(work, repeats) for work in (fill, copy, apply, whole)]
            text = " ".join(
                f"{p50:>{width}.1f} {p99:>7.1f}"
                for (p50, p99), width in zip(columns, (7, 7, 9, 9), strict=True)
            )
            print(f"{batch:>5} {str(dtype).removeprefix('torch.'):>9} {text}")


def check_generation(device: str) -> None:
    """Greedy, sampled and beam search of a small Llama with random weights: all outputs obey the schema."""
    import transformers

    torch.manual_seed(3)
    size = 1000
    words = vocabulary(size)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.LlamaConfig(
        vocab_size=size,
        eos_token_id=size - 1,
        pad_token_id=0,
        bos_token_id=1,
        max_position_embeddings=512,
        **sizes,
    )
    model = transformers.LlamaForCausalLM(config).to(device=device, dtype=torch.bfloat16).eval()
    grammar = grammask.Grammar.json_schema(SCHEMA, words, whitespace="compact")
    prompt = torch.randint(300, 900, (4, 7), device=device)
    mask = torch.ones_like(prompt)
    for name, options in {
        "greedy": {"do_sample": False},
        "sampling": {"do_sample": True, "temperature": 1.3},
        "beams": {"num_beams": 4, "do_sample": False},
        "beams, all returned": {"num_beams": 4, "num_return_sequences": 4, "do_sample": False},
    }.items():
        processor = GrammarProcessor(grammar)
        start = time.perf_counter()
        out = model.generate(
            prompt, attention_mask=mask, logits_processor=[processor], max_new_tokens=120, **options
        )
        seconds = time.perf_counter() - start
        complete = 0
        for ids in out[:, prompt.shape[1] :].tolist():
            matcher = grammar.matcher()
            ends = [place for place, token in enumerate(ids) if token == size - 1]
            text = ids[: ends[0]] if ends else [token for token in ids]
            count = matcher.accept_all(text)
            check(count == len(text), f"{name}: token {count} of {text}")
            if ends:
                check(matcher.is_complete, f"{name}: {matcher.text!r} is not complete")
                json.loads(matcher.text)
                complete += 1
        counts = f"{len(out)} outputs, {complete} complete, {out.shape[1]} tokens"
        print(f"generate, {name}: {counts}, {seconds:.2f} s")


def main() -> int:
    """Runs all checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quick", action="store_true", help="fewer shapes and repeats")
    arguments = parser.parse_args()
    device = arguments.device
    if device != "cpu" and not torch.cuda.is_available():
        print("no CUDA device")
        return 2
    name = torch.cuda.get_device_name() if device != "cpu" else "CPU"
    print(f"grammask {grammask.__version__}, torch {torch.__version__}, {name}")
    batches = [1, 8] if arguments.quick else BATCHES
    check_apply(device, batches)
    start = time.perf_counter()
    words = vocabulary()
    print(f"vocabulary of {words.size} ids: {time.perf_counter() - start:.2f} s")
    grammar = grammask.Grammar.json_schema(SCHEMA, words)
    time_steps(device, grammar, batches, 20 if arguments.quick else 300)
    print()
    check_generation(device)
    print(f"\n{len(failures)} differences")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
