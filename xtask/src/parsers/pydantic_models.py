"""Models of pydantic, of the kinds that people use."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from ipaddress import (
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
)
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

from pydantic import (
    UUID4,
    UUID7,
    AnyUrl,
    AwareDatetime,
    Base64Bytes,
    Base64Str,
    Base64UrlBytes,
    BaseModel,
    ByteSize,
    ConfigDict,
    EmailStr,
    Field,
    FutureDate,
    HttpUrl,
    IPvAnyAddress,
    Json,
    JsonValue,
    NaiveDatetime,
    RootModel,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    TypeAdapter,
    ValidationError,
    conint,
    conlist,
    constr,
)
from typing_extensions import NotRequired, TypedDict


class Strings(BaseModel):
    any: str
    short: Annotated[str, Field(max_length=8)]
    long: Annotated[str, Field(min_length=3, max_length=40)]
    strict: StrictStr


class Patterns(BaseModel):
    slug: constr(pattern=r"^[a-z0-9]+(?:-[a-z0-9]+)*$")
    code: constr(pattern=r"^[A-Z]{2}\d{3,6}$")
    words: constr(pattern=r"^\w+( \w+)*$")
    anywhere: constr(pattern=r"[0-9]")
    no_quotes: constr(pattern=r"^[^\"\\]*$", max_length=20)


class Integers(BaseModel):
    any: int
    strict: StrictInt
    positive: Annotated[int, Field(gt=0)]
    percent: Annotated[int, Field(ge=0, le=100)]
    even: conint(multiple_of=2, ge=-10)
    negative: Annotated[int, Field(lt=0)]


class Floats(BaseModel):
    any: float
    strict: StrictFloat
    ratio: Annotated[float, Field(ge=0, le=1)]
    open: Annotated[float, Field(gt=-1.5, lt=2.25)]
    finite: Annotated[float, Field(allow_inf_nan=False)]


class Steps(BaseModel):
    half: Annotated[float, Field(multiple_of=0.5)]
    cents: Annotated[float, Field(multiple_of=0.01, ge=0, le=1000)]


class Decimals(BaseModel):
    any: Decimal
    price: Annotated[Decimal, Field(ge=0, decimal_places=2)]
    digits: Annotated[Decimal, Field(max_digits=6, decimal_places=2)]


class Booleans(BaseModel):
    flag: bool
    strict: StrictBool
    nothing: None
    maybe: bool | None = None


class Optionals(BaseModel):
    name: str | None
    age: int | None = None
    either: int | str
    three: float | bool | None = 1.5


class Color(Enum):
    RED = "red"
    DARK_BLUE = "dark blue"
    QUOTED = 'a "b" \\ c/d é'


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Choices(BaseModel):
    mode: Literal["fast", "slow"]
    mixed: Literal[1, "1", True, None]
    color: Color
    level: Level


class Moments(BaseModel):
    at: datetime
    aware: AwareDatetime


class Naive(BaseModel):
    at: NaiveDatetime


class Days(BaseModel):
    day: date
    clock: time


class Birthday(BaseModel):
    next: FutureDate


class Durations(BaseModel):
    delta: timedelta


class Ids(BaseModel):
    any: UUID
    four: UUID4
    seven: UUID7


class Addresses(BaseModel):
    v4: IPv4Address
    v6: IPv6Address
    any: IPvAnyAddress


class Networks(BaseModel):
    v4: IPv4Network
    v6: IPv6Network


class Interfaces(BaseModel):
    v4: IPv4Interface
    v6: IPv6Interface


class Mail(BaseModel):
    to: EmailStr


class Urls(BaseModel):
    any: AnyUrl


class WebPage(BaseModel):
    link: HttpUrl


class Bytes(BaseModel):
    raw: bytes
    short: Annotated[bytes, Field(max_length=10)]


class Base64(BaseModel):
    data: Base64Bytes
    url: Base64UrlBytes
    text: Base64Str


class Files(BaseModel):
    path: Path
    size: ByteSize


class Lists(BaseModel):
    any: list
    numbers: list[float]
    some: Annotated[list[int], Field(min_length=1, max_length=4)]
    pair: tuple[int, str]
    many: tuple[bool, ...]
    strings: conlist(str, max_length=3)
    nested: list[list[int]]


class Sets(BaseModel):
    numbers: set[int]
    words: Annotated[set[str], Field(min_length=2, max_length=4)]
    frozen: frozenset[Color]


class Dictionaries(BaseModel):
    any: dict
    counts: dict[str, int]
    by_choice: dict[Literal["a", "b"], int]
    bounded: Annotated[dict[str, bool], Field(max_length=3)]


class ByPattern(BaseModel):
    values: dict[constr(pattern=r"^[a-z]{1,8}$"), float]


class ByKey(BaseModel):
    by_uuid: dict[UUID, int]
    by_date: dict[date, int]


class ByNumber(BaseModel):
    names: dict[int, str]


class Street(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    number: int


class Person(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    home: Street
    work: Street | None = None
    friends: list["Person"] = []


class Tree(BaseModel):
    value: int
    left: "Tree | None" = None
    right: "Tree | None" = None


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str
    good: bool = True


class Owner(BaseModel):
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    others: list[Annotated[Cat | Dog, Field(discriminator="kind")]] = []


class Circle(BaseModel):
    model_config = ConfigDict(extra="forbid")
    radius: float


class Square(BaseModel):
    model_config = ConfigDict(extra="forbid")
    side: float


class Drawing(BaseModel):
    shape: Circle | Square


class Defaults(BaseModel):
    host: str = "localhost"
    port: Annotated[int, Field(ge=1, le=65535)] = 8080
    tags: list[str] = Field(default_factory=list)


class Aliases(BaseModel):
    user_name: str = Field(alias="userName")
    e_mail: str = Field(alias='e "mail"')
    id: int = Field(alias="$id")


class Forbidden(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    age: int = 0


class Allowed(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class TypedExtra(BaseModel):
    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, int]
    name: str


class Numbers(RootModel[list[int]]):
    pass


class Mapping(RootModel[dict[str, Color]]):
    pass


class Movie(TypedDict):
    title: str
    year: NotRequired[int]


@dataclass
class Point:
    x: float
    y: float = 0.0
    label: str | None = None


class Position(NamedTuple):
    row: int
    column: int = 0


Item = TypeVar("Item")


class Page(BaseModel, Generic[Item]):
    items: Annotated[list[Item], Field(max_length=3)]
    next: str | None = None


class Free(BaseModel):
    anything: Any
    value: JsonValue


class Embedded(BaseModel):
    text: Json[list[int]]


class Stripped(BaseModel):
    model_config = ConfigDict(str_strip_whitespace=True, str_min_length=1, str_max_length=30)
    name: str


MODELS = [
    Strings, Patterns, Integers, Floats, Steps, Decimals, Booleans, Optionals, Choices, Moments, Naive, Days,
    Birthday, Durations, Ids, Addresses, Networks, Interfaces, Mail, Urls, WebPage, Bytes, Base64, Files,
    Lists, Sets, Dictionaries, ByPattern, ByKey, ByNumber, Person, Tree, Owner, Drawing, Defaults, Aliases,
    Forbidden, Allowed, TypedExtra, Numbers, Mapping, Movie, Point, Position, Page[int], Page[Street], Free,
    Embedded, Stripped,
]  # fmt: skip


def schema(model):
    """The JSON Schema that pydantic writes for a model."""
    return TypeAdapter(model).json_schema()


def complaints(model, text):
    """What pydantic says against a document: messages with the values that they are about."""
    try:
        TypeAdapter(model).validate_json(text)
    except ValidationError as error:
        return [(f"{one['type']}: {one['msg']}", one["input"]) for one in error.errors(include_url=False)]
    return []
