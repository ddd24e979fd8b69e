"""SGLang's own manager of grammars, batches and draft trees, with SmolLM2, on the CPU.

python run_sglang.py MODEL_FOLDER

SGLang's scheduler and its kernels need a GPU, so a loop here takes their place. All classes that meet a
grammar are those of SGLang: the plugins, the manager, the wrapper for models that think, the masks of a batch
and the walk along a tree of draft tokens.
"""

from __future__ import annotations

import json
import re
import sys
import time
from types import SimpleNamespace
from typing import Any

import torch
from person import SCHEMA, TAG, is_person, is_tagged_person
from sglang.srt.constrained.grammar_manager import GrammarManager
from sglang.srt.plugins import load_plugins
from sglang.srt.runtime_context import get_context, get_parallel
from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo
from sglang.srt.sampling.sampling_params import SamplingParams
from sglang.srt.speculative import spec_utils
from sglang.version import __version__
from transformers import AutoModelForCausalLM, AutoTokenizer

GRAMMARS: dict[str, dict[str, str]] = {
    "json": {"json_schema": json.dumps(SCHEMA)},
    "regex": {"regex": r"[0-9]{3}-[0-9]{4}"},
    "ebnf": {"ebnf": 'root ::= answer ", " answer ", " answer\nanswer ::= "yes" | "no"'},
    "structural_tag": {"structural_tag": json.dumps(TAG)},
    "wrong schema": {"json_schema": '{"type": "sting"}'},
}
MOST_TOKENS = 60


class Request(SimpleNamespace):
    """What the manager reads and writes of SGLang's requests."""

    def set_finish_with_abort(self, message: str) -> None:
        """Ends the request with an error."""
        self.abort = message

    def finished(self) -> bool:
        """True if the request has ended."""
        return self.abort is not None


def request(name: str, prompt: list[int], is_thinking: bool = False, **parameters: str) -> Request:
    """A request before its grammar is compiled."""
    return Request(
        rid=name,
        sampling_params=SamplingParams(**parameters),
        origin_input_ids=prompt,
        require_reasoning=is_thinking,
        grammar=None,
        grammar_key=None,
        grammar_wait_ct=0,
        abort=None,
    )


def manager(tokenizer: Any, size: int) -> GrammarManager:
    """SGLang's manager for the server arguments in force."""
    alone = SimpleNamespace(world_size=1, first_rank=0, is_first_rank=True)
    model = SimpleNamespace(vocab_size=size, hf_eos_token_id={tokenizer.eos_token_id}, think_end_ids=None)
    scheduler = SimpleNamespace(
        server_args=None,
        tokenizer=tokenizer,
        model_config=model,
        dp_tp_cpu_group=None,
        dp_tp_group=alone,
        pp_group=None,
    )
    with get_parallel().override(pp_rank=0, pp_size=1):
        return GrammarManager(scheduler)


def compiled(grammars: GrammarManager, requests: list[Request]) -> None:
    """Waits until each request has its grammar or an error."""
    for request in requests:
        grammars.process_req_with_grammar(request)
    while grammars.has_waiting_grammars():
        grammars.get_ready_grammar_requests()


def masked(requests: list[Request], logits: torch.Tensor) -> None:
    """Computes the masks of a batch and applies them, as SGLang's sampler does."""
    if all(request.grammar is None for request in requests):
        return
    info = SimpleNamespace(
        grammars=[request.grammar for request in requests],
        temperatures=[1.0] * len(requests),
        vocab_size=logits.shape[-1],
        device="cpu",
    )
    SamplingBatchInfo.update_regex_vocab_mask(info)
    info.grammar_mask.apply(logits)


def compare_trees(request: Request, original: Any, tokens: list[int], size: int) -> int:
    """Compares the masks of a tree of draft tokens by the hook with those by SGLang's walk.

    The tree has the next tokens of the output as a chain, and beside each the id that follows it. Returns the
    number of rows that are constrained.
    """
    nodes = 2 * len(tokens) + 1
    chain = [node for node in range(nodes) if node == 0 or node % 2]
    next_token, next_sibling = torch.full((2, nodes), -1)
    next_token[chain[:-1]] = torch.tensor(chain[1:])
    next_sibling[chain[1:]] = torch.tensor(chain[1:]) + 1
    draft = torch.tensor([0, *(draft for token in tokens for draft in (token, (token + 1) % size))])
    hooked, _ = spec_utils.generate_token_bitmask(
        [request], next_token[None], next_sibling[None], draft[None], size
    )
    walked = request.grammar.allocate_vocab_mask(size, nodes, "cpu")
    original(next_token, next_sibling, draft, request.grammar, walked, size)
    assert torch.equal(hooked, walked), f"{request.rid}: the masks of a tree differ"
    return int((walked != -1).any(dim=1).sum())


def follow_trees(request: Request, original: Any, tokens: list[int], size: int) -> int:
    """Compares trees of draft tokens at each place of an output; returns the number of constrained rows."""
    rows = 0
    for place, token in enumerate(tokens):
        rows += compare_trees(request, original, tokens[place : place + 4], size)
        request.grammar.accept_token(token)
    assert rows > len(tokens), f"{request.rid}: no draft token is allowed"
    return rows


