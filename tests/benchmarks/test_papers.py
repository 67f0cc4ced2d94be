"""The reproduction benchmark: its statistics, the printed tables, and whole runs on tiny sets."""

from __future__ import annotations

import gzip
import random

import numpy as np
import pytest

pd = pytest.importorskip("pandas")
pytest.importorskip("scipy")
pytest.importorskip("sklearn")
typer_testing = pytest.importorskip("typer.testing")
papers = pytest.importorskip("benchmarks.papers")

from benchmarks.reproduction import (  # noqa: E402
    algorithms,
    biasvariance,
    crossvalidation,
    datasets,
    printed,
    report,
    runner,
    statistics,
    store,
)
from benchmarks.reproduction.protocols import PROTOCOLS, Options  # noqa: E402

# Statistics --------------------------------------------------------------------------------------


def test_differences():
    measured, printed_values = np.array([0.1, 0.3, 0.2]), np.array([0.2, 0.1, 0.2])
    assert statistics.mean_difference(measured, printed_values) == pytest.approx(0.1 / 3)
    assert statistics.mean_absolute_difference(measured, printed_values) == pytest.approx(0.1)


def test_plain_record_and_goal_difference():
    a, b = [0.1, 0.2, 0.3, 0.4, 0.5], [0.2, 0.2, 0.30004, 0.3, 0.6]
    assert statistics.plain_verdicts(a, b).tolist() == [1, 0, 0, -1, 1]
    record = statistics.record(statistics.plain_verdicts(a, b))
    assert (str(record), record.goal_difference) == ("2/2/1", 1)
    assert statistics.plain_verdicts(a, b, tolerance=0.0).tolist() == [1, 0, 1, -1, 1]


def rows_right(only_a, only_b, both=5, neither=5):
    a = np.repeat([True, False, True, False], [only_a, only_b, both, neither])
    b = np.repeat([False, True, True, False], [only_a, only_b, both, neither])
    return a, b


@pytest.mark.parametrize(
    ("only_a", "only_b", "alternative", "verdict"),
    [
        (10, 2, "two-sided", 1),  # p = .0386
        (2, 10, "two-sided", -1),
        (9, 2, "two-sided", 0),  # p = .0654
        (9, 2, "greater", 1),  # p = .0327
        (2, 9, "greater", -1),
        (0, 0, "greater", 0),
        (5, 0, "two-sided", 0),  # p = .0625
        (6, 0, "two-sided", 1),  # p = .03125
    ],
)
def test_sign_test(only_a, only_b, alternative, verdict):
    assert statistics.sign_test(*rows_right(only_a, only_b), alternative) == verdict
    many = rows_right(only_a, only_b, both=900, neither=300)
    assert statistics.sign_test(*many, alternative) == verdict


def test_relative_loss_leaves_out_sets_without_loss():
    assert statistics.relative_loss([0.1, 0.2, 0.3], [0.2, 0.0, 0.4]) == pytest.approx(0.375)
    assert np.isnan(statistics.relative_loss([0.1], [0.0]))


def test_ranks_and_friedman():
    losses = pd.DataFrame(
        [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3], [0.0, 0.5, 0.6], [0.3, 0.2, 0.4]], columns=list("abc")
    )
    assert statistics.ranks(losses).tolist() == [1.25, 1.75, 3.0]
    test = statistics.friedman(losses)
    assert test.chi2 == pytest.approx(6.5)
    assert test.f == pytest.approx(13.0)
    tied = pd.DataFrame([[0.1, 0.1, 0.2]], columns=list("abc"))
    assert statistics.ranks(tied).tolist() == [1.5, 1.5, 3.0]


def test_critical_difference_is_the_papers():
    assert statistics.critical_difference(7, 40) == pytest.approx(1.4245, abs=1e-3)
    assert statistics.critical_difference(9, 40) == pytest.approx(1.8996, abs=1e-3)


