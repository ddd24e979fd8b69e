"""Grammars and vocabularies: compiling, errors, options, saving, pickling."""

import json
import pathlib
import pickle

import pytest

import grammask
import grammask.tokenizers


def accepts(grammar: grammask.Grammar, text: str) -> bool:
    matcher = grammar.matcher()
    return matcher.accept_bytes(text.encode()) and matcher.is_complete


def test_a_wrong_grammar_names_its_places(words: grammask.Vocabulary) -> None:
    with pytest.raises(grammask.GrammarError) as caught:
        grammask.Grammar.kbnf("start ::= 'yes'\n  answr;", words)
    error = caught.value
    assert [(found["line"], found["column"]) for found in error.diagnostics] == [(2, 3)]
    assert "answr" in error.diagnostics[0]["message"]
    assert error.rendered is not None and "^" in error.rendered
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.diagnostics) == (str(error), error.diagnostics)


def test_start_and_end(words: grammask.Vocabulary) -> None:
    text = "start ::= 'no'; other ::= 'yes';"
    grammar = grammask.Grammar.kbnf(text, words, start="other", end=[])
    matcher = grammar.matcher()
    assert matcher.accept(0) and matcher.allowed() == []
    assert grammask.Grammar.kbnf(text, words, end="<|end|>").matcher().accept(1)
    with pytest.raises(ValueError, match="end: the vocabulary has no special token"):
        grammask.Grammar.kbnf(text, words, end="<|stop|>")


def test_grammars_in_other_notations(byte_tokens: grammask.Vocabulary) -> None:
    grammar = grammask.Grammar
    tag = {
        "type": "structural_tag",
        "format": {"type": "tag", "begin": "<a>", "content": {"type": "regex", "pattern": "[0-9]"}, "end": "</a>"},
    }
    for made, right, wrong in [
        (grammar.gbnf('root ::= "a" [b-z]*', byte_tokens), "abz", "b"),
        (grammar.ebnf('root ::= Regex("[0-9]+") x\nx ::= "!"?', byte_tokens), "12!", "!"),
        (grammar.lark('start: INT ("," INT)*\n%import common.INT', byte_tokens), "1,22", "1,"),
        (grammar.regex("a(?!a)[ab]", byte_tokens), "ab", "aa"),
        (grammar.choice(["yes", "no"], byte_tokens), "no", "noo"),
        (grammar.structural_tag(tag, byte_tokens), "<a>7</a>", "<a></a>"),
        (grammar.structural_tag(json.dumps(tag), byte_tokens), "<a>7</a>", "7"),
    ]:
        assert accepts(made, right), right
        assert not accepts(made, wrong), wrong
    for check, text in [
        (grammask.check_gbnf, "root ::= other"),
        (grammask.check_ebnf, 'root ::= "a" |'),
        (grammask.check_lark, "start: [a-z"),
        (grammask.check_regex, "(a"),
        (grammask.check_structural_tag, '{"type": "structural_tag"}'),
    ]:
        with pytest.raises(grammask.GrammarError):
            check(text)
    with pytest.raises(TypeError, match="choices"):
        grammask.check_choice("yes")


def test_options_of_schemas_inside_of_grammars(byte_tokens: grammask.Vocabulary) -> None:
    schema = {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"type": "integer"}}}
    tag = {
        "type": "structural_tag",
        "format": {
            "type": "tag",
            "begin": "<a>",
            "content": {"type": "json_schema", "json_schema": schema},
            "end": "",
        },
    }
    lark = f'start: "<a>" %json {json.dumps(schema)}'
    for make, check, source in [
        (grammask.Grammar.structural_tag, grammask.check_structural_tag, tag),
        (grammask.Grammar.lark, grammask.check_lark, lark),
    ]:
        assert accepts(make(source, byte_tokens), '<a>{"b": 1, "a": 2}')
        assert not accepts(make(source, byte_tokens), '<a>{"b": 1E2}')
        assert accepts(make(source, byte_tokens, profile="standard"), '<a>{"b": 1E2}')
        assert not accepts(make(source, byte_tokens, profile="standard"), '<a>{"a": 1, "b": 2}')
        assert accepts(make(source, byte_tokens, order="any"), '<a>{"a": 1, "b": 2}')
        check(source, profile="standard")
        with pytest.raises(TypeError, match="dialect: unknown option of a JSON Schema"):
            check(source, dialect="any")


def test_json_schema_from_every_kind_of_argument(byte_tokens: grammask.Vocabulary) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}

    class Model:
        @classmethod
        def model_json_schema(cls) -> dict:
            return schema

    class Adapter:
        def json_schema(self) -> dict:
            return schema

    for argument in (schema, json.dumps(schema), json.dumps(schema).encode(), Model, Adapter()):
        grammar = grammask.Grammar.json_schema(argument, byte_tokens)
        assert accepts(grammar, '{"a": 1}') and not accepts(grammar, '{"a": "1"}')
    assert accepts(grammask.Grammar.json_schema(True, byte_tokens), "[1]")


