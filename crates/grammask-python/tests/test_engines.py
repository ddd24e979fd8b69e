"""The adapters of vLLM and SGLang, against stand-ins with the engines' signatures and loops."""

import importlib
import importlib.metadata
import inspect
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import grammask
import grammask.sglang
import grammask.vllm
from engines import sglang as sglang_engine
from engines import vllm as vllm_engine

END = 256


class Tokenizer:
    """An object that `from_tokenizer` reads as a tiktoken encoding: all bytes and an end."""

    _mergeable_ranks = {bytes([byte]): byte for byte in range(256)}
    _special_tokens = {"<|endoftext|>": END}
    max_token_value = END


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, module in vllm_engine.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    vllm_engine.forget()
    monkeypatch.setenv("GRAMMASK_VLLM", "1")
    grammask.vllm.register()
    yield sys.modules["vllm.v1.structured_output"]
    vllm_engine.forget()


@pytest.fixture
def sglang(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    for name, module in sglang_engine.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    sglang_engine.forget()
    grammask.sglang.register()
    yield sglang_engine
    sglang_engine.SERVING = sglang_engine.Serving()
    sglang_engine.forget()


def backend(vllm: Any, **options: Any) -> Any:
    config = vllm_engine.VllmConfig(vllm_engine.StructuredOutputsConfig(**options))
    return vllm.GuidanceBackend(config, tokenizer=Tokenizer(), vocab_size=300)


def parameters(function: Any) -> list[tuple[str, Any]]:
    return [(name, item.default) for name, item in inspect.signature(function).parameters.items()]


def assert_same_methods(ours: type, base: type) -> None:
    for name, method in vars(base).items():
        if not name.startswith("_") and (inspect.isfunction(method) or isinstance(method, staticmethod)):
            if name in vars(ours):
                assert parameters(getattr(ours, name)) == parameters(getattr(base, name)), name


def test_entry_points_lead_to_functions() -> None:
    groups = {"vllm.general_plugins": grammask.vllm.register, "sglang.srt.plugins": grammask.sglang.register}
    for group, function in groups.items():
        found = [point for point in importlib.metadata.entry_points(group=group) if point.name == "grammask"]
        assert [point.load() for point in found] == [function], group


def test_vllm_is_left_alone_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = vllm_engine.modules()
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    before = modules["vllm.v1.structured_output"].GuidanceBackend
    for value in ("", "0"):
        monkeypatch.setenv("GRAMMASK_VLLM", value)
        grammask.vllm.register()
    assert modules["vllm.v1.structured_output"].GuidanceBackend is before
    monkeypatch.setenv("GRAMMASK_VLLM", "yes")
    with pytest.raises(ValueError, match="GRAMMASK_VLLM: 'yes' is not 0 or 1"):
        grammask.vllm.register()


def test_a_version_of_vllm_without_a_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in vllm_engine.modules().items():
        monkeypatch.setitem(sys.modules, name, module)
    module: Any = sys.modules["vllm.v1.structured_output.backend_guidance"]
    del module.validate_guidance_grammar
    with pytest.raises(RuntimeError, match=r"\(0.33.0\).*backend_guidance.validate_guidance_grammar"):
        grammask.vllm.install()


def test_vllm_signatures(vllm: Any) -> None:
    from grammask import _vllm

    assert vllm.GuidanceBackend is _vllm.GrammaskBackend
    guidance = sys.modules["vllm.v1.structured_output.backend_guidance"]
    assert guidance.GuidanceBackend is _vllm.GrammaskBackend  # type: ignore[attr-defined]
    assert guidance.validate_guidance_grammar is _vllm.validate  # type: ignore[attr-defined]
    assert not guidance.has_guidance_unsupported_json_features({})  # type: ignore[attr-defined]
    assert_same_methods(_vllm.GrammaskBackend, vllm_engine.StructuredOutputBackend)
    assert_same_methods(_vllm.GrammaskGrammar, vllm_engine.StructuredOutputGrammar)
    assert not inspect.isabstract(_vllm.GrammaskBackend) and not inspect.isabstract(_vllm.GrammaskGrammar)
    assert vllm.GuidanceBackend.is_tokenizer_supported(Tokenizer())
    assert not vllm.GuidanceBackend.is_tokenizer_supported(object())


def test_vllm_masks_along_drafts(vllm: Any) -> None:
    engine = backend(vllm)
    options = vllm_engine.StructuredOutputOptions
    properties = '"properties": {"a": {"enum": [1, 12]}}, "required": ["a"], "additionalProperties": false'
    spec = f'{{"type": "object", {properties}}}'
    grammars = [engine.compile_grammar(options.JSON, spec) for _ in range(3)]
    assert engine.stats()["misses"] == 1 and engine.stats()["hits"] == 2
    document = b'{"a": 12}'
    assert grammars[1].accept_tokens("r", list(document[:3]))
    assert grammars[2].accept_tokens("r", [*document, END])
    drafts = [list(b'{"x'), [*document[3:], END, -1, -1], [-1]]
    words = engine.cache.vocabulary.words
    assert words == 10
    rows = vllm_engine.Manager(words, 10).masks(grammars, drafts)

    def fresh(text: bytes) -> np.ndarray:
        matcher = grammars[0].output.grammar.matcher()
        assert matcher.accept_all(list(text)) == len(text)
        row = np.zeros(words, dtype=np.int32)
        matcher.fill(row)
        return row

    # The draft of the first request is refused at its third token: its mask is used again.
    for row, text in zip(rows[0], [b"", b"{", b'{"', b'{"'], strict=True):
        assert (row == fresh(text)).all()
    for place in range(3, len(document) + 1):
        assert (rows[1][place - 3] == fresh(document[:place])).all()
    assert (rows[1][-3:] == -1).all() and (rows[2] == -1).all()
    # All are where they were.
    assert [grammar.output.matcher.text for grammar in grammars] == [b"", document[:3], document]
    assert grammars[2].is_terminated() and not grammars[1].is_terminated()
    assert grammars[1].validate_tokens([*document[3:], END, -1, 7]) == [*document[3:], END]
    assert grammars[1].validate_tokens([7]) == [] and grammars[1].validate_tokens([]) == []
    grammars[1].reset()
    assert grammars[1].validate_tokens(list(document)) == list(document)
    engine.destroy()
    assert engine.stats()["grammars"] == 0


def test_vllm_counts_tokens_after_the_end(vllm: Any) -> None:
    engine = backend(vllm)
    grammar = engine.compile_grammar(vllm_engine.StructuredOutputOptions.JSON, '{"const": 1}')
    assert grammar.accept_tokens("r", [ord("1"), END, 7, END])
    assert grammar.is_terminated()
    row = np.full(10, -1, dtype=np.int32)
    grammar.fill_bitmask(row, 0)
    assert np.flatnonzero(row).tolist() == [END // 32]
    grammar.rollback(2)
    assert grammar.is_terminated()
    grammar.rollback(1)
    assert not grammar.is_terminated() and grammar.output.matcher.text == b"1"
    assert not grammar.accept_tokens("r", [-1]) and not grammar.accept_tokens("r", [ord("2")])
    assert grammar.accept_tokens("r", [END])


def test_vllm_stop_tokens_are_of_the_request(vllm: Any) -> None:
    engine = backend(vllm)
    spec = '{"const": 1}'
    kind = vllm_engine.StructuredOutputOptions.JSON
    grammar = engine.compile_grammar(kind, spec, {END, ord(";"), 100_000})
    matcher = grammar.output.matcher
    assert grammar.validate_tokens([ord(";")]) == []
    assert grammar.accept_tokens("r", [ord("1")]) and matcher.allowed() == [ord(";"), END]
    assert grammar.accept_tokens("r", [ord(";")]) and grammar.is_terminated()
    other = engine.compile_grammar(kind, spec, None)
    assert other.accept_tokens("r", [ord("1")]) and other.output.matcher.allowed() == [END]


def test_vllm_options(vllm: Any) -> None:
    kind = vllm_engine.StructuredOutputOptions
    schema = '{"type": "object", "properties": {"a": {"const": 1}}}'
    for engine, text, is_accepted in (
        (backend(vllm), b'{"a": 1, "b": 2}', True),
        (backend(vllm, disable_any_whitespace=True), b'{"a": 1}', False),
        (backend(vllm, disable_any_whitespace=True), b'{"a":1}', True),
        (backend(vllm, disable_additional_properties=True), b'{"a": 1, "b": 2}', False),
    ):
        grammar = engine.compile_grammar(kind.JSON, schema)
        assert (grammar.validate_tokens(list(text)) == list(text)) == is_accepted
    objects = backend(vllm).compile_grammar(kind.JSON_OBJECT, "")
    assert objects.validate_tokens(list(b"{}")) == list(b"{}") and objects.validate_tokens([ord("[")]) == []


def test_vllm_validation_has_no_tokenizer(vllm: Any) -> None:
    module: Any = sys.modules["vllm.v1.structured_output.backend_guidance"]
    validate = module.validate_guidance_grammar

    class Sampling:
        def __init__(self, **params: Any) -> None:
            self.structured_outputs = vllm_engine.Params(**params) if params else None

    validate(Sampling())
    validate(Sampling(json={"type": "string"}), tokenizer=None)
    validate(Sampling(json_object=True))
    for wrong in ({"json": {"type": "sting"}}, {"json": "{"}):
        with pytest.raises(vllm_engine.VLLMValidationError, match="invalid grammar specification"):
            validate(Sampling(**wrong))


def make(sglang: Any, **serving: Any) -> Any:
    sglang.SERVING = sglang.Serving(**serving)
    return sglang.REGISTRY["grammask"](None, Tokenizer(), 300, {END})


def ready(engine: Any, key: tuple[str, str]) -> Any:
    value, is_hit = engine.get_cached_or_future_value(key, False)
    if not is_hit:
        value = value.result()
        engine.set_cache(key, value.copy())
    return value


def test_sglang_registration(sglang: Any) -> None:
    from grammask import _sglang

    grammask.sglang.register()
    assert sglang.CHOICES == ["xgrammar", "grammask"] and list(sglang.REGISTRY) == ["grammask"]
    assert [target for target, _, _ in sglang.HOOKS] == ["sglang.srt.speculative.spec_utils.traverse_tree"]
    assert_same_methods(_sglang.GrammaskGrammar, sglang.BaseGrammarObject)
    assert_same_methods(_sglang.GrammaskGrammarBackend, sglang.BaseGrammarBackend)
    plain = make(sglang)
    assert isinstance(plain, _sglang.GrammaskGrammarBackend)
    wrapped = make(sglang, reasoning_parser="deepseek-r1")
    assert isinstance(wrapped, sglang.ReasonerGrammarBackend)
    assert isinstance(wrapped.grammar_backend, _sglang.GrammaskGrammarBackend)
    assert wrapped.reasoning_parser.model_type == "deepseek-r1"
    with pytest.raises(ValueError, match="does not take a pattern"):
        make(sglang, constrained_json_whitespace_pattern=" ?")


def test_sglang_thoughts(sglang: Any) -> None:
    engine = make(sglang, reasoning_parser="deepseek-r1", enable_strict_thinking=True)
    thinking = ready(engine, ("json", '{"enum": [1, 12]}'))
    rows = np.zeros((3, 10), dtype=np.int32)

    def allowed() -> set[int]:
        return set(np.flatnonzero(np.unpackbits(rows[1].view(np.uint8), bitorder="little")).tolist())

    thinking.token_filter(rows, [0, 31, 64], 1, is_allowed=False)
    assert allowed() == set(range(320)) - {0, 31, 64}
    thinking.token_filter(rows, [31, 5], 1)
    assert allowed() == {5, 31}
    thinking.token_filter(rows, [5], 1, is_allowed=False, reset_vocab_mask=False)
    assert allowed() == {31}
    assert (rows[[0, 2]] == 0).all()
    assert all(callable(function) for function in thinking.functions)


def test_sglang_options(sglang: Any) -> None:
    key = ("json", '{"type": "array", "items": {"const": 1}}')
    for serving, text, is_accepted in (
        ({}, b"[1, 1]", True),
        ({"constrained_json_disable_any_whitespace": True}, b"[1, 1]", False),
        ({"constrained_json_max_whitespace_cnt": 1}, b"[1, 1]", True),
        ({"constrained_json_max_whitespace_cnt": 1}, b"[1,  1]", False),
    ):
        grammar = ready(make(sglang, **serving), key)
        assert (grammar.output.validate(list(text)) == len(text)) == is_accepted, serving
    assert ready(make(sglang), ("json", "$$ANY$$")).output.validate(list(b"[1]")) == 3


def test_sglang_outputs(sglang: Any) -> None:
    engine = make(sglang)
    key = ("json", '{"enum": [1, 12]}')
    first, second = ready(engine, key), ready(engine, key)
    assert second.grammar_stats.is_cache_hit and not first.grammar_stats.is_cache_hit
    for token in b"12":
        first.accept_token(token)
    assert (first.current_token, second.current_token) == (ord("2"), None)
    with pytest.raises(ValueError, match="token 49 is not allowed"):
        first.accept_token(ord("1"))
    first.accept_token(END)
    assert first.is_terminated() and first.finished
    first.accept_token(7)
    first.rollback(1)
    assert not first.is_terminated() and first.output.matcher.text == b"12"
    invalid = ready(engine, ("json", '{"type": "sting"}'))
    assert isinstance(invalid, sglang.InvalidGrammarObject) and "sting" in invalid.error_message
    engine.reset()
    assert engine.cache == {} and engine.stats()["grammars"] == 0


def test_sglang_batches(sglang: Any) -> None:
    engine = make(sglang)
    key = ("json", '{"enum": [1, 12]}')
    grammars = [ready(engine, key) for _ in range(4)]
    grammars[1].accept_token(ord("1"))
    for token in (ord("1"), END):
        grammars[2].accept_token(token)

    class Other(sglang.BaseGrammarObject):
        def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
            vocab_mask[idx] = 7

    rows = np.full((7, 10), -1, dtype=np.int32)
    places = [5, 0, 3, 2]
    entries = [sglang.GrammarRow(place, grammar) for place, grammar in zip(places, grammars, strict=True)]
    entries.append(sglang.GrammarRow(6, Other()))
    grammars[0].fill_vocab_mask_batched(entries, rows)
    for place, grammar in zip(places, grammars, strict=True):
        row = np.zeros(10, dtype=np.int32)
        grammar.fill_vocab_mask(row, 0)
        assert (rows[place] == row).all()
    assert np.flatnonzero(rows[3]).tolist() == [END // 32]
    assert (rows[6] == 7).all() and (rows[[1, 4]] == -1).all()


def test_sglang_trees_in_one_call(sglang: Any) -> None:
    engine = make(sglang)
    key = ("json", '{"type": "array", "items": {"enum": [1, 12, "a"]}}')
    chance = random.Random(5)
    hook = sglang.HOOKS[0][1]
    calls = 0

    def original(*args: Any, **keywords: Any) -> None:
        nonlocal calls
        calls += 1
        sglang_engine.walk_tree(*args, **keywords)

    for _ in range(60):
        grammar = ready(engine, key)
        for token in b'[1, 12, "a"'[: chance.randrange(11)]:
            grammar.accept_token(token)
        count = chance.randrange(1, 12)
        next_token, next_sibling, last = [-1] * count, [-1] * count, [-1] * count
        for node in range(1, count):
            parent = chance.randrange(node)
            if last[parent] == -1:
                next_token[parent] = node
            else:
                next_sibling[last[parent]] = node
            last[parent] = node
        draft = [chance.choice([*b'[1 2,"a]', END, -1, 299, 5000]) for _ in range(count)]
        arrays = [np.array(values) for values in (next_token, next_sibling, draft)]
        expected = np.full((count, 10), -1, dtype=np.int32)
        sglang_engine.walk_tree(*arrays, grammar, expected, 300)
        rows = np.full((count, 10), -1, dtype=np.int32)
        text = grammar.output.matcher.text
        hook(original, *arrays, grammar, rows, vocab_size=300)
        assert (rows == expected).all()
        assert grammar.output.matcher.text == text
    assert calls == 0

    class Thinking(sglang.BaseGrammarObject):
        def __init__(self, is_past: bool) -> None:
            super().__init__()
            self.grammar = ready(engine, key)
            self.is_past = is_past

        def _is_generation(self) -> bool:
            return self.is_past

        def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None: ...

    arrays = [np.array([-1])] * 3
    for is_past in (True, False):
        hook(original, *arrays, Thinking(is_past), np.full((1, 10), -1, dtype=np.int32))
    assert calls == 1
