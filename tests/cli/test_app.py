"""The command line: what it prints, and its exit codes."""

from __future__ import annotations

import html
import os
import re
import shlex
import signal
import subprocess
import sys
from inspect import signature
from pathlib import Path

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

from typer.testing import CliRunner

import river_kdb.evaluate
from river_kdb.cli import main
from river_kdb.cli.app import app
from river_kdb.evaluate import Stream
from river_kdb.warmup import Warmth


@pytest.fixture
def run():
    # Older versions mix the two outputs unless told not to
    apart = {"mix_stderr": False} if "mix_stderr" in signature(CliRunner).parameters else {}
    runner = CliRunner(**apart)

    def invoke(*arguments):
        return runner.invoke(app, [str(argument) for argument in arguments])

    return invoke


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    path = tmp_path / "fruit.csv"
    rows = [
        f"{i % 7},{'red' if i % 2 else 'green'},{'apple' if i % 2 else 'pear'}" for i in range(60)
    ]
    path.write_text("weight,colour,fruit\n" + "\n".join(rows) + "\n")
    return path


def test_evaluate_prints_a_table(run, csv_file):
    result = run(
        "evaluate", csv_file, "--model", "river:GaussianNB,river:HoeffdingTreeClassifier",
        "--metric", "accuracy,kappa,logloss",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "fruit.csv" in result.stdout
    for heading in ("events", "accuracy", "kappa", "logloss", "predict", "learn", "µs", "peak"):
        assert heading in result.stdout
    assert re.search(r"river:HoeffdingTreeClassifier +60 +\d+\.\d\d%", result.stdout)
    assert "river:GaussianNB runs behind OneHotEncoder." in result.stdout
    assert result.stderr == ""


def test_options_given_several_times(run, csv_file):
    result = run(
        "evaluate", csv_file, "-m", "river:PriorClassifier", "-m", "river:NoChangeClassifier",
        "--metric", "accuracy", "--metric", "MacroF1", "--target", "colour", "--nominal", "weight",
        "--missing", "NA,?", "--limit", "1_0", "--seed", "1",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert re.search(r"river:NoChangeClassifier +10 +0.00% +0.00%", result.stdout)


def test_report(run, csv_file, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    folder = tmp_path / "report"
    result = run("evaluate", csv_file, "-m", "river:PriorClassifier", "--report", folder)
    assert result.exit_code == 0, result.stderr
    files = ["learning_curves.png", "report.html", "results.csv"]
    assert sorted(path.name for path in folder.iterdir()) == files
    assert "results.csv" in result.stdout
    assert "report.html" in result.stdout


def test_the_report_says_how_to_repeat_it(run, csv_file, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    asked = [
        "evaluate", str(csv_file), "--model", "river:PriorClassifier", "--metric", "accuracy",
        "--nominal", "weight", "--limit", "30", "--seed", "7",
    ]  # fmt: skip
    assert run(*asked, "--report", tmp_path).exit_code == 0
    page = html.unescape((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert f"<code>river-kdb {shlex.join(asked)}</code>" in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.csv"], "no such file: nothing.csv"),
        (["river:Phising"], "no data set river:Phising; did you mean Phishing?"),
        (["river:Phishing", "-m", "kbd"], "no model 'kbd'"),
        (["river:Phishing", "-m", "river:GausianNB"], "did you mean GaussianNB?"),
        (["river:Phishing", "-m", ","], "no model was given"),
        (["river:Phishing", "-m", "river:GaussianNB", "--metric", "acc"], "no metric 'acc'"),
        (["river:Phishing", "--limit", "0"], "limit must be a whole number of at least 1, not '0'"),
        (["river:Phishing", "--limit", "-5"], "not '-5'"),
        (["river:Phishing", "--limit", "many"], "not 'many'"),
        (["river:Phishing", "--target", "y"], "--target is for files"),
        (["river:Phishing", "--nominal", "nope"], "no feature 'nope'"),
        (["river:Phishing", "--drift", "ADWN"], "no drift detector 'ADWN'; did you mean ADWIN?"),
        (["river:Phishing", "--drift", "ADWIN:dleta=1"], "no parameter 'dleta'"),
        (["river:Phishing", "--half-life", "0.5"], "number of at least 1, not '0.5'"),
        (["river:Phishing", "--half-life", "inf"], "number of at least 1, not 'inf'"),
        (["river:Phishing", "--half-life", "long"], "number of at least 1, not 'long'"),
    ],
)
def test_bad_input_is_one_line_and_code_2(run, arguments, message):
    result = run("evaluate", *arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("river-kdb: ")
    assert result.stderr.count("\n") == 1
    assert message in result.stderr
    assert result.stdout == ""


def test_missing_target(run, csv_file):
    result = run("evaluate", csv_file, "--target", "friut")
    assert result.exit_code == 2
    assert result.stderr == (
        "river-kdb: fruit.csv has no column 'friut' (--target); did you mean fruit?\n"
    )


def test_a_row_without_a_label_late_in_the_file(run, tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("a,y\n" + "1,p\n2,q\n" * 600 + "3,\n")
    result = run("evaluate", path, "-m", "river:PriorClassifier")
    assert result.exit_code == 2
    assert result.stderr == "river-kdb: late.csv, line 1202: no value for 'y'\n"
    assert "1,200" in result.stdout  # the table so far


def test_report_without_matplotlib_is_told_before_anything_runs(run, csv_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(
        river_kdb.evaluate, "open_stream", lambda *_: pytest.fail("should not have got here")
    )
    result = run("evaluate", csv_file, "--report", "anywhere")
    assert result.exit_code == 2
    assert 'pip install "river-kdb[plot]"' in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_model_that_fails_gives_code_1(run, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n-1,p\n-2,q\n-3,p\n-1,q\n")
    result = run("evaluate", path, "-m", "river:MultinomialNB,river:PriorClassifier")
    assert result.exit_code == 1
    assert re.search(r"river:MultinomialNB \(failed after \d events\)", result.stdout)
    assert "river:MultinomialNB failed at event" in result.stdout
    assert re.search(r"river:PriorClassifier +4", result.stdout)


def test_interrupt_prints_the_table_so_far(run, monkeypatch):
    passes = []

    def rows():
        passes.append(1)
        for i in range(100):
            if len(passes) == 3 and i == 40:
                raise KeyboardInterrupt
            yield {"a": i % 3}, i % 2

    monkeypatch.setattr(
        river_kdb.evaluate, "open_stream", lambda *_: Stream.look_at("endless", rows)
    )
    result = run("evaluate", "endless", "-m", "river:PriorClassifier,river:GaussianNB")
    assert result.exit_code == 130
    assert re.search(r"river:PriorClassifier +100", result.stdout)
    assert re.search(r"river:GaussianNB \(interrupted after 40 events\) +40", result.stdout)
    assert "interrupted" in result.stderr


def test_interrupt_before_the_first_event(run, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(river_kdb.evaluate, "open_stream", interrupted)
    assert run("evaluate", "endless").exit_code == 130


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to send")
def test_a_real_interrupt():
    script = """
import sys
from river_kdb.cli import main, progress

moved = progress.ProgressListener.moved

def tell(self, result):
    moved(self, result)
    if result.rows > 100:
        print("under way", file=sys.stderr, flush=True)

progress.ProgressListener.moved = tell
sys.argv = ["river-kdb", "evaluate", "synth:LED", "-m", "river:GaussianNB", "--limit", "100000000"]
sys.exit(main())
"""
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "under way\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert re.search(r"river:GaussianNB \(interrupted after [\d,]+ events\)", out)
    assert "Traceback" not in err


def test_no_escapes_and_nothing_cut_off_where_there_is_no_terminal(csv_file):
    long = "river:ExtremelyFastDecisionTreeClassifier:grace_period=100:delta=1e-6"
    done = subprocess.run(
        [sys.executable, "-m", "river_kdb.cli", "evaluate", str(csv_file), "-m", long],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "COLUMNS": "40"},
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    assert f"{long} " in done.stdout
    assert "memory" in done.stdout


def test_own_models_on_a_file_with_everything(run, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    path = tmp_path / "mixed.csv"
    cells = [["1.5", "red", "7"], ["", "green", "8"], ["2", "", "7"], ["-3e2", "blue", ""]]
    rows = [[*cells[i % 4], "ab"[i % 4 < 2]] for i in range(1200)]
    rows[1100][0] = "unknown"
    path.write_text("size;colour;code;y\n" + "\n".join(";".join(row) for row in rows))
    folder = tmp_path / "report"
    result = run(
        "evaluate", path, "-m", "kdb,tan,aode,nb,river:GaussianNB", "--nominal", "code",
        "--report", folder,
    )  # fmt: skip
    assert result.exit_code == 0, result.stdout + result.stderr
    for name in ("kdb", "tan", "aode", "nb"):
        accuracy = re.search(rf"{name} +1,200 +(\d+\.\d\d)%", result.stdout)
        assert accuracy is not None
        assert float(accuracy[1]) > 95
        assert (folder / f"structure-{name}.png").stat().st_size > 5_000


def test_drift_and_half_life(run, tmp_path):
    path = tmp_path / "flipping.csv"
    path.write_text("a,y\n" + "0,p\n1,q\n" * 150 + "0,q\n1,p\n" * 150)
    result = run(
        "evaluate", path, "-m", "nb,kdb:drift_detector=None,mixture,river:PriorClassifier",
        "--drift", "adwin:delta=0.01", "--half-life", "1,000",
    )  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert re.search(r"Drifts detected: nb 1, mixture [01]\.\n", result.stdout)
    assert "mixture has no half_life: it keeps its own." in result.stdout


def test_demo(run, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    monkeypatch.setattr("river_kdb.cli.app._DEMO_STREAMS", ("river:Phishing",))
    result = run("demo", "--report", tmp_path)
    assert result.exit_code == 0, result.stderr
    own = ("mixture", "kdb", "tan", "aode", "nb")
    for name in (*own, "river:GaussianNB", "river:HoeffdingTreeClassifier"):
        assert re.search(rf"{name} +1,250", result.stdout)
    assert (tmp_path / "Phishing" / "structure-tan.png").exists()
    assert 50_000 < (tmp_path / "Phishing" / "report.html").stat().st_size < 1_500_000


def test_version_and_help(run):
    result = run("--version")
    assert result.exit_code == 0
    assert re.fullmatch(r"river-kdb \S+\n", result.stdout)
    assert "STREAM" in run("evaluate", "--help").stdout
    assert run("evaluate").exit_code == 2


def test_main_without_typer(monkeypatch, capsys):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert main() == 2
    err = capsys.readouterr().err
    assert 'pip install "river-kdb[cli]"' in err
    assert err.count("\n") == 1


def test_main_returns_the_code(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["river-kdb", "evaluate", "nothing.csv"])
    assert main() == 2
    assert capsys.readouterr().err == "river-kdb: no such file: nothing.csv\n"


def test_warmup(run, monkeypatch):
    def compile_all(report):
        report("KDBClassifier()", 0, 1)
        return warmths.pop()

    folder = Path("kernels")
    warmths = [Warmth(5, 0, 2.0, folder, 2**20), Warmth(5, 3, 61.2, folder, 2**20)]
    monkeypatch.setattr("river_kdb.warmup.warmup", compile_all)
    first, second = run("warmup"), run("warmup")
    assert first.stdout == "Compiled 3 kernels in 61 s: 5 kernels in kernels (1.0 MiB)\n"
    assert second.stdout == "Nothing to compile, checked in 2 s: 5 kernels in kernels (1.0 MiB)\n"
    assert (first.exit_code, second.exit_code) == (0, 0)
    warmths = [Warmth(5, 5, 61.2, None, 0)]
    nowhere = run("warmup")
    assert nowhere.exit_code == 1
    assert "NUMBA_CACHE_DIR" in nowhere.stderr
    assert nowhere.stderr.count("\n") == 1
