"""Errors say what is wrong with which file."""

from __future__ import annotations

import json

import pytest

import river_kdb
from river_kdb import Checkpoint, KDBClassifier, TANClassifier
from river_kdb.persist import UnreadableModelError, fileformat, reading
from river_kdb.persist.fileformat import MANIFEST
from tests.persist.files import forged, members_of, small_model, with_nodes


@pytest.fixture(scope="module")
def model():
    return small_model()


def test_a_file_is_what_to_bytes_gives(tmp_path, model):
    model.save(tmp_path / "model.kdb")
    assert (tmp_path / "model.kdb").read_bytes() == model.to_bytes()
    assert river_kdb.load(str(tmp_path / "model.kdb")).to_bytes() == model.to_bytes()


def test_it_says_who_wrote_it(model):
    manifest = json.loads(members_of(model.to_bytes())[MANIFEST])
    assert manifest["format"] == 1
    assert manifest["kind"] == "model"
    assert manifest["versions"]["river_kdb"] == river_kdb.__version__
    assert set(manifest["versions"]) == {"river_kdb", "python", "numpy", "river"}


def test_the_file_is_named(tmp_path, model):
    path = tmp_path / "model.kdb"
    for content, said in (
        (b"", "no file of river_kdb"),
        (b"PK\3\4", "cut off"),
        (model.to_bytes()[:-1], "damaged"),
        (model.to_bytes()[:5000] + b"x" + model.to_bytes()[5001:], "damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(UnreadableModelError, match=rf"model\.kdb: .*{said}"):
            river_kdb.load(path)
        with pytest.raises(ValueError, match=rf"model\.kdb: .*{said}"):
            Checkpoint(path).load()
        with pytest.raises(UnreadableModelError, match=f"^bytes: .*{said}"):
            river_kdb.from_bytes(content)


def test_newer_formats_are_refused(monkeypatch, model):
    monkeypatch.setattr(fileformat, "FORMAT", 2)
    data = model.to_bytes()
    monkeypatch.undo()
    with pytest.raises(UnreadableModelError, match=r"too new: it has format 2.* reads up to 1"):
        river_kdb.from_bytes(data)


def test_models_and_checkpoints_are_told_apart(tmp_path, model):
    path = tmp_path / "stream.kdb"
    Checkpoint(path).write(model, 3)
    with pytest.raises(UnreadableModelError, match="it is a checkpoint, no model"):
        river_kdb.load(path)
    model.save(path)
    with pytest.raises(UnreadableModelError, match="it is a model, no checkpoint"):
        Checkpoint(path).load()


def test_the_class_has_to_be_right(model):
    data = model.to_bytes()
    assert type(KDBClassifier.from_bytes(data)) is KDBClassifier
    with pytest.raises(UnreadableModelError, match="is a KDBClassifier, no TANClassifier"):
        TANClassifier.from_bytes(data)


def test_parameters_out_of_bounds_are_refused(model):
    data = with_nodes(model.to_bytes(), lambda nodes: nodes[-1]["object"][1].update(window_size=0))
    with pytest.raises(UnreadableModelError, match="window_size must be a whole number"):
        river_kdb.from_bytes(data)


def test_a_file_too_large_is_not_read(tmp_path, monkeypatch, model):
    monkeypatch.setattr(reading, "MOST_BYTES", 1000)
    model.save(tmp_path / "model.kdb")
    with pytest.raises(UnreadableModelError, match="no file of river_kdb"):
        river_kdb.load(tmp_path / "model.kdb")


def test_what_is_no_model_is_refused(model):
    data = with_nodes(model.to_bytes(), lambda nodes: nodes.append({"list": [[len(nodes) - 1]]}))
    with pytest.raises(UnreadableModelError, match="it is no model"):
        river_kdb.from_bytes(data)
    checkpoint = forged(
        data, lambda members: members.update({MANIFEST: b'{"format":1,"kind":"checkpoint"}'})
    )
    with pytest.raises(UnreadableModelError, match="no model with a position"):
        reading.read_checkpoint(checkpoint, "it")


def test_interrupts_pass(monkeypatch, model):
    def interrupt(*given):
        raise KeyboardInterrupt

    monkeypatch.setattr(reading, "validate", interrupt)
    with pytest.raises(KeyboardInterrupt):
        river_kdb.from_bytes(model.to_bytes())
