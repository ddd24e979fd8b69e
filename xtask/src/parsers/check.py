"""Writes random documents of the profile `Generation`, and asks the parsers that read them. Run by hand.

    check.py ZOD DOCUMENTS [MODEL...]

ZOD is a folder with node_modules/zod, or - without zod. DOCUMENTS is the number of documents of each model.
Each library writes the JSON Schema of its models. Each document must be JSON with one value for all parsers
of JSON, and the library's own parser must take it. `unstated.py` lists what parsers ask for and schemas do
not state. Prints the refusals and a table in Markdown. The exit status is 1 if one of 500 documents or more
is refused although the schema states everything.
"""

import json
import random
import struct
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import grammask
import orjson
import pydantic_core

import msgspec_models
import pydantic_models
import unstated

# Steps before a random model takes a short way to the end, and the most tokens of a document.
FREE_STEPS, LONGEST = 150, 2000

# Documents per refusal that counts against the library.
BAR = 500

FRAGMENTS = """
the and of to in is for on with as name value text user data list item first last new old red blue green cat
dog true false null None nan Infinity undefined truth nulls 0 1 2 3 5 7 9 10 12 15 20 23 24 29 30 31 42 59
60 99 100 127 128 255 256 365 999 1000 1024 1970 1999 2000 2024 2025 9999 0000 0001 00 000 001 -1 -0 -00 +1
0.5 0.1 1.5 .0 .5 .25 .000 .999 e1 e5 e10 e-5 e+3 E2 E+1 E-7 e308 e-307 12345678 123456789 999999999
9007199254740993 4294967296 2147483647 9223372036854775807 18446744073709551615 12345678901234567 2024-02-29
2023-01-31 -01-01 -12-31 T00:00:00 T23:59:59 T12:30 :00 :30 :59 :60 23: 00: +00:00 +05:30 -08:00 +23:59 P1D
PT1H P1Y P2M P3W T5M T1.5S 00000000-0000-4000-8000-000000000000 ffffffff -0000 -4000 -7abc -8000 -9fff
abcdef 0a1b2c 192.168.0.1 10.0.0.0 .0.0 255.255 /8 /24 /32 /64 /128 :: ::1 fe80: ffff: 2001:db8: example.com
example @example.org .com .co.uk user+tag localhost http:// https:// ftp:// mailto: www. :80 :8080 :443 / //
?q=1 & #top %20 %41 [::1] a@b xn-- -- aa AA Aa aGVsbG8= AA== QUI= YQ == = _- +/ 1KB 1MB ab .txt x/y \\n \\t
\\" \\\\ \\b \\f \\r \\/ \\u00 \\u0000 \\u001f \\u2028 \\ud83d é ß ñ ü ж д 日 本 語 한 עב ع 😀 👍🏽 👨‍👩‍👧 \u2028
\u2029 \u00a0 \ufeff \ufffd \ufffe \u0301 \u200d \x7f "name" "kind" "value" "id" "": "a": "type":
"__proto__" "constructor" "user_name" "toString" {" "} "] ", "," ":" ": ": "a","b" }, ], }} ]] [[ [] {} [1
[true [null {"a":1} {"": {"__proto__":
""".split()


def vocabulary(schemas):
    """All bytes, common fragments, and the names that the schemas mention; the last id ends an output."""
    names = {name for schema in schemas for name in names_of(schema)}
    spaces = ["  ", "    ", "\n", "\n  ", ", ", ": ", '": "', " the", " a"]
    parts = sorted({*FRAGMENTS, *spaces, *names, *map(key, names)})
    tokens = [bytes([byte]) for byte in range(256)] + [
        part.encode() for part in parts if len(part.encode()) > 1
    ]
    return grammask.Vocabulary(tokens, {len(tokens): "<|end|>"}, end="<|end|>")


