"""Each sample says what NumPy says, and its session can be walked, reported and exported."""
import functools
import json
import os
import pathlib
import re
import sqlite3
import struct
import subprocess
import sys

import pytest

BUILD = pathlib.Path(os.environ["CROTON_BUILD"])
SOURCE = pathlib.Path(os.environ["CROTON_SOURCE"])
sys.path.insert(0, str(SOURCE / "samples"))
from layout import MOST_SESSION_BYTES, samples  # noqa: E402

SAMPLES = samples()
GROUPS = {"first", "models", "loops", "numerics", "devices", "large"}
KINDS = {"input", "shared", "apply", "hot", "warm", "fused", "dead", "created", "output"}
GALLERY = SOURCE / "resources/screenshots/samples"
MOST_PICTURE_PIXELS = 420  # as make_screenshots --gallery asks for
MOST_COMPARED = "40"  # steps of one graph; beyond, some of them, evenly spread

each_sample = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
each_recorded = pytest.mark.parametrize("sample", [each for each in SAMPLES if "unrecorded" not in each.card], ids=lambda each: each.name)


def run(*command, flags="", folder=None):
    environment = dict(os.environ)
    environment.pop("THEANO_FLAGS", None)
    environment["CROTON_FLAGS"] = flags
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, cwd=folder, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def croton(*words, **more):
    return run(BUILD / "bin" / "croton", *words, **more)


@functools.lru_cache
def devices():
    return {each["name"] for each in json.loads(croton("devices", "--json"))["devices"] if each["available"]}


def flags_here(sample):
    """The sample's flags, or none where this machine lacks the device that they name."""
    device = dict(flag.split("=", 1) for flag in sample.flags.split(",") if flag).get("device", "cpu")
    return sample.flags if device in devices() else ""


