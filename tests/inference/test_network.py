"""No other machine is reached from this process but the one that was let through."""

import socket
from pathlib import Path

import pytest

from memapp import bootstrap
from memapp.inference import network


@pytest.fixture(autouse=True)
def watched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(network, "_let_through", set())
    bootstrap.start(home=tmp_path).close()


def refused(host: str) -> bool:
    """Return True if a host refuses a connection; one that cannot be reached does not refuse."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        try:
            sender.connect((host, 443))
        except PermissionError as error:
            return "no other machine" in str(error)
        except OSError:
            return False
    return False


def test_no_name_is_looked_up_and_no_other_machine_reached() -> None:
    with pytest.raises(PermissionError, match="no other machine"):
        socket.getaddrinfo("example.org", 443)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, pytest.raises(PermissionError):
        sender.sendto(b"words", ("192.0.2.1", 53))
    for look_up in (
        lambda: socket.gethostbyaddr("example.org"),
        lambda: socket.getnameinfo(("192.0.2.1", 443), 0),
    ):
        with pytest.raises(PermissionError):
            look_up()
    assert refused("192.0.2.1")


def test_this_machine_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(("localhost", server.getsockname()[1])).close()
    for other in socket.socketpair():
        other.close()
    network.let_through("localhost")
    assert refused("192.0.2.1"), "a server on this machine lets nobody else through"


def test_a_host_that_was_let_through_is_reached_and_no_other() -> None:
    network.let_through("192.0.2.1")
    assert not refused("192.0.2.1")
    assert refused("192.0.2.2")
    network.let_through("models.example")
    assert not refused("192.0.2.2"), "it may be an address of that name"
    with pytest.raises(PermissionError):
        socket.getaddrinfo("example.org", 443)
