"""outlines with SmolLM2 by transformers: outputs obey a schema, alone and in a batch.

python run_outlines.py MODEL_FOLDER
"""

from __future__ import annotations

import importlib.metadata
import sys
import time

import outlines
from person import SCHEMA, is_person
from transformers import AutoModelForCausalLM, AutoTokenizer

import grammask
from grammask.outlines import GrammarProcessor


def main(folder: str) -> None:
    """Generates in each way and prints one line for each."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    vocabulary = grammask.Vocabulary.from_tokenizer(tokenizer, size=model.config.vocab_size)
    processor = GrammarProcessor(grammask.Grammar.json_schema(SCHEMA, vocabulary))
    generator = outlines.Generator(outlines.from_transformers(model, tokenizer), processor=processor)
    version = importlib.metadata.version("outlines")
    people = ["John is 30 years old.", "Ann turns 41 today.", "Li is 7."]
    prompts = [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": f"{text} Answer with JSON: name and age."}],
            add_generation_prompt=True,
            tokenize=False,
        )
        for text in people
    ]
    # Twice, as outlines resets the processor before each call.
    for name, prompt in (("one prompt", prompts[0]), ("one prompt, again", prompts[0])):
        began = time.perf_counter()
        answer = generator(prompt, max_new_tokens=60)
        assert is_person(answer), answer
        print(f"outlines {version} | {name} | {answer!r} | {time.perf_counter() - began:.1f} s")
    began = time.perf_counter()
    answers = generator.batch(prompts, max_new_tokens=60)
    for answer in answers:
        assert is_person(answer), answer
    print(f"outlines {version} | batch of three | {answers[1]!r} | {time.perf_counter() - began:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1])
