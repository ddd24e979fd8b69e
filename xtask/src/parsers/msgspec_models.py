"""Structs of msgspec, of the kinds that people use."""

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, NamedTuple, TypedDict
from uuid import UUID

import msgspec
from msgspec import Meta, Struct


class Strings(Struct):
    any: str
    short: Annotated[str, Meta(max_length=8)]
    long: Annotated[str, Meta(min_length=3, max_length=40)]
    slug: Annotated[str, Meta(pattern="^[a-z0-9-]+$")]


class Integers(Struct):
    any: int
    positive: Annotated[int, Meta(gt=0)]
    percent: Annotated[int, Meta(ge=0, le=100)]
    even: Annotated[int, Meta(multiple_of=2)]


class Floats(Struct):
    any: float
    ratio: Annotated[float, Meta(ge=0, le=1)]
    open: Annotated[float, Meta(gt=-1.5, lt=2.25)]


class Steps(Struct):
    half: Annotated[float, Meta(multiple_of=0.5)]
    tenth: Annotated[float, Meta(multiple_of=0.1)]


class Optionals(Struct):
    flag: bool
    nothing: None
    name: str | None
    age: int | None = None
    either: int | str | float = 1


class Color(Enum):
    RED = "red"
    DARK_BLUE = "dark blue"


class Choices(Struct):
    mode: Literal["fast", "slow"]
    number: Literal[1, 2, 30]
    color: Color


class Moments(Struct):
    any: datetime
    aware: Annotated[datetime, Meta(tz=True)]


class Days(Struct):
    day: date
    clock: Annotated[time, Meta(tz=True)]


class Naive(Struct):
    at: Annotated[datetime, Meta(tz=False)]


class Durations(Struct):
    delta: timedelta


class Ids(Struct):
    id: UUID


class Decimals(Struct):
    price: Decimal


class Bytes(Struct):
    data: bytes


class Lists(Struct):
    any: list
    some: Annotated[list[int], Meta(min_length=1, max_length=4)]
    pair: tuple[int, str]
    many: tuple[bool, ...]
    unique: set[int]


class Dictionaries(Struct):
    counts: dict[str, int]
    by_pattern: dict[Annotated[str, Meta(pattern="^[a-z]{1,8}$")], float]
    by_choice: dict[Literal["a", "b"], int]


class ByNumber(Struct):
    names: dict[int, str]


class Address(Struct, forbid_unknown_fields=True):
    street: str
    number: int = 1


class Person(Struct, forbid_unknown_fields=True):
    name: str
    home: Address
    friends: list["Person"] = []


class Cat(Struct, tag="cat"):
    lives: int


class Dog(Struct, tag="dog"):
    name: str


class Owner(Struct, rename="camel"):
    first_pet: Cat | Dog
    other_pets: list[Cat | Dog] = []


class Row(Struct, array_like=True):
    id: int
    name: str
    score: float = 0.0


class Movie(TypedDict):
    title: str
    year: int


class Position(NamedTuple):
    row: int
    column: int = 0


class Free(Struct):
    anything: Any
    raw: msgspec.Raw


MODELS = [
    Strings, Integers, Floats, Steps, Optionals, Choices, Moments, Days, Naive, Durations, Ids, Decimals,
    Bytes, Lists, Dictionaries, ByNumber, Person, Owner, Row, Movie, Position, Free,
]  # fmt: skip


def schema(model):
    """The JSON Schema that msgspec writes for a model."""
    return msgspec.json.schema(model)


def complaints(model, text):
    """What msgspec says against a document: at most one message, with the document."""
    try:
        msgspec.json.decode(text, type=model)
    except msgspec.MsgspecError as error:
        return [(str(error), text)]
    return []