@pytest.fixture(scope="session")
def session(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sessions")

    @functools.lru_cache(None)
    def recorded(sample):
        path = folder / sample.session.name
        croton("profile", "-o", path, sample.script, flags=flags_here(sample))
        return path

    return recorded


@each_sample
def test_says_what_numpy_says(sample):
    here = pathlib.Path(__file__).parent / "check_sample.py"
    for flags in sorted({"", flags_here(sample)}):
        croton("run", here, sample.folder, flags=flags)


@each_sample
def test_steps_forth_and_back(sample, session):
    run(BUILD / "bin" / "walk_session", session(sample), MOST_COMPARED)


@each_sample
def test_reports_and_exports(sample, session, tmp_path):
    path = session(sample)
    assert "Class" in croton("report", path)
    assert sample.script.name in croton("report", "--style", "summary", path), "no time leads to a line of the script"
    assert len(croton("export", "--csv", "--table", "applies", path).splitlines()) > 1
    if "unrecorded" in sample.card:
        return  # what is made of large graphs is large
    assert json.loads(croton("report", "--json", path))
    assert json.loads(croton("export", "--chrome-trace", path))["traceEvents"]
    croton("export", "--html", "-o", tmp_path / "page.html", path)
    assert "<svg" in (tmp_path / "page.html").read_text()


@each_sample
def test_card_is_whole(sample):
    card = sample.card
    known = {"order", "title", "subtitle", "sees", "group", "tags", "flags", "launch", "card", "unrecorded", "shorter", "modes", "nodes", "edges"}
    assert set(card) <= known, sorted(set(card) - known)
    for key in ("title", "subtitle", "sees"):
        assert card[key], key
    assert card["sees"].endswith(".") and card["group"] in GROUPS and card["tags"]
    assert all(0 <= node["x"] <= 1 and 0 <= node["row"] < 4 and node["kind"] in KINDS for node in card["nodes"])
    assert all(0 <= end < len(card["nodes"]) for edge in card["edges"] for end in edge)
    assert "What to look at:" in sample.readme.read_text()
    assert sample.script.read_text().startswith('"""') and sample.check.exists()


def test_orders_and_the_list_in_the_readme():
    assert [sample.card["order"] for sample in SAMPLES] == list(range(1, len(SAMPLES) + 1))
    folders = {path.name for path in (SOURCE / "samples").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {sample.name for sample in SAMPLES}


@each_sample
def test_a_picture_for_the_list(sample):
    """`resources/screenshots/make_screenshots --gallery` makes them; the list itself is a made page."""
    picture = GALLERY / (sample.name + ".png")
    assert picture.exists(), "resources/screenshots/make_screenshots --gallery makes it"
    head = picture.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n" and 80 <= max(struct.unpack(">II", head[16:])) <= MOST_PICTURE_PIXELS


def test_pictures_of_the_list_are_those_of_samples_and_small():
    pictures = list(GALLERY.iterdir())
    assert {path.stem for path in pictures} == {sample.name for sample in SAMPLES}
    assert sum(path.stat().st_size for path in pictures) < 1.5e6


@pytest.mark.parametrize("page", ["README.md", "resources/docs/index.md", "samples/README.md"])
def test_pages_count_the_samples_right(page):
    """The list says how many there are, and pages that repeat the number say the same."""
    count = re.match(r"[\w-]+", (SOURCE / "samples/README.md").read_text().split("*\n\n", 1)[1])[0]
    assert word_of(len(SAMPLES)) == count.lower()
    assert re.findall(r"([\w-]+) small programs", (SOURCE / page).read_text(), re.IGNORECASE)[0].lower() == count.lower()


def word_of(number):
    """The few numbers that the samples may grow to, written out apart from the page's own rule."""
    return {20: "twenty", 21: "twenty-one", 22: "twenty-two", 23: "twenty-three", 24: "twenty-four", 25: "twenty-five", 26: "twenty-six"}[number]


def test_the_list_shows_every_sample_with_its_picture():
    page = (SOURCE / "samples/README.md").read_text()
    for sample in SAMPLES:
        assert "../resources/screenshots/samples/%s.png" % sample.name in page and "(%s/README.md)" % sample.name in page
        assert sample.card["title"] in page and sample.card["sees"] in page, sample.name


@each_sample
def test_memory_is_predicted(sample, session):
    """What a call takes by its plan, beside what the allocator had given out."""
    for function in json.loads(croton("memory", session(sample), "--json")):
        if function["alternatives"] and "measured_bytes" in function["alternatives"][0]:
            predicted, measured = (function["alternatives"][0][what] for what in ("predicted_bytes", "measured_bytes"))
            assert abs(predicted - measured) <= 0.05 * measured, (function["function"], predicted, measured)


@each_recorded
def test_recorded_session_is_of_the_script_as_it_is(sample):
    assert sample.session.exists(), "samples/record %s records it" % sample.name
    for session in sample.sessions():
        assert session.stat().st_size <= MOST_SESSION_BYTES
        with sqlite3.connect("file:%s?mode=ro&immutable=1" % session, uri=True) as database:
            meta = dict(database.execute("SELECT key, value FROM meta"))
            sources = dict(database.execute("SELECT file, text FROM sources"))
        assert meta["state"] == "finished" and meta["exit_status"] == "0"
        assert sources == {sample.script.name: sample.script.read_text()}, "samples/record %s records it anew" % sample.name
        assert meta["directory"] == "." and meta["host"] == "" and meta["pid"] == "0", "it names the machine that it was recorded on"
        run(BUILD / "bin" / "walk_session", session, MOST_COMPARED)
        assert sample.script.name in croton("report", "--style", "summary", session)


@pytest.mark.parametrize("sample", [each for each in SAMPLES if each.launch], ids=lambda each: each.name)
def test_recorded_job_has_all_its_ranks(sample):
    ranks = json.loads(croton("ranks", "--json", sample.session))["ranks"]
    assert len(ranks) > 1 and [row["rank"] for row in ranks] == list(range(len(ranks)))
    assert [sample.folder / row["session"] if row["session"] else sample.session for row in ranks] == sample.sessions()
    assert not any(row["host"] or row["problem"] for row in ranks)


@pytest.mark.parametrize("sample", [each for each in SAMPLES if "unrecorded" in each.card], ids=lambda each: each.name)
def test_what_is_not_recorded_is_too_large(sample, session):
    assert sample.card["unrecorded"] and not sample.session.exists()
    assert session(sample).stat().st_size > MOST_SESSION_BYTES
