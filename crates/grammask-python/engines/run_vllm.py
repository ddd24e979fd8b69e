"""The V1 engine of vLLM on the CPU, with SmolLM2 and grammask in the place of ``guidance``.

GRAMMASK_VLLM=1 python run_vllm.py MODEL_FOLDER
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable

os.environ.setdefault("GRAMMASK_VLLM", "1")
for name, value in {
    "HF_HUB_OFFLINE": "1",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
}.items():
    os.environ.setdefault(name, value)

import vllm  # noqa: E402 - the environment comes first
from person import SCHEMA, TAG, is_person, is_tagged_person  # noqa: E402
from vllm import LLM, SamplingParams  # noqa: E402
from vllm.exceptions import VLLMValidationError  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402

import grammask  # noqa: E402


class Clock:
    """The time that calls of the adapter take, in seconds."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def watch(self, owner: type, *names: str) -> None:
        """Adds the time of these methods from now on."""
        for name in names:
            setattr(owner, name, self.timed(getattr(owner, name)))

    def timed(self, method: Callable) -> Callable:
        """The method, whose time counts."""

        def call(*arguments: object, **options: object) -> object:
            began = time.perf_counter()
            try:
                return method(*arguments, **options)
            finally:
                self.seconds += time.perf_counter() - began

        return call


CASES: dict[str, tuple[str, dict, Callable[[str], bool]]] = {
    "json": ("json_schema", {"json": SCHEMA}, is_person),
    "json_object": ("json_schema", {"json_object": True}, lambda text: isinstance(json.loads(text), dict)),
    "choice": ("choice", {"choice": ["Rome", "Oslo", "Lima"]}, lambda text: text in ("Rome", "Oslo", "Lima")),
    "regex": (
        "regex",
        {"regex": r"\d{3}-\d{4}"},
        lambda text: re.fullmatch(r"\d{3}-\d{4}", text) is not None,
    ),
    "grammar": (
        "ebnf",
        # Bounded: a small model would repeat itself up to its limit of tokens.
        {"grammar": 'root ::= "yes" | "no" (", no"){0,2}'},
        lambda text: re.fullmatch("yes|no(, no){0,2}", text) is not None,
    ),
    "structural_tag": ("structural_tag", {"structural_tag": json.dumps(TAG)}, is_tagged_person),
}


def main(folder: str, *options: str) -> None:
    """Runs all kinds of requests, and prints one line for each, with the share of the time that grammask takes.

    With the option ``--drafts``, vLLM drafts tokens from the prompt, which the grammar checks and rolls back.
    """
    drafts = {"method": "ngram", "num_speculative_tokens": 3, "prompt_lookup_max": 3, "prompt_lookup_min": 1}
    llm = LLM(
        model=folder,
        enforce_eager=True,
        max_model_len=512,
        max_num_seqs=4,
        dtype="bfloat16",
        structured_outputs_config={"backend": "guidance"},
        speculative_config=drafts if "--drafts" in options else None,
    )
    kind_of_run = " with drafts" if "--drafts" in options else ""
    from grammask._vllm import GrammaskBackend, GrammaskGrammar

    clock = Clock()
    clock.watch(GrammaskBackend, "compile_grammar")
    clock.watch(GrammaskGrammar, "accept_tokens", "validate_tokens", "rollback", "fill_bitmask")
    prompt = [{"role": "user", "content": "John is 30 years old. Answer with name and age."}]
    engine = f"vllm {vllm.__version__}{kind_of_run}"
    for name, (kind, params, is_right) in CASES.items():
        assert hasattr(grammask.Grammar, kind), kind
        sampling = SamplingParams(
            temperature=0.0, max_tokens=60, structured_outputs=StructuredOutputsParams(**params)
        )
        shares = []
        # The second request finds its grammar in the cache, and its masks known.
        for _ in range(2):
            clock.seconds = 0.0
            began = time.perf_counter()
            answer = llm.chat(prompt, sampling)[0].outputs[0]
            seconds = time.perf_counter() - began
            assert answer.finish_reason == "stop" and is_right(answer.text), (name, answer)
            shares.append(f"{100 * clock.seconds / seconds:.3f} %")
        times = f"{seconds:.1f} s, grammar {shares[0]}, again {shares[1]}"
        print(f"{engine} | {name} | {answer.text!r} | {times}")
    try:
        wrong = StructuredOutputsParams(json={"type": "sting"})
        llm.chat(prompt, SamplingParams(max_tokens=5, structured_outputs=wrong))
    except VLLMValidationError as error:
        print(f"{engine} | wrong schema | {str(error)[:80]!r} |")
    else:
        raise AssertionError("a wrong schema was accepted")
    core = llm.llm_engine.engine_core.engine_core
    backend = core.structured_output_manager.backend
    assert type(backend).__module__ == "grammask._vllm", type(backend)
    stats = backend.stats()
    print(f"{engine} | backend | {type(backend).__name__}, {stats['hits']} hits, {stats['misses']} misses |")


if __name__ == "__main__":
    main(*sys.argv[1:])
