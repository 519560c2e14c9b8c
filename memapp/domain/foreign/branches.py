"""The active branch of a conversation, in an export with all retries."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from memapp.domain.foreign.items import an_object, plain_text

_NEVER = datetime.min.replace(tzinfo=UTC)
Written = Callable[[Any], datetime | None]


def branch(
    nodes: Mapping[str, Any], current: object, parent: str, children: str, written: Written
) -> tuple[list[Any], list[Any]]:
    """Return the nodes from the first to the current one, and the others.

    A link counts whether the child or the parent names it. Without a current node, the newest leaf
    is taken. Where the link to a parent is lost, the earlier branch is found by time: a lost link
    loses no message. Raises `ValueError` for a circle.
    """
    above = _links(nodes, parent, children)
    followed = set(above.values())
    place = {name: number for number, name in enumerate(nodes)}

    def age(name: str) -> tuple[datetime, int]:
        times = (written(nodes[ancestor]) for ancestor in _way_up(name, above))
        return next(filter(None, times), _NEVER), place[name]

    tops, newest = _tops(nodes, above), dict[str, str]()
    for name in (name for name in nodes if name not in followed):
        last = newest.get(tops[name])
        newest[tops[name]] = name if last is None else max(last, name, key=age)
    end = (
        current
        if isinstance(current, str) and current in nodes
        else max(newest.values(), key=age, default="")
    )
    is_cut = _is_lost(nodes.get(tops.get(end, "")), parent)
    lost = [
        name
        for top, name in newest.items()
        if top != tops.get(end) and (is_cut or _is_lost(nodes[top], parent))
    ]
    active = dict.fromkeys(
        name
        for last in [*sorted(lost, key=age), end]
        if last
        for name in reversed([*_way_up(last, above)])
    )
    others = [node for name, node in nodes.items() if name not in active]
    return [nodes[name] for name in active], others


def _links(nodes: Mapping[str, Any], parent: str, children: str) -> dict[str, str]:
    """Return the parent of each node."""
    above = {
        child: name
        for name, node in nodes.items()
        for child in _children(node, children)
        if isinstance(child, str)
    }
    above |= {
        name: up for name, node in nodes.items() if (up := plain_text(an_object(node).get(parent)))
    }
    return {name: up for name, up in above.items() if name in nodes and up in nodes}


def _is_lost(top: object, parent: str) -> bool:
    """Return True for a top node whose parent is missing: a real root has None as its parent."""
    return an_object(top).get(parent, "") is not None


def _children(node: object, children: str) -> list[Any]:
    names = an_object(node).get(children)
    return names if isinstance(names, list) else []


def _tops(nodes: Mapping[str, Any], above: Mapping[str, str]) -> dict[str, str]:
    """Return the root of each node's tree."""
    tops: dict[str, str] = {}
    for name in nodes:
        way: dict[str, None] = {}
        while name not in tops and name in above:
            if name in way:
                raise ValueError("its messages go round in a circle")
            way[name] = None
            name = above[name]
        tops |= dict.fromkeys([*way, name], tops.get(name, name))
    return tops


def _way_up(name: str, above: Mapping[str, str]) -> Iterator[str]:
    """Yield a node and its ancestors."""
    while name:
        yield name
        name = above.get(name, "")
