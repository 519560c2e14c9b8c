"""The guard that keeps memapp off the network, except for this machine and an allowed server."""

import ipaddress
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

LOOKING_UP = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
SENDING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
NAMING = "socket.getnameinfo"

_let_through: set[str] = set()
_looked_up: set[str] = set()
_watching = False


def watch() -> None:
    """Block every connection of Python code here, except to this machine and allowed hosts."""
    global _watching
    if not _watching:
        _watching = True
        sys.addaudithook(_refuse_others)  # for good: Python cannot remove audit hooks


def let_through(host: str) -> None:
    """Allow connections to a host that the person allowed."""
    if not is_loopback(host):  # always allowed
        _let_through.add(host)


@contextmanager
def looking_up(hosts: Collection[str]) -> Iterator[None]:
    """Allow the names of some hosts to be looked up meanwhile; connections stay blocked."""
    _looked_up.update(hosts)
    try:
        yield
    finally:
        _looked_up.difference_update(hosts)


def is_loopback(host: str) -> bool:
    """Return True for this machine, without looking up a name: lookups leak, and can be faked."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _refuse_others(event: str, arguments: tuple[Any, ...]) -> None:
    if event in LOOKING_UP:
        host = arguments[0]
    elif event == NAMING:
        host = arguments[0][0]
    elif event in SENDING and isinstance(arguments[1], tuple):  # else the path of a local socket
        host = arguments[1][0]
    else:
        return
    if isinstance(host, bytes | bytearray):
        host = host.decode("ascii", "replace")
    if not isinstance(host, str) or is_loopback(host) or host in _let_through:
        return
    if event in LOOKING_UP and host in _looked_up:
        return
    if event in SENDING and not all(map(_is_address, _let_through)):
        return  # an address of an allowed name
    raise PermissionError("memapp speaks to no other machine unless it is told to")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
