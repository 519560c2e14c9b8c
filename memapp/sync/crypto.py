"""The keys of sync, and the boxes that entries travel in: Argon2id, XChaCha20-Poly1305 and X25519,
all by libsodium.

One random key closes the entries of an epoch. It is wrapped by the passphrase and by the recovery
phrase for a machine that joins, and sealed to the public key of each machine for a machine that is
there when new keys are made.
"""

import hashlib
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nacl import bindings, pwhash
from nacl.exceptions import CryptoError
from nacl.public import PrivateKey, PublicKey, SealedBox

from memapp.domain.sync import Place, SyncEntry
from memapp.errors import SyncError

KEY_BYTES = 32
SMALLEST = 256
"""The smallest class of sizes; each other is twice the one before."""
PHRASE_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
PHRASE_LETTERS = 32
"""Of five bits each: a recovery phrase cannot be guessed."""
OPERATIONS, MEMORY_BYTES = pwhash.argon2id.OPSLIMIT_MODERATE, pwhash.argon2id.MEMLIMIT_MODERATE
MOST_BYTES = pwhash.argon2id.MEMLIMIT_SENSITIVE
"""A database may not have us take more."""
START = bytes(32)
"""What stands before the first entry."""
_NONCE = bindings.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The key of an epoch as it lies in the database."""

    epoch: int
    salt: bytes
    operations: int
    memory_bytes: int
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


def wrap(
    memory: str, epoch: int, key: bytes, passphrase: str, phrase: str, older: bytes = b""
) -> Wrapped:
    """Close the key of an epoch with a passphrase and a recovery phrase, and with it the key of the
    epoch before.
    """
    salt = secrets.token_bytes(pwhash.argon2id.SALTBYTES)
    by = [
        _close(_derived(words, salt, OPERATIONS, MEMORY_BYTES), key, _about(memory, epoch))
        for words in (passphrase, _plain(phrase))
    ]
    before = _close(key, older, _about(memory, epoch)) if older else b""
    return Wrapped(epoch, salt, OPERATIONS, MEMORY_BYTES, by[0], by[1], before)


def unwrap(memory: str, wrapped: Wrapped, words: str) -> bytes:
    """Open the key of an epoch with the passphrase or the recovery phrase. Raises `SyncError` for
    any other words.
    """
    if wrapped.memory_bytes > MOST_BYTES:
        raise SyncError(
            "The database asks for more memory than memapp ever did.",
            "It may not be yours: nothing was sent.",
        )
    for said, box in ((words, wrapped.by_passphrase), (_plain(words), wrapped.by_phrase)):
        try:
            return _open(
                _derived(said, wrapped.salt, wrapped.operations, wrapped.memory_bytes),
                box,
                _about(memory, wrapped.epoch),
            )
        except CryptoError:
            continue
    raise SyncError(
        "This is not the passphrase of this memory.", "The recovery phrase opens it too."
    )


def older_key(memory: str, wrapped: Wrapped, key: bytes) -> bytes:
    """Return the key of the epoch before."""
    try:
        return _open(key, wrapped.older, _about(memory, wrapped.epoch))
    except CryptoError:
        raise SyncError("The keys of this memory were altered in the database.", ALTERED) from None


def seal(key: bytes, public: bytes) -> bytes:
    """Close a key so that only one machine opens it."""
    return bytes(SealedBox(PublicKey(public)).encrypt(key))


def unseal(box: bytes, private: bytes) -> bytes:
    try:
        return bytes(SealedBox(PrivateKey(private)).decrypt(box))
    except CryptoError:
        raise SyncError(
            "The new key of this memory was altered in the database.", ALTERED
        ) from None


def close_record(key: bytes, memory: str, device: str, record: Mapping[str, Any]) -> bytes:
    """Close what is said of a machine: its name and its public key."""
    return _close(key, _padded(record), f"{memory}/machine/{device}".encode())


def open_record(key: bytes, memory: str, device: str, box: bytes) -> dict[str, Any]:
    """Raises `SyncError` for a machine that somebody without the key wrote there."""
    try:
        return _unpadded(_open(key, box, f"{memory}/machine/{device}".encode()))
    except CryptoError:
        raise SyncError(
            "A machine stands in the database that none of yours added.", ALTERED
        ) from None


def close(key: bytes, place: Place, says: Mapping[str, Any]) -> SyncEntry:
    """Make an entry: what it says, padded, encrypted, and bound to its place."""
    box = _close(key, _padded(says), _bound(place))
    return SyncEntry(place, entry_hash(place, box), box)


def open_box(key: bytes, entry: SyncEntry) -> dict[str, Any]:
    """Return what an entry says. Raises `SyncError` for one that was altered, moved or taken from
    elsewhere.
    """
    try:
        return _unpadded(_open(key, entry.box, _bound(entry.place)))
    except CryptoError:
        raise SyncError(
            f"Entry {entry.place.number} in the database was altered, or moved there.", ALTERED
        ) from None


def entry_hash(place: Place, box: bytes) -> bytes:
    """Return the hash by which the next entry names this one."""
    return hashlib.blake2b(_bound(place) + digest(box), digest_size=32).digest()


def digest(box: bytes) -> bytes:
    return hashlib.blake2b(box, digest_size=32).digest()


ALTERED = (
    "Nothing of it was taken over. Ask whoever runs the database, and do not trust it until you"
    " know."
)


def _derived(words: str, salt: bytes, operations: int, memory_bytes: int) -> bytes:
    return bytes(
        pwhash.argon2id.kdf(
            KEY_BYTES, words.encode(), salt, opslimit=operations, memlimit=memory_bytes
        )
    )


def _plain(phrase: str) -> str:
    """Return a recovery phrase as it was made, however it was typed."""
    return "".join(
        maketran
        for maketran in phrase.upper().translate(str.maketrans("OIL", "011"))
        if maketran in PHRASE_DIGITS
    )


def _about(memory: str, epoch: int) -> bytes:
    return f"{memory}/key/{epoch}".encode()


def _bound(place: Place) -> bytes:
    """Return the place of an entry as bytes; no part can be taken for another."""
    parts = [
        place.memory,
        place.number,
        place.device,
        place.entry_class,
        place.epoch,
        place.clock,
        place.ends,
    ]
    return json.dumps([*parts, place.previous.hex()]).encode()


def _close(key: bytes, words: bytes, bound: bytes) -> bytes:
    nonce = secrets.token_bytes(_NONCE)
    return nonce + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(words, bound, nonce, key)


def _open(key: bytes, box: bytes, bound: bytes) -> bytes:
    if len(box) < _NONCE:
        raise CryptoError
    return bytes(
        bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(box[_NONCE:], bound, box[:_NONCE], key)
    )


def _padded(says: Mapping[str, Any]) -> bytes:
    """Return JSON, padded to a class of sizes, so that its length says little."""
    words = json.dumps(says, ensure_ascii=False, separators=(",", ":")).encode()
    size = SMALLEST
    while size <= len(words):
        size *= 2
    return bytes(bindings.sodium_pad(words, size))


def _unpadded(words: bytes) -> dict[str, Any]:
    size = SMALLEST
    while size < len(words):
        size *= 2
    found: dict[str, Any] = json.loads(bindings.sodium_unpad(words, size))
    return found
