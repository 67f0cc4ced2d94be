"""One at a time."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("redis")

from river_kdb.consume import ConsumeError
from river_kdb.consume.lock import Lock
from tests.consume import servers
from tests.consume.servers import needs_server

pytestmark = [needs_server, pytest.mark.slow]


@pytest.fixture(scope="module")
def client():
    with servers.running_server() as server, servers.client_of(server) as connected:
        yield connected


@pytest.fixture
def make(client):
    client.flushall()
    made = []

    def make_lock(owner):
        made.append(Lock(client, "lock", owner, seconds=0.4))
        return made[-1]

    yield make_lock
    for lock in made:
        lock.release()


def never():
    return False


def test_a_live_holder_keeps_it(make, client):
    first = make("first")
    assert first.acquire(never)
    with pytest.raises(ConsumeError, match=r"^first is consuming"):
        make("second").acquire(never)
    time.sleep(0.6)
    first.check()
    assert client.get("lock") == b"first"
    first.release()
    assert make("third").acquire(never)


def test_that_of_a_dead_one_expires(make, client):
    client.set("lock", "dead", px=300)
    begun = time.monotonic()
    assert make("next").acquire(never)
    assert 0.1 < time.monotonic() - begun < 2


def test_one_without_an_expiry_is_somebody_elses(make, client):
    client.set("lock", "forever")
    with pytest.raises(ConsumeError, match=r"^forever is consuming"):
        make("next").acquire(never)


def test_giving_up(make, client):
    client.set("lock", "dead", px=10_000)
    assert not make("next").acquire(lambda: True)


def test_it_comes_back_after_an_expiry_unless_others_had_it(make, client):
    lock = make("first")
    lock.acquire(never)
    client.delete("lock")
    servers.wait_until(lambda: client.get("lock") == b"first")
    lock.check()
    client.delete("lock")
    client.incr("lock:turn")
    servers.wait_until(lambda: lock.lost)
    with pytest.raises(ConsumeError, match="taken over"):
        lock.check()
    lock.release()
    assert client.get("lock") is None


def test_releasing_leaves_that_of_another_alone(make, client):
    lock = make("first")
    lock.acquire(never)
    client.set("lock", "second")
    lock.release()
    assert client.get("lock") == b"second"
