"""Vocabularies from files and folders in every format: bytes, ends, special tokens, notes."""

import base64
import json
import pathlib
import pickle
import struct

import pytest

import grammask

TOKENIZER_JSON = json.dumps(
    {
        "added_tokens": [
            {"id": 3, "content": "<|im_end|>", "special": True},
            {"id": 4, "content": "<|stop|>", "special": True},
            {"id": 5, "content": "<think>", "special": False},
        ],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "\u0120a": 1, "b": 2}, "merges": []},
    }
).encode()


def sentencepiece() -> bytes:
    """A model with the pieces `<unk>`, `<s>`, `</s>`, `<0x0A>` and `\u2581a`."""
    kinds = [("<unk>", 2), ("<s>", 3), ("</s>", 3), ("<0x0A>", 6), ("\u2581a", 1)]
    model = b""
    for text, kind in kinds:
        piece = b"\x0a" + bytes([len(text.encode())]) + text.encode() + b"\x15" + struct.pack("<f", 0.0)
        piece += b"\x18" + bytes([kind])
        model += b"\x0a" + bytes([len(piece)]) + piece
    return model


def gguf() -> bytes:
    """A header with the tokens `<unk>`, `</s>`, `\u2581a` and a padding."""

    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    def key(name: str, kind: int, value: bytes) -> bytes:
        return text(name) + struct.pack("<I", kind) + value

    tokens = ["<unk>", "</s>", "\u2581a", "[PAD3]"]
    keys = [
        key("tokenizer.ggml.model", 8, text("llama")),
        key("tokenizer.ggml.tokens", 9, struct.pack("<IQ", 8, 4) + b"".join(map(text, tokens))),
        key("tokenizer.ggml.token_type", 9, struct.pack("<IQ4i", 5, 4, 2, 3, 1, 5)),
        key("tokenizer.ggml.eos_token_id", 4, struct.pack("<I", 1)),
    ]
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(keys)) + b"".join(keys)


def tekken() -> bytes:
    """Bytes as ranks, and 10 special tokens."""
    entries = [
        {"rank": rank, "token_bytes": base64.b64encode(bytes([rank])).decode(), "token_str": None}
        for rank in range(256)
    ]
    config = {"default_vocab_size": 266, "default_num_special_tokens": 10, "pattern": ".", "version": "v3"}
    return json.dumps({"config": config, "vocab": entries}).encode()


def bytes_of(vocabulary: grammask.Vocabulary) -> dict[int, bytes]:
    tokens = {token: vocabulary.token(token) for token in range(vocabulary.size)}
    return {token: text for token, text in tokens.items() if text is not None}


@pytest.mark.parametrize(
    ("data", "texts", "ends"),
    [
        (TOKENIZER_JSON, {0: b"a", 1: b" a", 2: b"b", 5: b"<think>"}, [3]),
        (sentencepiece(), {3: b"\n", 4: b" a"}, [2]),
        (gguf(), {2: b" a"}, [1]),
        (tekken(), {10 + byte: bytes([byte]) for byte in range(256)}, [2]),
        (b"YQ== 0\nYWI= 1\n", {0: b"a", 1: b"ab"}, []),
        (b"1 'a' 1\n2 b'\\xff' 1\n", {1: b"a", 2: b"\xff"}, [0]),
        (b'{"a": 0, "ab": 1}', {0: b"a", 1: b"ab"}, []),
    ],
    ids=["tokenizer.json", "sentencepiece", "gguf", "tekken", "tiktoken", "rwkv", "vocab.json"],
)
def test_every_format_loads_from_bytes_and_paths(
    data: bytes, texts: dict[int, bytes], ends: list[int], tmp_path: pathlib.Path
) -> None:
    (tmp_path / "file").write_bytes(data)
    for source in [data, tmp_path / "file", str(tmp_path / "file")]:
        vocabulary = grammask.Vocabulary.from_tokenizer(source)
        assert bytes_of(vocabulary) == texts
        assert vocabulary.ends == ends
        again = pickle.loads(pickle.dumps(vocabulary))
        assert (bytes_of(again), again.ends, again.special) == (texts, ends, vocabulary.special)
        assert again.strips_first_space == vocabulary.strips_first_space


