"""What parsers ask for and schemas do not state. Every other refusal counts against the grammar.

A refusal is of this kind only if an entry of the list covers its message and its value.
"""

import json
import re

ANY = ""
FORMER_EMOJI = "[\u2388-\u2767\U0001f000-\U0001fa6d]"

NUMERIC_KEYS = "the schema does not say that keys are numbers"
WHATWG = "the URL rules of WHATWG, beyond RFC 3986"

# Library, models, a pattern for the message, a pattern for the value or document, and the reason.
LIST = [
    (
        "pydantic",
        ["Naive"],
        r"^timezone_naive|^datetime_",
        ANY,
        "`NaiveDatetime` refuses what `date-time` requires",
    ),
    ("pydantic", ["Birthday"], r"^date_future", ANY, "a date in the future"),
    (
        "pydantic",
        ["Durations"],
        r"numeric value in the duration is too large",
        ANY,
        "durations of up to 10^9 days",
    ),
    ("pydantic", ["Networks"], r"^ip_v[46]_network", "/", "bits of a network after its prefix must be 0"),
    (
        "pydantic",
        ["Mail"],
        r"should have a period|Quoting the part|bracketed IP|special-use or reserved|top-level domain"
        r"|not valid IDNA|is too long",
        ANY,
        "the rules of email-validator, beyond RFC 5321",
    ),
    ("pydantic", ["Urls", "WebPage"], r"^url_parsing", ANY, WHATWG),
    ("pydantic", ["WebPage"], r"^url_scheme", ANY, "the schemes http and https alone"),
    (
        "pydantic",
        ["Base64"],
        r"Incorrect padding",
        ANY,
        "padding, which zod forbids under the same format `base64url`",
    ),
    ("pydantic", ["Base64"], r"codec can't decode", ANY, "`Base64Str` asks for UTF-8 inside of base64"),
    ("pydantic", ["Bytes"], r"^bytes_too_long", "[^\x00-\x7f]", "a length in bytes, not in characters"),
    ("pydantic", ["Files"], r"^byte_size", ANY, "the schema of `ByteSize` takes every text"),
    (
        "pydantic",
        ["Decimals"],
        r"^decimal_|^finite_number|^greater_than_equal",
        ANY,
        "the schema takes every text, and all digits",
    ),
    (
        "pydantic",
        ["ByPattern"],
        r"^string_pattern_mismatch|^float_",
        ANY,
        "`patternProperties` does not forbid other keys",
    ),
    ("pydantic", ["ByNumber"], r"^int_parsing", ANY, NUMERIC_KEYS),
    (
        "pydantic",
        ["Embedded"],
        r"^json_|^list_type|^int_",
        ANY,
        "the text is JSON itself: `contentSchema` annotates",
    ),
    ("pydantic", ["Stripped"], r"^string_too_short", r"^\s+$", "the length counts after spaces are removed"),
    (
        "msgspec",
        ["Moments"],
        r"Invalid RFC3339 .*\$\.any",
        ANY,
        "the schema of a `datetime` without `tz` takes every text",
    ),
    (
        "msgspec",
        ["Naive"],
        r"Invalid RFC3339|timezone component",
        ANY,
        "the schema of a naive `datetime` takes every text",
    ),
    (
        "msgspec",
        ["Durations"],
        r"Only units|out of range",
        ANY,
        "durations of days, hours, minutes and seconds, in range",
    ),
    (
        "msgspec",
        ["Decimals"],
        r"^Invalid decimal string",
        ANY,
        "`decimal` is no format that a standard defines",
    ),
    (
        "msgspec",
        ["Steps"],
        r"multiple of 0\.1",
        ANY,
        "remainders in doubles, by which 600 is no multiple of 0.1",
    ),
    ("msgspec", ["Bytes"], r"^Invalid base64", ANY, "`contentEncoding` annotates"),
    (
        "msgspec",
        ["Dictionaries"],
        r"^Invalid enum value",
        ANY,
        "the schema does not list the keys of a `Literal`",
    ),
    ("msgspec", ["ByNumber"], r"^Expected `int`", ANY, NUMERIC_KEYS),
    ("zod", ["Others"], r"^invalid_format emoji", FORMER_EMOJI, "emoji that Unicode 17 has no more"),
    ("zod", ["Url"], r"^invalid_format url", ANY, WHATWG),
    ("zod", ["Token"], r"^invalid_format jwt", ANY, "`jwt` is no format that a standard defines"),
]


def reason(library, model, message, value):
    """Why a parser refuses a document although its schema allows it, or None."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    for whose, models, said, of, why in LIST:
        is_meant = whose == library and (not models or model in models)
        if is_meant and re.search(said, message) and re.search(of, text):
            return why
    return None