def test_wrong_schemas(byte_tokens: grammask.Vocabulary) -> None:
    with pytest.raises(ValueError, match="schema: not JSON"):
        grammask.Grammar.json_schema("{", byte_tokens)
    with pytest.raises(TypeError, match="schema: expected JSON text"):
        grammask.Grammar.json_schema(object(), byte_tokens)
    with pytest.raises((TypeError, ValueError), match="schema: "):
        deep: list = []
        for _ in range(100_000):
            deep = [deep]
        grammask.Grammar.json_schema({"enum": deep}, byte_tokens)
    circle: dict = {}
    circle["allOf"] = [circle]
    with pytest.raises((TypeError, ValueError), match="schema: "):
        grammask.Grammar.json_schema(circle, byte_tokens)
    with pytest.raises(grammask.GrammarError) as caught:
        grammask.Grammar.json_schema({"properties": {"a": {"type": "intger"}}}, byte_tokens)
    assert caught.value.diagnostics[0]["pointer"] == "/properties/a"


def test_options_of_a_schema(byte_tokens: grammask.Vocabulary) -> None:
    schema = {"type": "object", "properties": {"a": {"const": 1}, "b": {"const": 2}}, "required": ["a", "b"]}

    def compiled(**options: object) -> grammask.Grammar:
        return grammask.Grammar.json_schema(schema, byte_tokens, **options)

    assert accepts(compiled(whitespace="compact"), '{"b":2,"a":1}')
    assert not accepts(compiled(whitespace="compact"), '{"b": 2,"a":1}')
    assert accepts(compiled(whitespace=(", ", ": ")), '{"a": 1, "b": 2}')
    assert not accepts(compiled(order="as-written"), '{"b": 2, "a": 1}')
    assert accepts(compiled(extra="open"), '{"a": 1, "b": 2, "c": 3}')
    assert not accepts(compiled(extra="closed"), '{"a": 1, "b": 2, "c": 3}')
    assert not accepts(compiled(), ' {"a": 1, "b": 2}')
    assert accepts(compiled(surrounding_whitespace=True), ' {"a": 1, "b": 2}')
    assert accepts(compiled(profile="standard"), ' {"\\u0061":\t 1.0, "b": 2e0}\n')
    assert accepts(compiled(whitespace="bounded", profile="standard"), '\n{"\\u0061": 1.0, "b": 2e0}')
    assert not accepts(compiled(literal_escapes="short"), '{"\\u0061": 1, "b": 2}')
    assert accepts(
        compiled(literal_escapes="any", integers="any", string_escapes="any"), '{"a": 1.0, "b": 2}'
    )
    assert accepts(compiled(integers="32", numbers="double"), '{"a": 1, "b": 2}')
    year = {"pattern": "^(?P<year>[0-9]{4})$", "type": "string"}
    assert accepts(grammask.Grammar.json_schema(year, byte_tokens, pattern_dialect="python"), '"2024"')
    with pytest.raises(grammask.GrammarError):
        grammask.Grammar.json_schema(year, byte_tokens, pattern_dialect="ecma")
    with pytest.raises(ValueError, match='profile: "fast" is not "generation" or "standard"'):
        compiled(profile="fast")
    with pytest.raises(TypeError, match="surrounding_whitespace"):
        compiled(surrounding_whitespace="yes")
    with pytest.raises(ValueError, match='order: "sorted" is not "any" or "as-written"'):
        compiled(order="sorted")
    with pytest.raises(TypeError, match="colour: unknown option"):
        compiled(colour="red")
    day = {"type": "string", "format": "date"}
    for text, is_offered in (('"2024-02-29"', True), ('"0000-02-29"', False)):
        assert accepts(grammask.Grammar.json_schema(day, byte_tokens), text) == is_offered
        assert accepts(grammask.Grammar.json_schema(day, byte_tokens, date_times="any"), text)
    masks = [compiled(prefetch=nodes).stats()["masks"] for nodes in (0, 2048)]
    assert masks[0] < masks[1], masks
    with pytest.raises(TypeError, match="prefetch"):
        compiled(prefetch=-1)
    with pytest.raises(ValueError, match="max_whitespace: needs"):
        compiled(whitespace="compact", max_whitespace=3)


def test_relaxations(byte_tokens: grammask.Vocabulary) -> None:
    schema = {"type": "string", "format": "no-such-format", "pattern": "(?<=a)b(?=c)\\1(a)"}
    with pytest.raises(grammask.GrammarError):
        grammask.check_json_schema(schema)
    found = grammask.check_json_schema(schema, unsupported="relax")
    assert {entry["keyword"] for entry in found} >= {"pattern"}


