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
from vllm import LLM, SamplingParams  # noqa: E402
from vllm.sampling_params import StructuredOutputsParams  # noqa: E402

import grammask  # noqa: E402

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


def is_person(text: str) -> bool:
    """True if the text obeys the schema."""
    value = json.loads(text)
    return set(value) == {"name", "age"} and isinstance(value["age"], int)


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
        {"grammar": 'root ::= "yes" | "no" ", " root'},
        lambda text: re.fullmatch("(no, )*yes", text) is not None,
    ),
}


def main(folder: str) -> None:
    """Runs all kinds of requests that this version of grammask has, and prints one line for each."""
    llm = LLM(
        model=folder,
        enforce_eager=True,
        max_model_len=512,
        max_num_seqs=4,
        dtype="bfloat16",
        structured_outputs_config={"backend": "guidance"},
    )
    prompt = [{"role": "user", "content": "John is 30 years old. Answer with name and age."}]
    for name, (kind, params, is_right) in CASES.items():
        if not hasattr(grammask.Grammar, kind):
            print(f"vllm {vllm.__version__} | {name} | not supported yet |")
            continue
        sampling = SamplingParams(
            temperature=0.0, max_tokens=60, structured_outputs=StructuredOutputsParams(**params)
        )
        began = time.perf_counter()
        answer = llm.chat(prompt, sampling)[0].outputs[0]
        seconds = time.perf_counter() - began
        assert answer.finish_reason == "stop" and is_right(answer.text), (name, answer)
        print(f"vllm {vllm.__version__} | {name} | {answer.text!r} | {seconds:.1f} s")
    try:
        wrong = StructuredOutputsParams(json={"type": "sting"})
        llm.chat(prompt, SamplingParams(max_tokens=5, structured_outputs=wrong))
    except ValueError as error:
        print(f"vllm {vllm.__version__} | wrong schema | {str(error)[:80]!r} |")
    else:
        raise AssertionError("a wrong schema was accepted")
    core = llm.llm_engine.engine_core.engine_core
    backend = core.structured_output_manager.backend
    assert type(backend).__module__ == "grammask._vllm", type(backend)
    print(f"vllm {vllm.__version__} | backend | {type(backend).__name__}, {backend.stats()} |")


if __name__ == "__main__":
    main(sys.argv[1])