def names_of(schema):
    """The names of all properties in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else []:
        yield from names_of(part)


def key(name):
    return f"{json.dumps(name, ensure_ascii=False)}:"


class Model:
    """A random model: any token that is allowed, with a liking for the keys of the schema and for ends."""

    def __init__(self, schema, grammar):
        self.grammar = grammar
        ids = {grammar.vocabulary.token(token): token for token in range(grammar.vocabulary.size)}
        self.keys = {ids[key(name).encode()] for name in names_of(schema)}
        self.orders = [set(grammar.ends), {ord("}"), ord("]")}, self.keys, {ord('"')}, {ord(",")}]

    def write(self, rng):
        """A document, or None if it does not end."""
        matcher = self.grammar.matcher()
        haste = rng.choice([0.05, 0.2, 0.5, 0.8])
        for step in range(LONGEST):
            token = self.choose(set(matcher.allowed()), rng, 0.9 if step >= FREE_STEPS else haste)
            if token in self.grammar.ends:
                return matcher.text.decode()
            assert matcher.accept(token), (matcher.text, token)
        return None

    def choose(self, allowed, rng, haste):
        """A token; with the probability of `haste`, one that leads to an end."""
        preferred = self.keys & allowed if rng.random() < 0.6 else set()
        if rng.random() < haste:
            # Where a backslash is allowed, the document is inside of a string.
            orders = [{ord('"')}] if ord("\\") in allowed else self.orders
            preferred = next(filter(None, (order & allowed for order in orders)), set())
        return rng.choice(sorted(preferred or allowed))


def is_same(one, other, is_double=False):
    """True if two values are equal: integers exactly, other numbers bit by bit.

    An integer that one parser reads as a double is compared as a double, as are all with `is_double`.
    """
    if is_number(one) and is_number(other):
        if isinstance(one, int) and isinstance(other, int) and not is_double:
            return one == other
        return struct.pack("<d", float(one)) == struct.pack("<d", float(other))
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(is_same(one[key], other[key], is_double) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(lambda *pair: is_same(*pair, is_double), one, other))
    return one == other


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def json_complaints(text, parsers):
    """What parsers of JSON say against a document, other values than json's included, and json's value."""
    try:
        value = json.loads(text)
    except ValueError as error:
        return [f"json: {error}"], None
    complaints = []
    for name, parse in parsers.items():
        try:
            if not is_same(value, parse(text)):
                complaints.append(f"{name}: another value")
        except ValueError as error:
            complaints.append(f"{name}: {error}")
    return complaints, value


PARSERS = {"orjson": orjson.loads, "pydantic_core": pydantic_core.from_json}


class Python:
    """A library of Python."""

    def __init__(self, name, module):
        self.name, self.version = name, version(name)
        self.module = module
        self.models = {getattr(model, "__name__", str(model)): model for model in module.MODELS}

    def schemas(self):
        return {name: self.module.schema(model) for name, model in self.models.items()}

    def ask(self, documents):
        """For each document, what parsers of JSON say, and what the library says."""
        for name, text in documents:
            yield json_complaints(text, PARSERS)[0], self.module.complaints(self.models[name], text)


class Zod:
    """The library zod, in Node.js."""

    def __init__(self, folder):
        self.name, self.folder = "zod", folder
        self.version = json.loads((Path(folder) / "node_modules/zod/package.json").read_text())["version"]

    def node(self, mode, text=""):
        program = Path(__file__).parent / "zod_models.mjs"
        command = ["node", program, self.folder, mode]
        output = subprocess.run(
            command, input=text, stdout=subprocess.PIPE, check=True, encoding="utf-8"
        ).stdout
        return [json.loads(line) for line in output.split("\n") if line]

    def schemas(self):
        return {line["model"]: line["schema"] for line in self.node("schemas")}

    def ask(self, documents):
        lines = "".join(json.dumps({"model": name, "text": text}) + "\n" for name, text in documents)
        for (_, text), answer in zip(documents, self.node("check", lines), strict=True):
            complaints, value = json_complaints(text, PARSERS)
            if "error" in answer:
                complaints.append(f"JSON.parse: {answer['error']}")
            elif not is_same(value, answer["value"], is_double=True):
                complaints.append("JSON.parse: another value")
            yield complaints, [tuple(complaint) for complaint in answer["complaints"]]


def shorten(text, longest):
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest * 2 // 3]} … {line[-longest // 3 :]}"


def spoken(complaint, text):
    """A complaint with the value that it is about."""
    message, value = complaint
    return message if value == text else f"{message} ({shorten(repr(value), 60)})"


class Refusals:
    """Documents that were refused, one example for each model and kind."""

    def __init__(self):
        self.counts, self.examples = Counter(), {}

    def add(self, key, text, message):
        self.counts[key] += 1
        known = self.examples.get(key)
        if known is None or len(text) < len(known[0]):
            self.examples[key] = text, message

    def print(self, title):
        print(f"\n{title}:")
        for (library, model, kind), count in sorted(self.counts.items()):
            text, message = self.examples[library, model, kind]
            text, message = shorten(text, 160), shorten(message, 200)
            print(f"- {library} {model}, {kind}: {count}; `{text}`: {message}")


def check(library, count, only, faults, others):
    """Checks a library. Returns its row of the table, and the numbers of documents and of faults."""
    schemas = {name: schema for name, schema in library.schemas().items() if not only or name in only}
    words = vocabulary(schemas.values())
    documents, compiled = [], 0
    for name, schema in schemas.items():
        try:
            grammar = grammask.Grammar.json_schema(schema, words)
        except ValueError as error:
            print(f"{library.name} {name} does not compile: {error}")
            continue
        compiled += 1
        for relaxation in grammar.relaxations:
            print(f"{library.name} {name}: not asserted: {relaxation}")
        model = Model(schema, grammar)
        for index in range(count):
            text = model.write(random.Random(f"{library.name} {name} {index}"))
            if text is None:
                print(f"{library.name} {name}: a document does not end within {LONGEST} tokens")
            else:
                documents.append((name, text))
        print(f"{library.name} {name}: {count} documents", file=sys.stderr)
    against = Counter()
    for (name, text), (parsers, own) in zip(documents, library.ask(documents), strict=True):
        if parsers:
            against["parser"] += 1
            faults.add((library.name, name, parsers[0].split(":")[0]), text, "; ".join(parsers))
        if not own:
            continue
        against["own"] += 1
        reasons = [unstated.reason(library.name, name, message, value) for message, value in own]
        if None in reasons:
            against["fault"] += 1
            index = reasons.index(None)
            faults.add((library.name, name, own[index][0].split(":")[0]), text, spoken(own[index], text))
        else:
            against["unstated"] += 1
            others.add((library.name, name, f"not stated, {reasons[0]}"), text, spoken(own[0], text))
    cells = [
        f"{library.name} {library.version}", len(schemas), compiled, len(documents), against["parser"],
        against["unstated"], against["fault"],
    ]  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |", len(documents), against["parser"] + against["fault"]


def main():
    zod, count, *only = sys.argv[1:]
    libraries = [Python("pydantic", pydantic_models), Python("msgspec", msgspec_models)]
    libraries += [] if zod == "-" else [Zod(zod)]
    faults, others = Refusals(), Refusals()
    rows = [check(library, int(count), only, faults, others) for library in libraries]
    if others.counts:
        others.print("Refused for what the schema does not state")
    if faults.counts:
        faults.print("Refused although the schema states everything")
    print(
        "\n| library | models | compiled | documents | refused by a parser of JSON | not stated | refused |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- |")
    print("\n".join(row for row, _, _ in rows))
    print(f"\nJSON: Python {sys.version.split()[0]}, orjson {version('orjson')}, pydantic_core", end=" ")
    print(version("pydantic_core"))
    documents, refused = (sum(row[column] for row in rows) for column in (1, 2))
    print(f"{refused} of {documents} documents are refused although the schema states everything")
    return 0 if refused * BAR < documents else 1


if __name__ == "__main__":
    sys.exit(main())
