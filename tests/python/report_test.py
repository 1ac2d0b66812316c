"""The report page, opened in a browser (Chromium) where there is one. THINWIRE_PICTURES names a
folder to keep screenshots in."""

import base64
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess

import numpy as np
import pytest

import thinwire as tw
from conftest import SOURCE, contents_of
from thinwire._report import page_of

# Before anything of the page runs: what goes wrong, who asks the network, and how many drawings
# of plotly have begun and not ended yet.
WATCH = """window.wrong = [];
addEventListener("error", (e) => wrong.push(String(e.message)), true);
addEventListener("unhandledrejection", (e) => wrong.push(String(e.reason)));
addEventListener("securitypolicyviolation", (e) => wrong.push("asks for " + e.blockedURI));
console.error = (...all) => wrong.push(all.join(" "));
window.drawings = {begun: 0, open: 0};
const counted = (draw) => async (...all) => {
  drawings.begun++;
  drawings.open++;
  try {
    return await draw(...all);
  } finally {
    drawings.open--;
  }
};
Object.defineProperty(window, "Plotly", {configurable: true, set(library) {
  Object.defineProperty(window, "Plotly", {value: library});
  library.react = counted(library.react);
  library.Plots.resize = counted(library.Plots.resize);
}});"""
# Pictures in space take two thirds of a page's time where there is no graphics card. Their data and their
# places are the same without WebGL.
FLAT = """const {getContext} = HTMLCanvasElement.prototype;
HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
  return kind.includes("webgl") ? null : getContext.call(this, kind, ...more);
};"""
# Once it is drawn: what it shows, and after a step of the slider.
TELL = """async () => {
const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
async function drawn(count) {
  const end = performance.now() + 60000;
  while (drawings.begun <= count || drawings.open > 0) {
    if (performance.now() > end) throw new Error(`the page is not drawn: ${wrong}`);
    await frame();
  }
  await frame();
}
const box = (f, name) => f.querySelector(name)?.getBoundingClientRect();
const meet = (a, b) => a && b && a.width > 0 && b.width > 0 && a.left < b.right && b.left < a.right &&
    a.top < b.bottom && b.top < a.bottom;
function caption(f) {
  const words = document.createRange();
  words.selectNodeContents(f.querySelector("figcaption"));
  return words.getBoundingClientRect();
}
const shown = () => [...document.querySelectorAll("figure:not([hidden])")];
const seen = () => ({
  covered: shown().filter((f) => meet(box(f, ".legend"), box(f, ".modebar")) ||
      meet(caption(f), box(f, ".modebar"))).map((f) => f.id),
  squeezed: shown().filter((f) => {
    const plot = f.querySelector(".plot");
    return plot._fullLayout?._size.h < 0.4 * plot.clientHeight;
  }).map((f) => f.id),
  figures: Object.fromEntries([...document.querySelectorAll("figure:not([hidden])")].map((f) => [
    f.id, {caption: f.querySelector("figcaption").textContent,
           note: f.querySelector(".note").textContent,
           traces: (f.querySelector(".plot").data || []).map(
             ({type, name, x, y, z, r, theta, real, imag, text, line, yaxis}) =>
               ({type, name, yaxis, r, theta, real, imag, text, x: type === "surface" ? null : x,
                 y: type === "surface" ? null : y, z: type === "surface" ? null : z,
                 line: line && String(line.color),
                 colours: line && Array.isArray(line.color) ? line.color : null}))}])),
  summary: document.getElementById("summary")?.innerText,
  comparison: document.getElementById("comparison")?.innerText,
  buttons: [...document.querySelectorAll(".modebar-btn")].map((b) => b.dataset.title),
  wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
});
await drawn(0);
const page_says = {first: seen()}, count = drawings.begun;
const slider = document.getElementById("frequency");
if (slider) {  // not on the page of a study
  slider.value = 0;
  slider.dispatchEvent(new Event("input"));
}
document.getElementById("theme").click();
await drawn(count);
page_says.then = seen();
page_says.dark = document.documentElement.dataset.theme;
page_says.answer = ASK;
page_says.wrong = wrong;
return JSON.stringify(page_says);
}"""