def test_average_cmi():
    matrix = np.array([[0.0, 0.1, 0.2], [0.1, 0.0, 0.6], [0.2, 0.6, 0.0]])
    one = np.array([[[-1, -1], [0, -1], [1, 0]]])
    assert statistics.average_cmi(matrix, one) == pytest.approx((0.1 + 0.6 + 0.2) / 3)
    two = np.concatenate([one, [[[1, -1], [-1, -1], [-1, -1]]]])
    assert statistics.average_cmi(matrix, two) == pytest.approx((0.1 + 0.6 + 0.2 + 0.1) / 4)
    assert np.isnan(statistics.average_cmi(matrix, np.full((1, 3, 2), -1)))


def test_decomposition():
    truth = np.array([0, 1])
    predicted = np.array([[0, 0], [0, 1], [0, 1], [2, 1]])
    parts = biasvariance.decompose(predicted, truth, 3)
    # The shares are (3/4, 0, 1/4) and (1/4, 3/4, 0): both rows come to the same.
    assert parts.bias == pytest.approx(0.5 * (1 / 16 + 1 / 16))
    assert parts.variance == pytest.approx(0.5 * (1 - 9 / 16 - 1 / 16))
    assert parts.bias + parts.variance == pytest.approx(parts.loss)


def test_measures():
    truth = np.array([0, 1, 1, 2])
    probabilities = np.array([[0.6, 0.4, 0.0], [0.3, 0.7, 0.0], [0.5, 0.5, 0.0], [0.2, 0.8, 0.0]])
    got = crossvalidation.measure(truth, probabilities)
    assert got.zero_one == 0.5
    assert got.rmse == pytest.approx(np.sqrt((0.16 + 0.09 + 0.25 + 1.0) / 4))
    off = 2 * 0.16 + 2 * 0.09 + 2 * 0.25 + (0.04 + 0.64 + 1.0)
    assert got.rmse_all == pytest.approx(np.sqrt(off / 12))
    # F1 is 2/3, 1/2 and 0.
    assert got.macro_f1 == pytest.approx((2 / 3 + 1 / 2) / 3)
    logs = np.log([0.6, 0.7, 0.5, 1e-15])
    assert got.log_loss == pytest.approx(-logs.mean())


# Printed tables ----------------------------------------------------------------------------------

TABLES = [(p.name, measure) for p in PROTOCOLS.values() for measure in p.measures]


@pytest.mark.parametrize(("protocol", "measure"), TABLES)
def test_printed_tables_are_known_in_full(protocol, measure):
    name = printed.table_name(protocol, measure)
    raw = pd.read_csv(printed.FOLDER / f"{name}.csv", index_col="dataset")
    names = printed.read_names()
    assert set(raw.index) <= set(names.index)
    assert names.loc[raw.index, "set"].is_unique
    table = printed.read_printed(protocol, measure)
    compared = names.loc[raw.index, "compared"] == "yes"
    assert table.values.shape == (compared.sum(), raw.shape[1])
    # Bias and variance are printed of some columns only.
    missing = set(PROTOCOLS[protocol].columns) - set(raw.columns)
    assert not missing if measure not in ("bias", "variance") else missing <= {"KDB^S"}
    assert set(PROTOCOLS[protocol].columns.values()) <= set(algorithms.read_algorithms())


def test_names_of_sets():
    names = printed.read_names()["set"]
    expected = {
        "Kr vs. kp": "kr-vs-kp",
        "Labor-negotiations": "labor",
        "Pima-Ind diabetes": "pima",
        "Heart disease-c": "heart-disease-c",
        "Splice-C4.5": "splice-c4.5",
        "Activity-recognition-with": "activity-recognition",
    }
    assert {name: names[name] for name in expected} == expected
    assert "glass-id" not in printed.read_printed("kdf", "zero_one_loss").values.index
    assert "firm-teacher" in printed.read_printed("csb", "zero_one_loss").notes


def test_slips_are_left_out():
    table = printed.read_printed("csb", "zero_one_loss")
    assert np.isnan(table.values.loc["splice-c4.5", "CSB"])
    assert table.values.loc["splice-c4.5", "SKDB"] == 0.0818
    slips = pd.read_csv(printed.FOLDER / "slips.csv")
    for slip in slips.itertuples():
        raw = pd.read_csv(printed.FOLDER / f"{slip.table}.csv", index_col="dataset")
        assert raw.loc[slip.dataset, slip.column] > 0