def generate(
    requests: list[Request], model: Any, size: int, ends: set[int]
) -> tuple[dict[str, list[int]], float]:
    """Greedy outputs of all requests, one token of each in turn, and the seconds of masks and grammars."""
    texts: dict[str, list[int]] = {request.rid: [] for request in requests}
    states: dict[str, Any] = {}
    seconds = 0.0
    running = list(requests)
    while running:
        rows = []
        for request in running:
            past = states.get(request.rid)
            ids = texts[request.rid][-1:] if past else request.origin_input_ids
            out = model(torch.tensor([ids]), past_key_values=past, use_cache=True)
            states[request.rid] = out.past_key_values
            rows.append(out.logits[0, -1].float())
        logits = torch.stack(rows)
        began = time.perf_counter()
        masked(running, logits)
        seconds += time.perf_counter() - began
        tokens = logits.argmax(-1).tolist()
        began = time.perf_counter()
        for request, token in zip(running, tokens, strict=True):
            texts[request.rid].append(token)
            if request.grammar is not None:
                request.grammar.accept_token(token)
        seconds += time.perf_counter() - began
        running = [
            request
            for request, token in zip(running, tokens, strict=True)
            if token not in ends and len(texts[request.rid]) < MOST_TOKENS
        ]
    return texts, seconds


def check(name: str, text: str) -> None:
    """Checks that an output is complete and obeys its grammar."""
    if name == "regex":
        assert re.fullmatch(r"[0-9]{3}-[0-9]{4}", text), text
    elif name == "ebnf":
        assert re.fullmatch("(yes|no)(, (yes|no)){2}", text), text
    elif name == "structural_tag":
        assert is_tagged_person(text), text
    else:
        assert is_person(text), text


def think(tokenizer: Any, prompt: list[int], size: int) -> None:
    """Feeds thoughts to SGLang's wrapper.

    Everything is allowed up to their end, and the grammar decides after it. With a budget for thoughts, only
    their end is allowed after so many tokens.
    """
    thoughts = tokenizer.encode("I see a man.", add_special_tokens=False)
    end = tokenizer.encode("</think>", add_special_tokens=False)
    for is_strict, name in ((False, "after thoughts"), (True, "after a budget for thoughts")):
        arguments = {"grammar_backend": "grammask", "reasoning_parser": "qwen3"}
        with get_context().override_server_args(**arguments, enable_strict_thinking=is_strict):
            made = request("json", prompt, is_thinking=True, **GRAMMARS["json"])
            if is_strict:
                made.sampling_params.custom_params = {"thinking_budget": len(thoughts)}
            compiled(manager(tokenizer, size), [made])
        for token in thoughts:
            assert len(allowed(made, size)) > size // 2, "a thought is constrained"
            made.grammar.accept_token(token)
        for token in end:
            assert not is_strict or allowed(made, size) == [token], "thoughts exceed their budget"
            made.grammar.accept_token(token)
        texts = [tokenizer.decode([token]) for token in allowed(made, size)]
        assert texts and all(text.lstrip()[:1] in ("", "{") for text in texts), texts
        print(f"sglang {__version__} | {name} | {len(texts)} tokens allowed | ")


def allowed(request: Request, size: int) -> list[int]:
    """The tokens that a request may write next."""
    logits = torch.zeros(1, size)
    masked([request], logits)
    return logits.isfinite().nonzero()[:, 1].tolist()


def main(folder: str) -> None:
    """Generates with each grammar and prints one line for each."""
    original = spec_utils.traverse_tree
    load_plugins()
    assert spec_utils.traverse_tree is not original, "the hook is not installed"
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    size = model.config.vocab_size
    chat = [{"role": "user", "content": "John is 30 years old. Answer with JSON: name and age."}]
    text = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
    prompt = tokenizer.encode(text, add_special_tokens=False)
    with get_context().override_server_args(grammar_backend="grammask"):
        grammars = manager(tokenizer, size)
        requests = [request(name, prompt, **parameters) for name, parameters in GRAMMARS.items()]
        requests.append(request("no grammar", prompt))
        compiled(grammars, requests)
        running = [made for made in requests if not made.finished()]
        began = time.perf_counter()
        with torch.inference_mode():
            texts, grammar_seconds = generate(running, model, size, {tokenizer.eos_token_id})
        seconds = time.perf_counter() - began
        rows = 0
        for name, parameters in GRAMMARS.items():
            again = request(name, prompt, **parameters)
            assert not grammars.process_req_with_grammar(again), "SGLang's cache has no such grammar"
            if not again.finished():
                rows += follow_trees(again, original, texts[name], size)
    for made in requests:
        if made.finished():
            print(f"sglang {__version__} | {made.rid} | {made.abort!r} | ")
            continue
        answer = tokenizer.decode(texts[made.rid], skip_special_tokens=True)
        if made.grammar is not None:
            check(made.rid, answer)
        print(f"sglang {__version__} | {made.rid} | {answer[:60]!r} | ")
    share = grammar_seconds / seconds
    print(f"sglang {__version__} | batch of {len(running)} | | {seconds:.1f} s, grammar {share:.3%}")
    print(f"sglang {__version__} | draft trees | {rows} constrained rows as SGLang walks them | ")
    think(tokenizer, prompt, size)


if __name__ == "__main__":
    main(sys.argv[1])