@pytest.fixture(scope="module")
def windows(browser):
    """Two windows that all pages are opened in, one after the other: a new one takes seconds to start. The second
    draws in space."""
    with browser.new_context() as flat, browser.new_context() as space:
        for context in (flat, space):
            context.add_init_script(WATCH)
        flat.add_init_script(FLAT)
        yield flat.new_page(), space.new_page()


@pytest.fixture
def browse(windows, tmp_path_factory):
    """Returns what a function of an open page gives. All pages have one address: another one would start a process."""
    def ask(asked, page, width, height=1000, color_scheme="light", space=False):
        window = windows[space]
        file = tmp_path_factory.getbasetemp() / "shown.html"
        file.write_text(page, encoding="utf-8")
        window.set_viewport_size({"width": width, "height": height})
        window.emulate_media(color_scheme=color_scheme)
        window.goto(file.as_uri())
        return asked(window)

    return ask


@pytest.fixture
def read_by(browse):
    """Returns what a page says of itself in the browser, as TELL asks it, and the answer to `ask`."""
    def tell(page, width=1400, ask="null", space=False):
        return json.loads(browse(lambda shown: shown.evaluate(TELL.replace("ASK", ask)), page, width, space=space))

    return tell


@pytest.fixture
def keep(browse):
    """Takes a screenshot where THINWIRE_PICTURES asks for it."""
    folder = os.environ.get("THINWIRE_PICTURES")

    def picture(page, name, **options):
        def take(shown):
            shown.evaluate(TELL.replace("ASK", "null"))
            shown.screenshot(path=f"{folder}/{name}.png")

        if folder:
            browse(take, page, 1400, 3000, space=True, **options)

    return picture


@pytest.fixture(scope="module")
def yagi(tmp_path_factory):
    """Its result, and the file that it is saved in."""
    result = tw.read_deck(SOURCE / "examples" / "yagi" / "yagi.nec").solve(mesh="as-given")
    path = tmp_path_factory.mktemp("yagi") / "yagi.h5"
    result.save(path)
    return result, path


@pytest.fixture
def report(tmp_path, program_path):
    """Runs `thinwire report`, which is to end with this status."""
    def run(*words, code=0):
        done = subprocess.run([program_path, "report", *map(str, words)], cwd=tmp_path,
                              capture_output=True, text=True, timeout=240)
        assert done.returncode == code, done.stderr
        return done

    return run


def test_wires_in_a_plane_are_drawn(browse):
    """Where its height is no number of single precision."""
    def coloured(height):
        a = tw.Antenna()
        a.port(a.wire((0, -0.24, height), (0, 0.24, height), radius=1e-3, segments=21))

        def count(shown):
            shown.evaluate(TELL.replace("ASK", "null"))
            picture = shown.locator("#antenna .plot").screenshot()
            return shown.evaluate("""async (png) => {
                const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (c) => c.charCodeAt(0))]));
                const canvas = new OffscreenCanvas(image.width, image.height), to = canvas.getContext("2d");
                to.drawImage(image, 0, 0);
                const {data} = to.getImageData(0, 0, image.width * 0.8, image.height);
                let n = 0;
                for (let i = 0; i < data.length; i += 4) n += Math.max(...data.slice(i, i + 3)) - Math.min(...data.slice(i, i + 3)) > 60;
                return n;
            }""", base64.b64encode(picture).decode())

        return browse(count, page_of([("dipole", a.solve(300e6))]), 1400, space=True, color_scheme="light")

    flat, high = coloured(0), coloured(10.0584)
    assert flat > 500 and 0.9 * flat < high < 1.1 * flat


