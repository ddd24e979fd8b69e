"""A tool call: free text up to `<tool_call>`, then the call as JSON, one of two tools.

The model is a list of texts that it would like to write; what is not allowed is skipped.
"""

import json

import grammask

TOOLS = {
    "weather": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
    "add": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    },
}


def schema_of_calls() -> dict:
    """One object for each tool: its name, and arguments that fit it."""
    calls = [
        {
            "type": "object",
            "properties": {"name": {"const": name}, "arguments": parameters},
            "required": ["name", "arguments"],
            "additionalProperties": False,
        }
        for name, parameters in TOOLS.items()
    ]
    return {"anyOf": calls}


def main() -> None:
    """Writes a call and reads it."""
    vocabulary = grammask.Vocabulary([bytes([byte]) for byte in range(256)], {256: "<|end|>"}, end="<|end|>")
    grammar = grammask.Grammar.json_schema(
        schema_of_calls(), vocabulary, begin="<tool_call>", order="as-written"
    )
    matcher = grammar.matcher()
    wishes = b'I will add them.<tool_call>{"name": "subtract add", "arguments": {"a": "1", "b": 2}}'
    for byte in wishes:
        # A model would pick its next best token here.
        matcher.accept(byte)
    text = matcher.text.split(b"<tool_call>", 1)[1]
    print(text.decode())
    call = json.loads(text)
    assert call["name"] == "add"
    print(sum(call["arguments"].values()))


if __name__ == "__main__":
    main()
