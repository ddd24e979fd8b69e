"""Loading tokenizer files with grammask and with Hugging Face's tokenizers, in one Python process.

    python vocabularies.py FILE...

Needs grammask and tokenizers. FILE is a tokenizer.json. Each number is the least of five loads, in
milliseconds of CPU time of the process; the two take turns. tokenizers also reads the merges, which it needs
to cut texts. The last column reads the pickle of the same vocabulary, which is its built form.
"""

from __future__ import annotations

import pathlib
import pickle
import sys
import time
from collections.abc import Callable

import tokenizers

import grammask

ROUNDS = 5


def milliseconds(call: Callable[[], object]) -> float:
    start = time.process_time_ns()
    call()
    return (time.process_time_ns() - start) / 1e6


def main(paths: list[str]) -> None:
    print(f"grammask {grammask.__version__}, tokenizers {tokenizers.__version__}\n")
    print("| file | ids | tokenizers ms | grammask ms | times faster | pickle ms |")
    print("| --- | --: | --: | --: | --: | --: |")
    for path in paths:
        content = pathlib.Path(path).read_bytes()
        vocabulary = grammask.Vocabulary.load(content)
        built = pickle.dumps(vocabulary)
        calls: list[Callable[[], object]] = [
            lambda content=content: tokenizers.Tokenizer.from_buffer(content),
            lambda content=content: grammask.Vocabulary.load(content),
            lambda built=built: pickle.loads(built),
        ]
        times = [[milliseconds(call) for call in calls] for _ in range(ROUNDS)]
        theirs, ours, read = (min(column) for column in zip(*times, strict=True))
        name = "/".join(pathlib.Path(path).parts[-3:])
        print(f"| {name} | {len(vocabulary):,} | {theirs:.0f} | {ours:.0f} | {theirs / ours:.1f} | {read:.1f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