def test_page_shows_what_the_file_holds(yagi, read_by, keep):
    stored = tw.open(yagi[1])
    page = page_of([("yagi", stored)])
    page_says = read_by(page, space=True,
                        ask='document.querySelectorAll("#antenna .gl-container canvas, #surface .gl-container canvas").length')
    assert page_says["wrong"] == [] and page_says["answer"] > 0
    assert page_says["dark"] in ("dark", "light")
    figures = page_says["first"]["figures"]
    assert set(figures) == {"antenna", "surface", "azimuth", "elevation", "impedance", "smith",
                            "vswr", "gain", "power"}
    sweep = slice(0, 21)  # run 0; run 1 repeats one of its frequencies
    z = stored.z[sweep, 0]
    r, x = figures["impedance"]["traces"]
    assert np.allclose(r["x"], stored.frequency[sweep] / 1e6, rtol=1e-8)
    assert np.allclose(r["y"], z.real, rtol=1e-6) and np.allclose(x["y"], z.imag, rtol=1e-6)
    assert np.allclose(figures["vswr"]["traces"][0]["y"], stored.vswr(50)[sweep, 0], rtol=1e-5)
    smith = figures["smith"]["traces"][0]
    assert np.allclose(smith["real"], z.real / 50, rtol=1e-6)

    # At the first frequency shown, run 1's: the strongest currents, the cut's gains.
    milliampere = figures["antenna"]["traces"][0]["colours"]
    assert np.isclose(max(milliampere), 1e3 * abs(stored.currents[21]).max(), rtol=1e-6)
    cut, horizon = figures["azimuth"]["traces"][0], stored.patterns[1]
    assert np.allclose(cut["theta"], horizon.phi)
    below = horizon.gain[0, 0] - horizon.gain.max()
    assert np.allclose(cut["r"], 0.89 ** (-below / 2), atol=1e-3)
    assert f"{horizon.gain.max():.2f} dBi" in figures["azimuth"]["note"]
    surface = figures["surface"]["traces"][0]
    assert surface["type"] == "surface"
    assert surface["text"][18][0] == f"θ 90°, φ 0°: {stored.patterns[3].gain[0, 18, 0]:.2f} dBi"
    assert f"{z[10].real:.2f}" in page_says["first"]["summary"]

    # The slider at the lowest frequency.
    assert "142.5 MHz" in page_says["then"]["summary"]
    assert f"{z[0].real:.2f}" in page_says["then"]["summary"]
    assert not any("Share" in title for title in page_says["first"]["buttons"])
    keep(page, "report")


@pytest.mark.filterwarnings("ignore::thinwire.ModelWarning")
def test_the_azimuth_is_at_the_elevation_that_the_summary_names(read_by):
    # Two elevations whose gains agree when rounded.
    low = tw.Deck("CE\nGW 1 41 0 -10.1 10 0 10.1 10 .001\nGE\nGN 2 0 0 0 13 .005\n"
                  "EX 0 1 21 0 1\nFR 0 1 0 0 7.1\nEN\n").solve(theta=5, phi=5)
    first = read_by(page_of([("low", low)]))["first"]
    named, = re.findall(r"at θ (\d+)°", first["summary"])
    assert f"θ = {named}°" in first["figures"]["azimuth"]["caption"]


def test_results_are_compared(yagi, read_by, keep):
    result, path = yagi
    longer = result.model.set(h2=0.5).solve(mesh="as-given")
    page = page_of([("short", tw.open(path)), ("long", longer)])
    page_says = read_by(page, width=500)
    assert page_says["wrong"] == []
    assert page_says["first"]["wider"] <= 0  # fits on a telephone
    names = [trace["name"] for trace in page_says["first"]["figures"]["impedance"]["traces"]]
    assert names == ["short", "short", "long", "long"]
    assert page_says["first"]["covered"] == page_says["first"]["squeezed"] == []
    difference = longer.z[21, 0].real - result.z[21, 0].real
    assert f"{longer.z[21, 0].real:.2f} ({difference:+.2f})".replace(
        "-", "−") in page_says["first"]["comparison"]
    keep(page, "report-compared", color_scheme="dark")


@pytest.mark.filterwarnings("ignore::thinwire.ModelWarning")
def test_an_infinite_vswr_is_shown_as_such(dipole, read_by):
    antenna, _ = dipole
    tiny = antenna.solve(1e3)
    assert np.isinf(tiny.vswr()).all()
    page_says = read_by(page_of([("tiny", tiny), ("other", antenna.solve(1e3))]))
    assert page_says["wrong"] == []
    row, = [line for line in page_says["first"]["comparison"].splitlines() if line.startswith("VSWR")]
    assert row.split("\t")[1:] == ["∞", "∞"]