@pytest.mark.parametrize(
    ("name", "n_rows"), [("contact-lenses", 24), ("labor", 57), ("zoo", 101), ("vehicle", 846)]
)
def test_factors_leave_whole_numbers_of_errors(name, n_rows):
    table = printed.read_printed("mmkdb", "zero_one_loss")
    shares = table.values.loc[name] / table.factors
    whole = (shares * n_rows).round() / n_rows
    # Both the share and its product were rounded to four digits.
    assert np.abs(shares - whole).max() < 2e-4
    assert not (table.factors == 1.0).any()


def test_relative_loss_of_the_printed_table_is_the_papers():
    table = printed.read_printed("mmkdb", "zero_one_loss")
    raw = pd.read_csv(printed.FOLDER / "mmkdb_zero_one_loss.csv")
    assert statistics.relative_loss(raw["MKDB"], raw["KDB"]) == pytest.approx(0.0449, abs=1e-4)
    assert len(table.values) < len(raw)


# Data --------------------------------------------------------------------------------------------


def write_set(folder, name, lines):
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / f"{name}.csv.gz", "wt", encoding="utf-8") as file:
        file.write("\n".join([",".join(line) for line in lines]) + "\n")


def made_up(seed, n_rows):
    """Rows of a number, a digit that is a category, and a text; the class leans on all three."""
    rng = random.Random(seed)
    lines = [["number", "digit", "text", "class"]]
    for _ in range(n_rows):
        label = rng.choice(["1", "2", "NA"])
        number = rng.gauss(2.0 * ["1", "2", "NA"].index(label), 1.0)
        digit = label if rng.random() < 0.5 and label != "NA" else rng.choice("0123")
        text = rng.choice([digit + "x", "y"])
        cells = [f"{number:.3f}", digit, text]
        lines.append([cell if rng.random() > 0.05 else "" for cell in cells] + [label])
    return lines


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    sizes = {"car": 120, "zoo": 60, "iris": 90}
    manifest = ["name,instances,attributes,classes,numeric_columns,source,matches_paper"]
    for seed, (name, n_rows) in enumerate(sizes.items()):
        write_set(folder / "uci", name, made_up(seed, n_rows))
        manifest.append(f"{name},{n_rows},3,3,number,nowhere,yes")
    (folder / "uci" / "MANIFEST.csv").write_text("\n".join(manifest), encoding="utf-8")
    write_set(folder / "streams", "kdd99-10pct", made_up(9, 50))
    line = "kdd99-10pct,50,3,3,number,nowhere,yes"
    text = "\n".join([manifest[0], line])
    (folder / "streams" / "MANIFEST.csv").write_text(text, encoding="utf-8")
    return folder


def test_columns_are_read_as_the_manifest_says(data):
    entries = datasets.read_manifest(data)
    got = datasets.load(entries["car"])
    assert got.nominal == ["digit", "text"]
    assert got.X["number"].dtype == float
    assert set(got.X["digit"].cat.categories) == set("0123")
    assert got.X.isna().any().all()
    assert set(got.y) == {"1", "2", "NA"}
    assert len(got.X) == 120


def test_sets_are_cut_found_and_missed(data):
    entries = datasets.read_manifest(data)
    found, missing = datasets.choose(["zoo", "sonar", "kdd99", "zoo"], entries, max_rows=55)
    assert [(entry.name, entry.rows) for entry in found] == [("zoo", 55), ("kdd99-10pct", 50)]
    assert missing == ["sonar"]
    assert len(datasets.load(found[0]).y) == 55


def test_bad_folders_say_so(data, tmp_path):
    with pytest.raises(datasets.NoDataError, match="holds no sets"):
        datasets.read_manifest(tmp_path)
    entry = datasets.read_manifest(data)["car"]
    with pytest.raises(datasets.NoDataError, match="no column weight"):
        datasets.load(entry._replace(numeric=("weight",)))


