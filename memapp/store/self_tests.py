"""The results of self-tests, each under what the model is known by: the hash of its file, or a server's address and its name."""

from dataclasses import asdict
from datetime import datetime

from memapp.domain.self_test import SelfTest, read_self_test
from memapp.store.interface import get_interface, set_interface
from memapp.store.session import Session


def get_self_test(session: Session, model_key: str) -> SelfTest | None:
    """Return what is known of a model; None if it was never tested."""
    return read_self_test(get_interface(session, _name(model_key)))


def save_self_test(session: Session, model_key: str, test: SelfTest) -> None:
    set_interface(session, _name(model_key), asdict(test) | {"at": test.at.isoformat()})


def count_broken(session: Session, model_key: str, turns: int, since: datetime | None) -> int:
    """Count the answers of call 1 that could not be read, among the last turns that a model took."""
    sql = """SELECT coalesce(sum(broken), 0) FROM
             (SELECT coalesce(json_extract(meta, '$.broken'), 0) AS broken FROM events
              WHERE user_id = :user AND op = 'respond' AND json_extract(meta, '$.model') = :key AND ts > coalesce(:since, '')
              ORDER BY id DESC LIMIT :turns)"""
    return int(session.value(sql, key=model_key, turns=turns, since=since))


def _name(model_key: str) -> str:
    return f"self-test {model_key}"