def test_the_convergence_of_iterative_solves_is_drawn(yagi, tmp_path, read_by, keep):
    h5py = pytest.importorskip("h5py")
    antenna = tw.read_deck(SOURCE / "examples" / "yagi" / "yagi.nec")
    path = tmp_path / "iterated.h5"
    antenna.solve(145e6, mesh="as-given", solver="cocg", precond="none").save(path)
    page = page_of([("cocg", tw.open(path)), ("direct", yagi[0])])
    page_says = read_by(page)
    assert page_says["wrong"] == []
    residual, impedance = page_says["first"]["figures"]["convergence"]["traces"]
    with h5py.File(path) as file:
        stored = file["solver/residual_history/0"][:]
        z = file["solver/impedance_history_ohm/0"][:]
    assert residual["x"] == impedance["x"] == list(range(len(stored)))
    np.testing.assert_allclose(residual["y"], stored, rtol=1e-2)
    off = abs(z - z[-1]) / abs(z[-1])
    known = np.isfinite(off) & (off > 0)
    np.testing.assert_allclose(np.array(impedance["y"], float)[known], off[known], rtol=1e-2)
    keep(page, "report-convergence")


@pytest.mark.parametrize("gaps", [[0, 1, 2], [1]])
def test_a_file_without_frequencies_is_refused(dipole, tmp_path, gaps):
    h5py = pytest.importorskip("h5py")
    dipole[0].solve([290e6, 300e6, 310e6]).save(tmp_path / "whole.h5")
    with h5py.File(tmp_path / "whole.h5") as old, h5py.File(tmp_path / "gaps.h5", "w") as new:
        for name, value in old.attrs.items():
            new.attrs[name] = value
        for name in old:
            old.copy(old[name], new, name=name)
        new["frequency_hz"][gaps] = np.nan
    with pytest.raises(tw.FileError, match="/frequency_hz has no numbers where frequencies should be"):
        page_of([("gaps", tw.open(tmp_path / "gaps.h5"))])


def test_loads_lines_ground_and_waves(read_by, keep):
    deck = SOURCE / "examples" / "receiving_flag" / "receiving_flag.nec"
    result = tw.read_deck(deck).solve(mesh="as-given")
    page_says = read_by(page_of([("flag", result)]))
    assert page_says["wrong"] == []
    note = page_says["first"]["figures"]["antenna"]["note"]
    assert "loads: squares (950 + j0 Ω)" in note and "Sommerfeld" in note
    keep(page_of([("flag", result)]), "report-flag")


def test_the_slider_goes_from_wave_to_wave(read_by):
    result = tw.Deck("CE\nGW 1 9 0 0 -0.25 0.1 0 0.25 0.001\nGE\nFR 0 1 0 0 300 0\n"
                     "EX 1 3 1 0 10 0 0 40 0\nRP 0 19 37 1000 0 0 10 10\nEN\n").solve()
    page = page_of([("rod", result)])
    page_says = read_by(page)
    assert page_says["wrong"] == []
    assert "Cross section" in page_says["first"]["summary"]
    # The page begins with the wave in the middle; the slider then goes to the first.
    for shown, point, wave in ((page_says["first"], 1, "θ 50°"), (page_says["then"], 0, "θ 10°")):
        most = f"{result.patterns[0].gain[point].max():.2f} dB of λ²".replace("-", "−")
        figures = shown["figures"]
        assert most in shown["summary"] and wave in shown["summary"]
        for name in ("surface", "azimuth", "elevation"):
            assert wave in figures[name]["note"] and most in figures[name]["note"]
            assert "dBi" not in json.dumps(figures[name])
        milliampere = figures["antenna"]["traces"][0]["colours"]
        assert np.isclose(max(milliampere), 1e3 * abs(result.currents[point]).max(), rtol=1e-5)
        assert wave in figures["antenna"]["note"]


