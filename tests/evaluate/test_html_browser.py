"""The page of a report in Chromium, on a phone and on a desk, by day and by night."""

from __future__ import annotations

import functools
import http.server
import json
import re
import shutil
import subprocess
import threading

import pytest

from river_kdb.evaluate import Origin
from tests.evaluate import reports

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

import matplotlib.image

from river_kdb.evaluate.html import write_page

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium: apt-get install chromium"),
]
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--enable-logging=stderr",
    "--force-device-scale-factor=1",
    "--virtual-time-budget=10000",
]

# Puts the page into a frame as wide as a phone, opens all of it, and writes down what it finds
PROBE = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">
<style>body { margin: 0 } iframe { border: 0; width: WIDTHpx; height: 800px }</style>
<iframe src="report.html"></iframe><pre id="found"></pre>
<script>
const frame = document.querySelector("iframe");
frame.onload = () => {
  const page = frame.contentDocument, view = frame.contentWindow, found = {};
  const closed = [...page.querySelectorAll("details.model")].filter(d => !d.open);
  found.closed = closed.length;
  view.location.hash = "#" + closed.at(-1).querySelector(".body").id;
  setTimeout(() => {
    found.opened_by_link = closed.at(-1).open;
    page.querySelectorAll("details").forEach(d => d.open = true);
    const root = page.documentElement;
    found.inner = view.innerWidth;
    found.widths = [root.scrollWidth, page.body.scrollWidth];
    const boxed = e => e.parentElement.closest(".scroll, svg") !== null;
    found.outside = [...page.body.querySelectorAll("*")]
      .filter(e => !boxed(e) && e.getBoundingClientRect().right > view.innerWidth + 0.5)
      .map(e => e.tagName + "." + e.getAttribute("class"));
    found.scrolled = [...page.querySelectorAll(".scroll")]
      .filter(e => e.scrollWidth > e.clientWidth).length;
    found.small = [...page.querySelectorAll("body *")]
      .filter(e => e.children.length === 0 && e.textContent.trim() && e.getClientRects().length)
      .filter(e => {
        const svg = e.closest("svg"), size = parseFloat(view.getComputedStyle(e).fontSize);
        const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
        return !e.matches("title, desc") && size * scale < 8.5;
      }).map(e => e.textContent.slice(0, 30));
    found.loaded = view.performance.getEntriesByType("resource").map(e => e.name);
    found.scripts = page.scripts.length;
    document.getElementById("found").textContent = JSON.stringify(found);
  }, 300);
};
</script>
"""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Notes what is asked for instead of telling it."""

    def log_message(self, format, *args):
        self.server.asked.append(self.path)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    name, results = reports.everything()
    origin = Origin("river-kdb evaluate " + "a-long-path/" * 30, 42)
    write_page(folder / "report.html", name, results, origin)
    handler = functools.partial(Quiet, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.asked = []
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield folder, server
        finally:
            server.shutdown()
            thread.join()


def chromium(tmp_path, *arguments):
    done = subprocess.run(
        [CHROMIUM, *FLAGS, f"--user-data-dir={tmp_path / 'profile'}", *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=True,
    )
    complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    assert complaints == []
    return done.stdout


def address(site, name):
    return f"http://127.0.0.1:{site[1].server_port}/{name}"


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_only_tables_and_networks_scroll_sideways(site, tmp_path, width):
    folder, server = site
    (folder / "probe.html").write_text(PROBE.replace("WIDTH", str(width)), encoding="utf-8")
    server.asked.clear()
    dom = chromium(tmp_path, "--dump-dom", "--window-size=1400,900", address(site, "probe.html"))
    found = json.loads(re.search(r'<pre id="found">(.*?)</pre>', dom)[1])
    assert found["inner"] == width
    assert max(found["widths"]) <= width
    assert found["outside"] == []
    assert found["small"] == []
    assert found["closed"] == 5
    assert found["opened_by_link"]
    if width < 768:
        assert found["scrolled"] > 3
    # Nothing but the two pages was asked for, by anyone
    assert found["loaded"] == []
    assert found["scripts"] == 0
    assert server.asked == ["/probe.html", "/report.html"]


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(
    "size", [(360, 800), (360, 5000), (1280, 900)], ids=["phone", "far down", "desk"]
)
def test_screenshots(site, tmp_path, size, mode):
    path = tmp_path / "page.png"
    dark = ["--force-dark-mode"] if mode == "dark" else []
    chromium(
        tmp_path, *dark, f"--window-size={size[0]},{size[1]}", f"--screenshot={path}",
        address(site, "report.html"),
    )  # fmt: skip
    picture = matplotlib.image.imread(path)[:, :, :3]
    assert picture.shape[:2] == (size[1], size[0])
    corner = picture[2, 2]
    assert corner.max() < 0.15 if mode == "dark" else corner.min() > 0.95
    # No white box on a dark page, nor the other way round
    near = abs(picture - corner).max(axis=2) < 0.02
    assert 0.5 < near.mean() < 0.98
    far = abs(picture - corner).mean(axis=2) > 0.7
    assert 0.001 < far.mean() < 0.1
    # Curves, shades and text: more than a dozen colours that are more than a few pixels
    shades = (picture * 15).round().astype(int) @ [256, 16, 1]
    assert sum((shades == shade).sum() > 20 for shade in set(shades.ravel().tolist())) > 12
