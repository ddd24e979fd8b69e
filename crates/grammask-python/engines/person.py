"""The schema of a person and the structural tag with it that all engines run, and checks of their outputs."""

from __future__ import annotations

import json

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 20}, "age": {"type": "integer", "minimum": 0}},
    "required": ["name", "age"],
    "additionalProperties": False,
}

TAG = {
    "type": "structural_tag",
    "format": {
        "type": "tag",
        "begin": "<person>",
        "content": {"type": "json_schema", "json_schema": SCHEMA},
        "end": "</person>",
    },
}


def is_person(text: str) -> bool:
    """True if the text obeys the schema."""
    value = json.loads(text)
    return set(value) == {"name", "age"} and isinstance(value["age"], int)


def is_tagged_person(text: str) -> bool:
    """True if the text is a person between the tags."""
    return is_person(text.removeprefix("<person>").removesuffix("</person>")) and text.endswith("</person>")