def test_gains_and_cross_sections_share_no_scale(read_by):
    rod = "CE\nGW 1 9 0 0 -0.25 0.1 0 0.25 0.001\nGE\nFR 0 3 0 0 290 10\n"
    grid = "RP 0 19 37 1000 0 0 10 10\nEN\n"
    fed = tw.Deck(rod + "EX 0 1 5 0 1\n" + grid).solve()
    lit = tw.Deck(rod + "EX 1 1 1 0 10 0 0 40 0\n" + grid).solve()
    page_says = read_by(page_of([("fed", fed), ("lit", lit)]))
    assert page_says["wrong"] == []
    figures, comparison = page_says["first"]["figures"], page_says["first"]["comparison"]
    assert "Gain / dBi" in comparison and "Cross section / dB of λ²" in comparison
    assert "dBi, cross" not in comparison
    # The outermost of each is at the rim.
    assert [max(trace["r"]) for trace in figures["elevation"]["traces"]] == [1, 1]
    assert "dBi and −" in figures["elevation"]["note"]
    assert figures["gain"]["caption"] == "Greatest gain and cross section over frequency"
    axes = {(trace["name"], trace.get("yaxis", "y")) for trace in figures["gain"]["traces"]}
    assert axes >= {("fed", "y"), ("lit", "y2")}


def test_derivatives_are_in_the_page(tmp_path, read_by):
    deck = tw.Deck("CE\nSY h=0.24\nGW 1 9 0 0 -h 0 0 h 0.001\nGE\nEX 0 1 5 0 1\nFR 0 2 0 0 300 5\n"
                   "RP 0 19 1 1000 0 0 10 0\nEN\n")
    result = deck.solve(gradient=["h"])
    result.save(tmp_path / "h.h5")
    for source in (result, tw.open(tmp_path / "h.h5")):
        page = page_of([("h", source)])
        derivatives = read_by(page, ask="results[0].derivatives")["answer"]
        assert [row[:3] for row in derivatives["impedance"]] == [[300, "1/5", "h"], [305, "1/5", "h"]]
        for f, (_, _, _, dr, dx) in enumerate(derivatives["impedance"]):
            assert complex(dr, dx) == pytest.approx(result.z_derivatives[f, 0, 0], rel=1e-5)
        assert [row[4] for row in derivatives["gain"]] == pytest.approx(
            result.gain_derivatives().gain[:, 0], rel=1e-5)
    without = read_by(page_of([("h", deck.solve())]), ask="results[0].derivatives")
    assert without["answer"] == {"impedance": [], "gain": []}


def test_a_result_in_memory_gets_a_pattern(dipole, tmp_path, read_by):
    antenna, _ = dipole
    result = antenna.solve([295e6, 300e6, 305e6])
    result.report(tmp_path / "dipole.html", title="A </script> dipole")
    page = (tmp_path / "dipole.html").read_text(encoding="utf-8")
    contents = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])
    assert contents["title"] == "A </script> dipole"
    page_says = read_by(page, ask="[results[0].peaks, results[0].r]")
    peaks, resistance = page_says["answer"]
    assert peaks["1"]["gain"] == pytest.approx(2.15, abs=0.006)
    assert peaks["1"]["beamwidth"]["Elevation, φ = 0°"] == pytest.approx(78, abs=0.5)
    assert resistance[0] == pytest.approx(result.z[:, 0].real.tolist(), rel=1e-6)


def test_beamwidths_are_between_half_power_points(yagi, read_by):
    # A curve that falls by 1 dB for each 10 degrees, a flat one, and one whose peak is at its end.
    angle = np.arange(0, 361, 10.0)
    gain = -np.abs((angle + 180) % 360 - 180) / 10
    curves = [[angle, gain], [angle, 0 * gain], [angle[:19], gain[:19]]]
    ask = json.dumps([[list(a), list(g)] for a, g in curves])
    page_says = read_by(page_of([("yagi", yagi[0])]), ask=f"{ask}.map((c) => beamwidth(...c))")
    assert page_says["answer"] == [pytest.approx(60), None, None]


def test_big_results_make_small_pages(dipole):
    antenna, _ = dipole
    result = antenna.solve(np.linspace(250e6, 350e6, 300), theta=2, phi=2)
    page = page_of([("dipole", result)])
    library = re.search(r'id="plotly"[^>]*>(.*?)</script>', page, re.S)[1]
    assert len(page) - len(library) < 8e6


