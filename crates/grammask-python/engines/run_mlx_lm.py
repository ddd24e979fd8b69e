"""mlx-lm with SmolLM2: outputs of ``generate`` obey a schema.

python run_mlx_lm.py MODEL_FOLDER
"""

from __future__ import annotations

import importlib.metadata
import sys
import time

import mlx.core as mx
import mlx_lm
from mlx_lm.sample_utils import make_sampler
from person import SCHEMA, is_person

import grammask
from grammask.mlx_lm import GrammarProcessor


def main(folder: str) -> None:
    """Generates in each way and prints one line for each."""
    model, tokenizer = mlx_lm.load(folder)
    size = model.args.vocab_size
    vocabulary = grammask.Vocabulary.from_tokenizer(tokenizer, size=size)
    grammar = grammask.Grammar.json_schema(SCHEMA, vocabulary)
    version = importlib.metadata.version("mlx-lm")
    chat = [{"role": "user", "content": "John is 30 years old. Answer with JSON: name and age."}]
    prompt = tokenizer.apply_chat_template(chat, add_generation_prompt=True)
    processor = GrammarProcessor(grammar)
    mx.random.seed(1)
    for name, temperature in (("greedy", 0.0), ("greedy, again", 0.0), ("sampling", 1.0)):
        began = time.perf_counter()
        answer = mlx_lm.generate(
            model,
            tokenizer,
            prompt,
            max_tokens=200,
            sampler=make_sampler(temp=temperature),
            logits_processors=[processor],
        )
        assert is_person(answer), answer
        print(f"mlx-lm {version} | {name} | {answer!r} | {time.perf_counter() - began:.1f} s")
        processor.reset()


if __name__ == "__main__":
    main(sys.argv[1])
