"""Vocabularies that several tests use."""

import pytest

import grammask

WORDS = [b"yes", b"no", b",", b"ye", b"s"]


@pytest.fixture(scope="session")
def words() -> grammask.Vocabulary:
    """Five tokens and an end."""
    return grammask.Vocabulary(WORDS, {5: "<|end|>"}, end="<|end|>")


@pytest.fixture(scope="session")
def byte_tokens() -> grammask.Vocabulary:
    """All bytes, and an end with id 256."""
    return grammask.Vocabulary([bytes([byte]) for byte in range(256)], {256: "<|end|>"}, end=256)


@pytest.fixture(scope="session")
def answers(words: grammask.Vocabulary) -> grammask.Grammar:
    """A list of answers."""
    return grammask.Grammar.kbnf("start ::= answer (',' answer)*; answer ::= 'yes' | 'no';", words)