def test_peaks_have_their_front_to_back_ratio(yagi):
    pattern = contents_of([("yagi", tw.open(yagi[1]))])["results"][0]["patterns"][1]
    horizon = yagi[0].patterns[1]
    behind = horizon.gain[0, 0, np.abs(horizon.phi - 180).argmin()]
    point, gain, _, _, ratio = pattern["peaks"][0]
    assert point == horizon.index[0]
    assert gain == pytest.approx(horizon.gain.max(), rel=1e-6)
    assert ratio == pytest.approx(horizon.gain.max() - behind, rel=1e-6)


def test_the_library_that_draws_is_the_pinned_one(yagi):
    page = page_of([("yagi", yagi[0])])
    packed = re.search(r'id="plotly"[^>]*>(.*?)</script>', page, re.S)[1]
    text = gzip.decompress(base64.b64decode(packed))
    # plotly.js 4.1.1 as it is in plotly 7.1.0 on PyPI (docs/develop/architecture.md).
    assert hashlib.sha256(text).hexdigest() == (
        "3b6e15d45dbb7fca5bd2094291e961ddc5472cd887009e6009a56dab668d721f")


def test_other_files_are_not_overwritten(yagi, tmp_path, report):
    page = tmp_path / "page.html"
    page.write_text("mine", encoding="utf-8")
    command = [yagi[1], "-o", page]
    assert "was not written by thinwire" in report(*command, code=5).stderr
    assert page.read_text(encoding="utf-8") == "mine"
    report(*command, "--force")
    report(*command)  # its own page it may write over
    (tmp_path / "study.h5").write_bytes(pathlib.Path(yagi[1]).read_bytes())
    assert "no place for a page" in report(yagi[1], "-o", "study.h5", code=5).stderr


def test_no_input_is_overwritten_and_names_are_tried_before_the_work(yagi, tmp_path, report,
                                                                     monkeypatch):
    result = tmp_path / "page.html.part"
    result.write_bytes(pathlib.Path(yagi[1]).read_bytes())
    for page in (result, tmp_path / "page.html"):
        assert "is what report reads" in report(result, "-o", page, "--force", code=5).stderr
    with pytest.raises(tw.FileError, match="is what report reads"):
        tw.open(result).report(result, force=True)
    other = tmp_path / "other.html.part"
    other.write_text("mine", encoding="utf-8")
    report(result, "-o", tmp_path / "other.html", code=5)
    assert other.read_text(encoding="utf-8") == "mine"
    assert "too long" in report(result, "-o", "x" * 252, code=5).stderr
    monkeypatch.setattr("thinwire._report.page_of", lambda *_: pytest.fail("too late"))
    with pytest.raises(tw.FileError, match="too long"):
        tw.open(result).report(tmp_path / ("x" * 252))
    assert result.read_bytes() == pathlib.Path(yagi[1]).read_bytes()
    assert sorted(tmp_path.iterdir()) == [other, result]


def test_wrong_options_are_one_line(report):
    assert report("x.h5", "--titel", "x", code=2).stderr.count("\n") == 1
    assert "no file given" in report(code=2).stderr


@pytest.fixture(scope="module")
def swept(tmp_path_factory, program_path):
    """Makes the page of a sweep of the Yagi: what it holds, and the page."""
    deck = SOURCE / "examples" / "yagi" / "yagi.nec"

    def make(*variations):
        folder = tmp_path_factory.mktemp("sweep")
        vary = [word for variation in variations for word in ("--vary", variation)]
        subprocess.run([program_path, "sweep", str(deck), *vary, "--mesh", "as-given", "--quiet",
                        "-o", "s.h5"], cwd=folder, check=True, capture_output=True)
        subprocess.run([program_path, "report", "s.h5"], cwd=folder, check=True, capture_output=True)
        text = (folder / "s.html").read_text(encoding="utf-8")
        return json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.S)[1]), text

    return make