# Cross-validation --------------------------------------------------------------------------------


def maker(entry, name="kdb", **changes):
    parameters = runner.plan(
        [entry], [algorithms.read_algorithms()[name]], PROTOCOLS["kdf"], Options()
    )[0].parameters
    data = datasets.load(entry)

    def make():
        return algorithms.make_model(
            "KDBClassifier", parameters | changes, data.nominal, len(data.y)
        )

    return data, make


def test_every_row_is_predicted_once_and_alike(data):
    entry = datasets.read_manifest(data)["car"]
    rows, make = maker(entry)
    first = list(crossvalidation.folds(rows.y, 10, 1))
    assert sorted(np.concatenate([test for _, test in first])) == list(range(120))
    again = list(crossvalidation.folds(rows.y, 10, 1))
    other = list(crossvalidation.folds(rows.y, 10, 2))
    assert all((a[1] == b[1]).all() for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(first, other, strict=True))
    outcome = crossvalidation.cross_validate(rows, make)
    assert outcome.measures.zero_one == pytest.approx(1 - outcome.correct.mean())
    assert outcome.measures.zero_one < 0.5


def test_losses_are_those_of_a_plain_loop(data):
    """One event at a time, without frames or alignment, the same must come out."""
    entry = datasets.read_manifest(data)["zoo"]
    rows, make = maker(entry)
    wrong, squares = 0, 0.0
    events = [
        {k: v for k, v in x.items() if v == v and v is not None} for x in rows.X.to_dict("records")
    ]
    for train, test in crossvalidation.folds(rows.y, 5, 3):
        model = make()
        for r in train:
            model.learn_one(events[r], rows.y[r])
        model.relearn()
        for r in test:
            proba = model.predict_proba_one(events[r])
            wrong += max(sorted(proba), key=proba.get) != rows.y[r]
            squares += (1 - proba[rows.y[r]]) ** 2
    outcome = crossvalidation.cross_validate(rows, make, 5, 3)
    assert outcome.measures.zero_one == pytest.approx(wrong / 60)
    assert outcome.measures.rmse == pytest.approx(np.sqrt(squares / 60))


def test_a_class_that_was_not_learned_has_probability_nought(data, recwarn):
    entry = datasets.read_manifest(data)["zoo"]
    rows, make = maker(entry)
    rows.y[7] = "lonely"
    outcome = crossvalidation.cross_validate(rows, make, 5)
    assert not outcome.correct[7]
    assert outcome.measures.log_loss > -np.log(1e-15) / 60
    assert not [w for w in recwarn if "populated" in str(w.message)]


def test_cmi_of_a_model_is_that_of_its_arcs(data):
    entry = datasets.read_manifest(data)["car"]
    rows, make = maker(entry, k=2)
    texts = rows.X[["digit", "text"]].astype(object).fillna("missing")
    texts["first"] = texts["digit"] + rows.y
    model = make()
    assert np.isnan(crossvalidation.structure_cmi(model))
    crossvalidation.learn(model, texts, rows.y)
    edges = model.structure_edges()
    assert len(edges) == 3
    expected = [conditional_information(texts[a], texts[b], rows.y) for a, b in edges]
    assert crossvalidation.structure_cmi(model) == pytest.approx(np.mean(expected))


def conditional_information(a, b, c):
    joint = pd.crosstab([a, pd.Series(c, index=a.index)], b)
    n, total = joint.to_numpy().sum(), 0.0
    for (_, label), line in joint.iterrows():
        block = joint.xs(label, level=1)
        for column, count in line.items():
            if count:
                inside = count * block.to_numpy().sum() / (line.sum() * block[column].sum())
                total += count / n * np.log(inside)
    return total


# Runs --------------------------------------------------------------------------------------------


def invoke(*arguments, code=0):
    result = typer_testing.CliRunner().invoke(papers.app, [str(a) for a in arguments])
    assert result.exit_code == code, result.output
    return result.output


