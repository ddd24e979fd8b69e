"""transformers with SmolLM2: outputs of ``generate`` obey a schema.

python run_transformers.py MODEL_FOLDER
"""

from __future__ import annotations

import json
import sys
import time

import transformers
from person import SCHEMA, is_person
from transformers import AutoModelForCausalLM, AutoTokenizer

import grammask
from grammask.transformers import GrammarProcessor


def main(folder: str) -> None:
    """Generates in each way and prints one line for each."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder).eval()
    vocabulary = grammask.Vocabulary.from_tokenizer(tokenizer, size=model.config.vocab_size)
    grammar = grammask.Grammar.json_schema(SCHEMA, vocabulary)
    chat = [{"role": "user", "content": "John is 30 years old. Answer with JSON: name and age."}]
    text = tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=False)
    inputs = tokenizer(text, return_tensors="pt")
    start = inputs["input_ids"].shape[1]
    for name, options in {
        "greedy": {"do_sample": False},
        "sampling": {"do_sample": True, "num_return_sequences": 3},
        "beams": {"num_beams": 3, "do_sample": False},
    }.items():
        processor = GrammarProcessor(grammar)
        began = time.perf_counter()
        out = model.generate(**inputs, logits_processor=[processor], max_new_tokens=60, **options)
        seconds = time.perf_counter() - began
        for ids in out[:, start:].tolist():
            answer = tokenizer.decode(ids, skip_special_tokens=True)
            assert is_person(answer), answer
        line = json.dumps(json.loads(answer))
        print(f"transformers {transformers.__version__} | {name} | {line} | {seconds:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1])