def test_a_folder_has_configurations(tmp_path: pathlib.Path) -> None:
    (tmp_path / "tokenizer.json").write_bytes(TOKENIZER_JSON)
    assert grammask.Vocabulary.load(tmp_path).ends == [3]
    (tmp_path / "tokenizer_config.json").write_text('{"eos_token": "<|stop|>"}')
    assert sorted(grammask.Vocabulary.load(tmp_path).ends) == [3, 4]
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [4]}')
    vocabulary = grammask.Vocabulary.from_tokenizer(tmp_path)
    assert vocabulary.ends == [4]
    assert grammask.Vocabulary.load(tmp_path, end="<|im_end|>").ends == [3]
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": [9]}')
    with pytest.raises(grammask.VocabularyError, match="9"):
        grammask.Vocabulary.load(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match="no tokenizer"):
        grammask.Vocabulary.load(tmp_path / "empty")
    with pytest.raises(FileNotFoundError):
        grammask.Vocabulary.load(tmp_path / "missing")


def test_formats_and_spellings_are_named() -> None:
    load = grammask.Vocabulary.load
    data = b'{"\xc4\xa0a": 0}'
    with pytest.raises(grammask.VocabularyError, match="byte-level"):
        load(data)
    assert load(data, format="vocab.json:byte-level").token(0) == b" a"
    assert load(data, format="vocab.json:literal").token(0) == "\u0120a".encode()
    for wrong in ["json", "tiktoken:gpt9", "vocab.json:utf-8", "gguf:x"]:
        with pytest.raises(ValueError, match="format: "):
            load(data, format=wrong)
    with pytest.raises(grammask.VocabularyError, match="llama3"):
        load(b"YQ== 0\n", format="tiktoken:llama3")
    with pytest.raises(ValueError, match="for paths and bytes"):
        grammask.Vocabulary.from_tokenizer(object(), format="gguf")


def test_added_tokens_are_special_as_asked() -> None:
    load = grammask.Vocabulary.load
    assert sorted(load(TOKENIZER_JSON).special) == [3, 4]
    assert sorted(load(TOKENIZER_JSON, added="all").special_tokens) == [3, 4, 5]
    assert sorted(load(TOKENIZER_JSON, added=["<think>"]).special) == [5]
    with pytest.raises(ValueError, match="added"):
        load(TOKENIZER_JSON, added="none")
    with pytest.raises(grammask.VocabularyError, match="<x>"):
        load(TOKENIZER_JSON, added=["<x>"])


def test_rows_spaces_and_notes() -> None:
    model = grammask.Vocabulary.load(gguf())
    assert (model.rows, model.size, model.notes) == (4, 4, [])
    assert model.strips_first_space
    assert not grammask.Vocabulary.load(TOKENIZER_JSON).strips_first_space
    nothing = grammask.Vocabulary([b"a"], {1: "<|end_of_answer|>"})
    assert nothing.ends == []
    assert "<|end_of_answer|>" in nothing.notes[0]
    assert nothing.with_ends([1]).notes == []
    assert grammask.Vocabulary([b"a"], {1: "</s>"}).with_known_ends().ends == [1]
    grammar = grammask.Grammar.kbnf("start ::= 'a';", nothing)
    assert "<|end_of_answer|>" in grammar.notes[0]
    assert grammask.Grammar.kbnf("start ::= 'a';", nothing, end=1).notes == []


def test_damaged_files_are_exceptions() -> None:
    for data in [gguf(), sentencepiece(), tekken(), TOKENIZER_JSON]:
        for length in range(0, len(data), max(1, len(data) // 50)):
            try:
                grammask.Vocabulary.load(data[:length])
            except grammask.VocabularyError:
                continue