def lines_of(folder):
    return pd.read_csv(folder / "results.csv")


QUICK = ("--sets", "car,zoo", "--algorithms", "nb,tan,kdb", "--folds", "3")


def test_a_run_a_resumption_and_a_report(data, tmp_path):
    out = tmp_path / "out"
    text = invoke("--data", data, *QUICK, "--sets", "car,zoo,sonar", "--out", out)
    assert "sets not found: sonar" in text
    assert "zero-one loss: agreement" in text
    frame = lines_of(out)
    assert set(zip(frame["set"], frame["algorithm"], strict=True)) == {
        (s, a) for s in ("car", "zoo") for a in ("nb", "tan", "kdb")
    }
    assert (frame["status"] == "ok").all()
    assert frame[["zero_one", "rmse", "macro_f1", "mcc", "log_loss"]].notna().all(axis=None)
    assert (frame[["learn_seconds", "predict_seconds", "peak_mib"]] > 0).all(axis=None)
    assert frame.set_index("algorithm")["average_cmi"].isna().to_dict()["nb"]
    assert frame[frame["algorithm"] != "nb"]["average_cmi"].notna().all()

    results = (out / "results.csv").read_text()
    kept = results.splitlines()[:4]
    (out / "results.csv").write_text("\n".join(kept) + "\nzoo,nb,kd")
    text = invoke("--data", data, *QUICK, "--out", out)
    assert "6 tasks, 3 of them done before" in text
    assert (out / "results.csv").read_text().splitlines()[:4] == kept
    again = lines_of(out)
    key = ["set", "algorithm"]
    pd.testing.assert_series_equal(
        again.set_index(key)["rmse"].sort_index(), frame.set_index(key)["rmse"].sort_index()
    )

    invoke("--data", data, *QUICK, "--protocol", "ukdb", "--out", out)
    assert len(lines_of(out)) == 6  # nothing new: the settings are those of kdf

    text = invoke("report", "--protocol", "kdf", "--folds", 3, "--out", out, "--write", out)
    assert "average ranks" in text
    duels = pd.read_csv(out / "kdf_folds=3_zero_one_loss_duels.csv")
    assert duels["sign test"].str.fullmatch(r"\d/\d/\d").all()
    assert len(duels) == 3
    sets = pd.read_csv(out / "kdf_folds=3_zero_one_loss_sets.csv")
    nb = sets[(sets["set"] == "car") & (sets["algorithm"] == "nb")].iloc[0]
    assert nb["printed"] == 0.14
    assert nb["difference"] == pytest.approx(nb["measured"] - 0.14, abs=1e-6)
    page = (out / "kdf_folds=3.md").read_text()
    assert "| algorithm | column | sets |" in page
    assert "not compared: glass-id" in page


def test_settings_are_kept_apart(data, tmp_path):
    base = ("--data", data, "--sets", "car", "--folds", 3, "--out", tmp_path)
    invoke(*base, "--algorithms", "nb,kdb")
    invoke(*base, "--algorithms", "nb,kdb", "--smoothing", "5")
    invoke(*base, "--algorithms", "nb,kdb", "--set", "k=1")  # naive Bayes keeps its k
    invoke(*base, "--algorithms", "kdb", "--protocol", "mmkdb")
    invoke(*base, "--algorithms", "kdb", "--seed", "7")
    invoke(*base, "--algorithms", "kdb", "--max-rows", "80")
    invoke(*base, "--algorithms", "kdb", "--max-rows", "500")  # cuts nothing off
    frame = lines_of(tmp_path)
    assert len(frame) == 2 + 2 + 1 + 1 + 1 + 1
    assert frame["settings"].nunique() == 8
    assert frame["rows"].tolist() == [120] * 7 + [80]
    known = algorithms.read_algorithms()
    for options, expected in [
        (Options(folds=3), {"nb", "kdb"}),
        (Options(folds=3, smoothing=5), {"nb", "kdb"}),
        (Options(folds=3, overrides=(("k", 1),)), {"nb", "kdb"}),
        (Options(folds=3, seed=7), {"kdb"}),
        (Options(folds=3, max_rows=80), {"kdb"}),
        (Options(folds=3, max_rows=500), {"nb", "kdb"}),
        (Options(folds=4), set()),
    ]:
        measured = report.read_measured(store.Store(tmp_path), PROTOCOLS["kdf"], known, options)
        assert set(measured.frame["algorithm"]) == expected, options
        assert len(measured.frame) == len(expected)
    mmkdb = frame[frame["protocol"] == "mmkdb"].iloc[0]["settings"]
    assert "discretizer=quantile;k=3;" in mmkdb


