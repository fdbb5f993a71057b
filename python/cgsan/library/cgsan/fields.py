"""The attributes that the objects of the JSON report have (docs/json.md)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Literal, Protocol, TypeAlias

Confidence: TypeAlias = Literal["confirmed", "likely", "possible"]
Mode: TypeAlias = Literal["global", "thread_local", "relaxed"]


class Location(Protocol):
    file: str
    line: int
    column: int | None
    end_line: int | None
    end_column: int | None
    cell: Cell | None
    function: str


class Cell(Protocol):
    number: int
    line: int


class Call(Protocol):
    function: str
    runtime_function: str | None
    library_function: str | None
    code: int
    name: str
    reason: str | None


class Thread(Protocol):
    id: int
    name: str | None


class StandingThread(Protocol):
    pid: int
    rank: int | None
    id: int
    name: str | None
    waits_in: str
    stack: list[Location]
    native_stack: list[str]


class Capture(Protocol):
    file: str | None
    line: int | None
    mode: Mode
    stream: str
    thread: Thread


class Label(Protocol):
    location: Location
    text: str
    role: Literal["primary", "secondary"]


class Consequence(Protocol):
    id: str | None
    text: str
    location: Location | None


class Process(Protocol):
    pid: int
    command: list[str]
    rank: int | None
    local_rank: int | None
    world_size: int | None
    host: str | None
    count: int


class Graph(Protocol):
    process: Process
    graph: int
    location: Location | None
    mode: Mode
    outcome: Literal["captured", "failed", "unfinished"]
    replays: int
    streams: list[str]
    places: list[Location]
    nodes: list[Node]
    events: list[Event]
    shape: Shape | None


class Node(Protocol):
    kind: str
    name: str | None
    operator: str | None
    stream: int | None
    depends_on: list[int]
    place: int | None
    # Which ones depends on the kind.
    parameters: SimpleNamespace | None


class Event(Protocol):
    kind: Literal["begin", "fork", "wait", "join", "refused", "exception", "end"]
    after_nodes: int
    stream: int | None
    waits_for: int | None
    text: str
    place: int | None


class Shape(Protocol):
    critical_path: int
    width_at_least: int
    width_at_most: int
    redundant_edges: int | None


class Candidate(Protocol):
    """What `cgsan explain` takes a text for."""

    id: str
    name: str
    title: str
    score: int
    found_by: list[str]
    versions: list[SimpleNamespace]
    reason: str
    signal: str
    question: str
    fixes: list[Fix]
    line: int | None
    rank: int | None
    error: str | None


class Fix(Protocol):
    title: str
    explanation: str
