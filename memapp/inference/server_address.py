"""The addresses of model servers that may be used: this machine's own, and others only when the person allows it."""

import httpx

from memapp.domain.text import clean, one_line, shorten
from memapp.errors import ModelError
from memapp.inference.network import is_loopback


def checked(url: str, allow_remote: bool) -> httpx.URL:
    """Return the server's address, ending in /v1 if it had no path; refuse other machines unless they are allowed."""
    example = "Write it like http://127.0.0.1:8080/v1."
    try:
        address = httpx.URL(url.strip())
    except (httpx.InvalidURL, UnicodeError):
        raise ModelError("`server` is not an address.", example) from None
    if address.scheme not in ("http", "https") or not address.host or address.userinfo:
        shown = address.host if address.userinfo else url  # a password is not for the screen
        raise ModelError(f"`server` cannot be used: {shorten(one_line(clean(shown)), 80)}.", example)
    if not allow_remote and not is_loopback(address.host):
        raise ModelError(
            f"The model server {shorten(one_line(clean(address.host)), 80)} is not this machine, and your words would leave it.",
            "Use 127.0.0.1, or write `allow_remote = true` into the configuration if you want that.",
        )
    return address.copy_with(path=address.path.rstrip("/") or "/v1", query=None, fragment=None)


def remote_host(url: str) -> str:
    """Return the other machine that what is sent to this address goes to; empty for this machine, and for no address."""
    try:
        host = checked(url, allow_remote=True).host
    except ModelError:
        return ""  # nothing will be sent there
    return "" if is_loopback(host) else host