def test_all_variants_of_a_sweep_are_compared(swept):
    contents, _ = swept("h4=440mm:470mm:7", "f=144,146")
    assert contents["title"] == "s"
    assert len(contents["results"]) == 7
    last = contents["results"][-1]
    assert last["name"] == "h4 = 0.47"
    assert last["frequency_hz"] == [144e6, 146e6]
    alone = tw.read_deck(SOURCE / "examples" / "yagi" / "yagi.nec").set(h4=0.47).solve(
        mesh="as-given")
    assert last["impedance_ohm"][2] == pytest.approx(alone.z[alone.nearest(146e6), 0].real, rel=1e-6)


@pytest.mark.parametrize("variations, count", [(["h4=440mm:470mm:7"], 7),
                                               (["h4=440mm:470mm:7", "x4=1.3,1.5"], 12)])
def test_pages_of_sweeps_have_room_for_their_pictures(swept, variations, count, read_by, keep):
    contents, page = swept(*variations, "f=144:146:3")
    assert len(contents["results"]) == count
    assert contents["title"] == ("s" if count == 7 else "s, 12 of 14 variants")
    for width in (1400, 500):
        page_says = read_by(page, width)
        assert page_says["wrong"] == []
        assert page_says["first"]["wider"] <= 0
        assert page_says["first"]["covered"] == []
        if width == 1400:
            assert page_says["first"]["squeezed"] == []
    colours = {trace["line"] for trace in page_says["first"]["figures"]["vswr"]["traces"]}
    assert len(colours) == count
    keep(page, f"report-sweep-{count}")


@pytest.mark.parametrize("width", [1400, 500])
def test_pages_of_studies_draw_their_plots(tmp_path, width, read_by, keep, program_path):
    deck = tmp_path / "d.nec"
    deck.write_text("CE\nGW 1 11 0 0 -.24 0 0 .24 0.001\nGE\nFR 0 1 0 0 300 0\nEX 0 1 6 0 1\nXQ\nEN\n",
                    encoding="utf-8")
    subprocess.run([program_path, "converge", deck, "--plot", tmp_path / "c.html", "--quiet"], check=True,
                   capture_output=True)
    page = (tmp_path / "c.html").read_text(encoding="utf-8")
    page_says = read_by(page, width, ask='document.querySelectorAll("#tables tbody tr").length')
    assert page_says["wrong"] == [] and page_says["dark"] in ("dark", "light")
    assert page_says["first"]["wider"] <= 0
    assert page_says["first"]["covered"] == page_says["first"]["squeezed"] == []
    figure = page_says["first"]["figures"]["plot-0"]
    assert figure["caption"] == "Distance of Z from its limit at 300 MHz"
    graded = next(trace for trace in figure["traces"] if trace["name"].endswith("graded"))
    assert len(graded["x"]) == 3 and graded["y"] == sorted(graded["y"], reverse=True)
    assert page_says["answer"] >= 7 + 1 + 1  # meshes, ports, places
    keep(page, f"study-{width}")


def test_text_of_decks_does_not_break_the_page():
    comment = "<!-- <script> @SCRIPTS@ {{CONTENTS}} </script>"
    result = tw.Deck(f"CM {comment}\nCE\nGW 1 9 0 0 -0.25 0 0 0.25 0.001\nGE\n"
                     "FR 0 1 0 0 300 0\nEX 0 1 5 0 1\nXQ\nEN\n").solve()
    page = page_of([("rod", result)], "{{PLOTLY}} {{CONTENTS}}")
    assert page.count("function firstPlace()") == 1
    inside = re.search(r'type="application/json">(.*?)</script>', page, re.S)[1]
    assert "<" not in inside
    contents = json.loads(inside)
    assert contents["title"] == "{{PLOTLY}} {{CONTENTS}}"
    assert contents["results"][0]["deck"].startswith(f"CM {comment}\n")
    assert "<title>{{PLOTLY}} {{CONTENTS}}</title>" in page


def one_line(done, *texts):
    """A command that failed: what it says, in one line, has all these texts."""
    assert done.stderr.startswith("thinwire: ") and done.stderr.count("\n") == 1
    assert done.stderr.endswith(".\n")
    for text in texts:
        assert text in done.stderr


