"""A batch of outputs, as a server decodes them: masks of all rows in one call, then one token for each.

The model is a random one, so the outputs are random documents of the schema.
"""

import json

import numpy as np

import grammask
import grammask.numpy

SCHEMA = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 0, "maximum": 99},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 3},
    },
    "required": ["id", "tags"],
    "additionalProperties": False,
}


def main() -> None:
    """Decodes eight outputs and prints them."""
    tokens = [bytes([byte]) for byte in range(256)] + [b'{"', b'":', b'", "', b'"]}']
    vocabulary = grammask.Vocabulary(tokens, {len(tokens): "<|end|>"}, end="<|end|>", size=272)
    grammar = grammask.Grammar.json_schema(SCHEMA, vocabulary, whitespace="compact")
    matchers = [grammar.matcher() for _ in range(8)]
    rows = grammask.numpy.allocate(len(matchers), vocabulary)
    random = np.random.default_rng(0)
    running = list(range(len(matchers)))
    while running:
        # Rows of finished outputs are not filled; the others keep their places in the batch.
        limited = grammask.fill_masks(
            [matchers[place] for place in running], rows, indices=running, threads=2
        )
        assert limited == 0
        logits = random.standard_normal((len(matchers), vocabulary.size)).astype(np.float32)
        picked = grammask.numpy.apply(logits, rows).argmax(axis=1)
        for place in running:
            assert matchers[place].accept(picked[place])
        running = [place for place in running if not matchers[place].is_finished]
    for matcher in matchers:
        print(json.loads(matcher.text))
    print(grammar.stats())


if __name__ == "__main__":
    main()