def test_a_failure_is_recorded_and_tried_again(data, tmp_path):
    base = ("--data", data, *QUICK, "--out", tmp_path)
    invoke(*base, "--set", "n_bins=0", code=1)
    frame = lines_of(tmp_path)
    assert (frame["status"] == "failed").all()
    assert frame["message"].str.contains("n_bins must be a whole number").all()
    invoke(*base, "--set", "n_bins=0", code=1)
    assert len(lines_of(tmp_path)) == 12
    assert len(store.Store(tmp_path).frame()) == 6
    text = invoke(
        "report", "--protocol", "kdf", "--folds", 3, "--set", "n_bins=0", "--out", tmp_path
    )
    assert "Failed" in text


def test_bias_and_variance(data, tmp_path):
    base = ("--data", data, "--sets", "car,zoo", "--algorithms", "nb,kdb", "--out", tmp_path)
    invoke(*base, "--bias-variance", "--draws", 4)
    frame = lines_of(tmp_path)
    assert len(frame) == 4
    assert frame["settings"].str.startswith("draws=4;seed=1;").all()
    assert (frame["bias"] + frame["variance"]).to_numpy() == pytest.approx(
        frame["zero_one"].to_numpy(), abs=1e-5
    )
    assert frame["rmse"].isna().all()
    invoke(*base, "--folds", 3)
    assert len(lines_of(tmp_path)) == 8


def test_two_processes_get_what_one_gets(data, tmp_path):
    for jobs in (1, 2):
        invoke("--data", data, *QUICK, "--jobs", jobs, "--out", tmp_path / str(jobs))
    first, second = (
        lines_of(tmp_path / jobs).set_index(["set", "algorithm"]).sort_index() for jobs in "12"
    )
    same = ["settings", "zero_one", "rmse", "log_loss", "average_cmi"]
    pd.testing.assert_frame_equal(first[same], second[same])


def test_outcomes_survive_packing(tmp_path):
    right = np.random.default_rng(1).random(1003) < 0.7
    kept = store.Store(tmp_path)
    row = store.Row("car", "nb", "kdf", "folds=10", "ok", 1003, 3, 3, zero_one=0.3)
    kept.add(row, ~right)
    kept.add(row, right)
    assert (kept.correct()[row.key] == right).all()
    assert kept.done() == {row.key}


def test_order_of_tasks(data):
    entries = list(datasets.read_manifest(data).values())
    known = algorithms.read_algorithms()
    tasks = runner.plan(entries, [known["nb"], known["aode"]], PROTOCOLS["kdf"], Options())
    ordered = runner.in_order([*tasks, *tasks])
    assert len(ordered) == len(tasks)
    assert [task.entry.name for task in ordered[::2]] == ["car", "iris", "zoo", "kdd99-10pct"]
    assert [task.algorithm.name for task in ordered[:2]] == ["aode", "nb"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--algorithms", "kbd"], "no algorithm kbd"),
        (["--protocol", "kfd"], "no protocol kfd"),
        (["--set", "k"], "NAME=VALUE"),
        (["--set", "kk=3"], "no algorithm takes"),
        (["--folds", "1"], "folds"),
    ],
)
def test_bad_options_say_so(data, tmp_path, arguments, said):
    text = invoke("--data", data, "--out", tmp_path, *arguments, code=2)
    assert said in " ".join(text.replace("│", " ").split())
    assert not list(tmp_path.iterdir())
