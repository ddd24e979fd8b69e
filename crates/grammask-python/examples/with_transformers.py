"""transformers: `generate` with a schema, by greedy search and with beams.

Needs transformers and torch. The model has random weights and all bytes as tokens, so that nothing is
downloaded; a real one is `AutoModelForCausalLM.from_pretrained(...)`, with the vocabulary
`grammask.Vocabulary.from_tokenizer(tokenizer, size=model.config.vocab_size)`.
"""

import json

import torch
import transformers

import grammask
from grammask.transformers import GrammarProcessor

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"enum": ["Rome", "Oslo", "Lima"]},
        "days": {"type": "integer", "minimum": 1, "maximum": 9},
    },
    "required": ["city", "days"],
    "additionalProperties": False,
}


def main() -> None:
    """Generates two outputs in each way."""
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = transformers.LlamaConfig(vocab_size=260, eos_token_id=256, pad_token_id=257, **sizes)
    model = transformers.LlamaForCausalLM(config).eval()
    vocabulary = grammask.Vocabulary(
        [bytes([byte]) for byte in range(256)], {256: "<|end|>"}, end=256, size=260
    )
    grammar = grammask.Grammar.json_schema(SCHEMA, vocabulary, whitespace="compact")
    prompt = torch.tensor([list(b"trip:"), list(b"tour:")])
    for options in ({"do_sample": False}, {"num_beams": 3, "do_sample": False}, {"do_sample": True}):
        processor = GrammarProcessor(grammar)
        out = model.generate(prompt, logits_processor=[processor], max_new_tokens=60, **options)
        for ids in out[:, prompt.shape[1] :].tolist():
            print(json.loads(bytes(token for token in ids if token < 256)))


if __name__ == "__main__":
    main()
