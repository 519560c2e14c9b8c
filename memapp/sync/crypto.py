"""The keys of sync, and the boxes that entries travel in: Argon2id, XChaCha20-Poly1305 and X25519,
all by libsodium.

One random key closes the entries of an epoch. It is wrapped by the passphrase and by the recovery
phrase for a machine that joins, and sealed to the public key of each machine for a machine that is
there when new keys are made.
"""

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from nacl import bindings, pwhash
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox
from nacl.secret import Aead

from memapp.domain.sync import ALTERED, Place, SyncEntry
from memapp.errors import SyncError

KEY_BYTES = 32
SMALLEST = 256
"""The smallest class of sizes; each other is twice the one before."""
PHRASE_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PHRASE_LETTERS = 32
"""Of five bits each: a recovery phrase cannot be guessed."""
OPERATIONS, MEMORY_BYTES = pwhash.argon2id.OPSLIMIT_MODERATE, pwhash.argon2id.MEMLIMIT_MODERATE


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The key of an epoch as it lies in the database."""

    epoch: int
    salt: bytes
    by_passphrase: bytes
    by_phrase: bytes
    older: bytes
    """The key of the epoch before, closed by this one; empty for the first."""


def new_key() -> bytes:
    return secrets.token_bytes(KEY_BYTES)


def new_phrase() -> str:
    """Return a recovery phrase: eight groups of four letters and digits, none of which looks like
    another.
    """
    letters = [secrets.choice(PHRASE_DIGITS) for _ in range(PHRASE_LETTERS)]
    return "-".join("".join(letters[at : at + 4]) for at in range(0, PHRASE_LETTERS, 4))


def new_device() -> tuple[bytes, bytes]:
    """Return the private and the public key of a machine."""
    private = PrivateKey.generate()
    return bytes(private), bytes(private.public_key)


# Keys ---------------------------------------------------------------------------------------------


def wrap(
    memory: str, epoch: int, key: bytes, passphrase: str, phrase: str, older: bytes = b""
) -> Wrapped:
    """Close the key of an epoch with a passphrase and a recovery phrase, and with it the key of the
    epoch before.
    """
    salt, about = secrets.token_bytes(pwhash.argon2id.SALTBYTES), _about(memory, epoch)
    by_passphrase, by_phrase = (
        bytes(Aead(_derived(words, salt)).encrypt(key, about))
        for words in (passphrase, _plain(phrase))
    )
    before = bytes(Aead(key).encrypt(older, about)) if older else b""
    return Wrapped(epoch, salt, by_passphrase, by_phrase, before)


def unwrap(memory: str, wrapped: Wrapped, words: str) -> bytes:
    """Open the key of an epoch with the passphrase or the recovery phrase. Raises `SyncError` for
    any other words.
    """
    for said, box in ((words, wrapped.by_passphrase), (_plain(words), wrapped.by_phrase)):
        with suppress(CryptoError):
            return Aead(_derived(said, wrapped.salt)).decrypt(box, _about(memory, wrapped.epoch))
    raise SyncError(
        "This is not the passphrase of this memory.", "The recovery phrase opens it too."
    )


def older_key(memory: str, wrapped: Wrapped, key: bytes) -> bytes:
    """Return the key of the epoch before."""
    return _open(key, wrapped.older, _about(memory, wrapped.epoch), "A key")


def seal(key: bytes, public: bytes) -> bytes:
    """Close a key so that only one machine opens it."""
    return bytes(SealedBox(PublicKey(public)).encrypt(key))


def unseal(box: bytes, private: bytes) -> bytes:
    return bytes(SealedBox(PrivateKey(private)).decrypt(box))


def _derived(words: str, salt: bytes) -> bytes:
    kdf = pwhash.argon2id.kdf
    key = kdf(KEY_BYTES, words.encode(), salt, opslimit=OPERATIONS, memlimit=MEMORY_BYTES)
    return bytes(key)


def _plain(phrase: str) -> str:
    """Return a recovery phrase as it was made, however it was typed."""
    letters = phrase.upper().translate(str.maketrans("OIL", "011"))
    return "".join(letter for letter in letters if letter in PHRASE_DIGITS)


def _about(memory: str, epoch: int) -> bytes:
    return f"{memory}/key/{epoch}".encode()


# Boxes --------------------------------------------------------------------------------------------


def close_record(key: bytes, memory: str, about: str, record: Mapping[str, Any]) -> bytes:
    """Close a record beside the entries: the name and public key of a machine, or an erasure that
    waits.
    """
    return bytes(Aead(key).encrypt(_padded(record), f"{memory}/record/{about}".encode()))


def open_record(key: bytes, memory: str, about: str, box: bytes) -> dict[str, Any]:
    """Raises `SyncError` for a record that somebody without the key wrote there."""
    return _unpadded(_open(key, box, f"{memory}/record/{about}".encode(), "A machine"))


def close_box(key: bytes, place: Place, says: Mapping[str, Any]) -> bytes:
    """Close what an entry says: padded, encrypted, and bound to its place."""
    return bytes(Aead(key).encrypt(_padded(says), bytes(place)))


def open_box(key: bytes, entry: SyncEntry) -> dict[str, Any]:
    """Return what an entry says. Raises `SyncError` for one that was altered, moved or taken from
    elsewhere.
    """
    return _unpadded(_open(key, entry.box, bytes(entry.place), f"Entry {entry.place.number}"))


def _open(key: bytes, box: bytes, bound: bytes, named: str) -> bytes:
    try:
        return Aead(key).decrypt(box, bound)
    except CryptoError:
        raise SyncError(
            f"{named} in the database was altered, or comes from elsewhere.", ALTERED
        ) from None


def _padded(says: Mapping[str, Any]) -> bytes:
    """Return JSON, padded to a class of sizes, so that its length says little."""
    words = json.dumps(says, ensure_ascii=False, separators=(",", ":")).encode()
    return bytes(bindings.sodium_pad(words, _size_class(len(words) + 1)))


def _unpadded(words: bytes) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(bindings.sodium_unpad(words, _size_class(len(words))))
    return found


def _size_class(length: int) -> int:
    """Return the smallest class that holds so many bytes."""
    return max(SMALLEST, 1 << (length - 1).bit_length())
