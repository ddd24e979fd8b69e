"""A Pydantic model in, a Pydantic object out.

Needs pydantic.
"""

import random

from pydantic import BaseModel, Field

import grammask


class Person(BaseModel):
    """What the language model shall write."""

    name: str = Field(pattern=r"^[A-Z][a-z]{1,10}$")
    age: int = Field(ge=0, le=130)
    languages: list[str] = Field(max_length=2)


def write(grammar: grammask.Grammar, seed: int) -> bytes:
    """Writes one output. The model prefers letters, digits, and to come to an end."""
    chance = random.Random(seed)
    matcher = grammar.matcher()
    while not matcher.is_finished:
        allowed = matcher.allowed()
        closing = [token for token in allowed if token == 256 or token in b'"}],']
        letters = [token for token in allowed if token < 128 and chr(token).isalnum()]
        matcher.accept(chance.choice(closing if closing and chance.random() < 0.4 else letters or allowed))
    return matcher.text


def main() -> None:
    """Writes three persons."""
    vocabulary = grammask.Vocabulary([bytes([byte]) for byte in range(256)], {256: "<|end|>"}, end="<|end|>")
    grammar = grammask.Grammar.json_schema(Person, vocabulary, whitespace="compact", extra="closed")
    for seed in range(3):
        print(Person.model_validate_json(write(grammar, seed)))


if __name__ == "__main__":
    main()