def test_pages_need_a_file(yagi, tmp_path, report):
    one_line(report(yagi[1], "-o", tmp_path, code=5), "is not a regular file")
    for name in ("", "none"):
        one_line(report(yagi[1], "-o", name, code=2), "needs a file", "-o page.html")
    with pytest.raises(tw.UsageError, match="has no name"):
        yagi[0].report("")


def test_a_page_goes_to_standard_output_and_pipes(yagi, tmp_path, report):
    page = report(yagi[1], "-o", "-").stdout
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
    assert list(tmp_path.iterdir()) == []
    os.mkfifo(tmp_path / "fifo")
    with (tmp_path / "read.html").open("w") as file:
        with subprocess.Popen(["cat", tmp_path / "fifo"], stdout=file):
            report(yagi[1], "-o", "fifo")
    assert (tmp_path / "read.html").read_text(encoding="utf-8") == page


def test_a_failed_write_leaves_nothing_behind(yagi, tmp_path, program_path):
    full = subprocess.run(["sh", "-c", 'trap "" XFSZ; ulimit -f 100; exec "$0" report "$1"', program_path,
                           yagi[1]], cwd=tmp_path, capture_output=True, text=True)
    assert full.returncode == 5
    one_line(full, "yagi.html", "File too large")
    assert list(tmp_path.iterdir()) == []


def test_files_that_hold_no_result_say_what_to_do(yagi, tmp_path, report):
    whole = yagi[1].read_bytes()
    (tmp_path / "x.h5").write_text("no", encoding="utf-8")
    (tmp_path / "short.h5").write_bytes(whole[:6000])
    (tmp_path / "damaged.h5").write_bytes(whole[:3000] + b"x" * 6000 + whole[9000:])
    (tmp_path / "x.nec").write_text("CE\n", encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for name, text in (("x.h5", "solve its deck again"), ("short.h5", "solve its deck again"),
                       ("damaged.h5", "solve its deck again"), ("no.h5", "Check the name"),
                       ("folder", "is a folder. Give the .h5 file"), ("", "Give the .h5 file")):
        one_line(report(name, "-o", "page.html", code=5), text)
    one_line(report("x.nec", "-o", "page.html", code=3), "x.nec:1: ")  # a deck, though one without wires


def test_other_files_of_the_program_are_named(tmp_path, report):
    program = os.environ["THINWIRE"]
    (tmp_path / "d.nec").write_text("CE\nSY h=0.24\nGW 1 11 0 0 -h 0 0 h 0.001\nGE\n"
                                    "FR 0 1 0 0 300 0\nEX 0 1 6 0 1\nXQ\nEN\n", encoding="utf-8")
    for words in (["optimize", "--vary", "h=0.23:0.24", "--goal", "vswr(300) min", "--evaluations",
                   "3", "-o", "o.h5"], ["converge", "-o", "c.h5"]):
        subprocess.run([program, words[0], "d.nec", *words[1:]], cwd=tmp_path, check=True,
                       capture_output=True)
    one_line(report("o.h5", code=5), "thinwire optimize", "-optimized.nec")
    one_line(report("c.h5", code=5), "thinwire converge", "thinwire solve")


@pytest.mark.parametrize("options, text", [
    ({"others": {"x": None}}, "others must be results by name"),
    ({"others": [1]}, "others must be results by name"), ({"title": 5}, "title must be a text")])
def test_wrong_arguments_are_refused(yagi, tmp_path, options, text):
    with pytest.raises(tw.UsageError, match=text):
        yagi[0].report(tmp_path / "page.html", **options)
    assert list(tmp_path.iterdir()) == []


def _cut(dataset):
    def change(file):
        values = file[dataset][:1]
        del file[dataset]
        file[dataset] = values
    return change


@pytest.mark.parametrize("change", [
    lambda file: file.__delitem__("/mesh/start_m"), _cut("/port/impedance_ohm"),
    _cut("/current/segment_current_a"), _cut("/pattern/0/gain_dbi"),
    lambda file: file.attrs.__setitem__("format_version", 99)])
def test_files_that_were_changed_are_refused(report, yagi, tmp_path, change):
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "changed.h5"
    path.write_bytes(yagi[1].read_bytes())
    with h5py.File(path, "a") as file:
        change(file)
    one_line(report(path, code=5), "changed.h5")