def test_checks_without_a_vocabulary() -> None:
    grammask.check_kbnf("start ::= <|think|> 'a';")
    with pytest.raises(grammask.GrammarError):
        grammask.check_kbnf("start ::= ;")
    assert grammask.check_json_schema({"type": "string"}) == []
    with pytest.raises(grammask.GrammarError):
        grammask.check_json_schema({"type": "string", "enum": [1]})


def test_save_and_load(answers: grammask.Grammar, byte_tokens: grammask.Vocabulary) -> None:
    for warm in (False, True):
        data = answers.save(warm=warm)
        again = grammask.Grammar.load(data, answers.vocabulary)
        assert again.matcher().allowed() == answers.matcher().allowed()
    with pytest.raises(grammask.VocabularyMismatch):
        grammask.Grammar.load(data, byte_tokens)
    for damaged in (b"", data[:-1], data[:10] + b"x" + data[11:], b"x" * 100):
        with pytest.raises(ValueError):
            grammask.Grammar.load(damaged, answers.vocabulary)


def test_pickling(answers: grammask.Grammar) -> None:
    first, second = pickle.loads(pickle.dumps((answers, answers)))
    assert first.matcher().allowed() == answers.matcher().allowed()
    third = pickle.loads(pickle.dumps(answers))
    # Equal vocabularies are one object after unpickling.
    assert first.vocabulary is second.vocabulary is third.vocabulary
    assert first.vocabulary.ends == [5] and first.vocabulary.special == {5: "<|end|>"}
    with pytest.raises(TypeError):
        pickle.dumps(answers.matcher())


def test_vocabulary(words: grammask.Vocabulary, tmp_path: pathlib.Path) -> None:
    assert (len(words), words.size, words.words, words.ends) == (6, 6, 1, [5])
    assert (words.token(0), words.token(5), words.token(77)) == (b"yes", None, None)
    wide = grammask.Vocabulary([b"a", None, b"b"], size=70)
    assert (wide.words, wide.token(1), wide.token(2)) == (3, None, b"b")
    path = tmp_path / "tokens.tiktoken"
    path.write_bytes(b"YQ== 0\nYg== 1\n")
    for source in (path, str(path), path.read_bytes()):
        assert grammask.Vocabulary.load(source).token(1) == b"b"
    assert "6 ids" in repr(words)


def test_wrong_vocabularies(tmp_path: pathlib.Path) -> None:
    with pytest.raises(TypeError, match=r"tokens\[1\]: expected bytes or None, not str"):
        grammask.Vocabulary([b"a", "b"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="tokens: expected"):
        grammask.Vocabulary(3)  # type: ignore[arg-type]
    with pytest.raises(grammask.VocabularyError):
        grammask.Vocabulary([b"a"], {0: "<end>"})
    with pytest.raises(ValueError, match="size: 1 is less than the 2 ids"):
        grammask.Vocabulary([b"a", b"b"], size=1)
    with pytest.raises(FileNotFoundError):
        grammask.Vocabulary.load(tmp_path / "missing")
    with pytest.raises(grammask.VocabularyError):
        grammask.Vocabulary.load(b"\x00\x01")
    with pytest.raises(TypeError, match="tokenizer: builtins.int is not a known kind"):
        grammask.Vocabulary.from_tokenizer(3)


def test_tiktoken_like_objects() -> None:
    class Encoding:
        _mergeable_ranks = {b"a": 0, b"b": 2}
        _special_tokens = {"<|endoftext|>": 4}
        max_token_value = 4

    vocabulary = grammask.Vocabulary.from_tokenizer(Encoding())
    assert (vocabulary.size, vocabulary.ends, vocabulary.token(2)) == (5, [4], b"b")


def test_limits_of_work_are_arguments_and_errors(byte_tokens: grammask.Vocabulary) -> None:
    schema = {"type": "array", "items": {"type": "string", "pattern": "^a.*b$"}}
    with pytest.raises(grammask.LimitError, match="max_compile_work"):
        grammask.Grammar.json_schema(schema, byte_tokens, max_compile_work=1_000)
    with pytest.raises(grammask.LimitError, match="max_compile_work"):
        grammask.Grammar.kbnf("start ::= #'[a-z]{3,9}' & ~'end';", byte_tokens, max_compile_work=10)
    with pytest.raises(TypeError, match="max_mask_work"):
        grammask.Grammar.kbnf("start ::= 'a';", byte_tokens, max_mask_work="much")
    grammar = grammask.Grammar.kbnf("start ::= #'([ab]|cd)*' & ~#'a*';", byte_tokens, max_mask_work=1)
    matcher = grammar.matcher()
    with pytest.raises(grammask.LimitError, match="max_mask_work"):
        matcher.allowed()
    assert matcher.accept(ord("a"))
