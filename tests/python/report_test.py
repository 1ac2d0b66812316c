"""The report page, opened in a browser (chromium) where there is one. THINWIRE_PICTURES names a
folder to keep screenshots in."""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess

import numpy as np
import pytest

import thinwire as tw
from conftest import SOURCE
from thinwire.__main__ import main
from thinwire._report import page_of
from thinwire._report.contents import contents_of
from thinwire._report.patterns import beamwidth, front_to_back

pytest.importorskip("plotly")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
in_a_browser = pytest.mark.skipif(BROWSER is None, reason="no chromium to open the page in")

# Before anything of the page runs: what goes wrong, and who asks the network.
WATCH = """<script>window.wrong = [];
addEventListener("error", (e) => wrong.push(String(e.message)), true);
addEventListener("unhandledrejection", (e) => wrong.push(String(e.reason)));
addEventListener("securitypolicyviolation", (e) => wrong.push("asks for " + e.blockedURI));
console.error = (...all) => wrong.push(all.join(" "));
</script>"""
# After it: what it shows, and after a step of the slider.
TELL = """<script>
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
  summary: document.getElementById("summary").innerText,
  comparison: document.getElementById("comparison").innerText,
  buttons: [...document.querySelectorAll(".modebar-btn")].map((b) => b.dataset.title),
  wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
});
addEventListener("load", () => setTimeout(() => {
  const told = {first: seen()};
  const slider = document.getElementById("frequency");
  slider.value = 0;
  slider.dispatchEvent(new Event("input"));
  document.getElementById("theme").click();
  setTimeout(() => {
    told.then = seen();
    told.dark = document.documentElement.dataset.theme;
    told.wrong = wrong;
    document.body.replaceChildren(Object.assign(document.createElement("pre"),
                                                {id: "told", textContent: JSON.stringify(told)}));
  }, 1500);
}, 1500));
</script>"""


def browse(path, *options):
    """Runs the browser on a file; what it prints."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--use-gl=angle",
               "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--hide-scrollbars",
               "--virtual-time-budget=20000", f"--user-data-dir={path.parent / 'browser'}",
               *options, str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240,
                          check=True).stdout


def told_by(page, tmp_path, width=1400):
    """What a page says of itself in the browser, as TELL asks it."""
    file = tmp_path / "watched.html"
    watched = page.replace("<head>", "<head>" + WATCH, 1).replace("</body>", TELL + "</body>", 1)
    file.write_text(watched, encoding="utf-8")
    dom = browse(file, f"--window-size={width},1000", "--dump-dom")
    return json.loads(html.unescape(re.search(r'<pre id="told">(.*?)</pre>', dom, re.S)[1]))


def keep(page, name, tmp_path, *options):
    """A screenshot, where THINWIRE_PICTURES asks for it."""
    folder = os.environ.get("THINWIRE_PICTURES")
    if folder:
        file = tmp_path / "shown.html"
        file.write_text(page, encoding="utf-8")
        browse(file, f"--screenshot={folder}/{name}.png", "--window-size=1400,3000", *options)


@pytest.fixture(scope="module")
def yagi(tmp_path_factory):
    """Its result, and the file that it is saved in."""
    result = tw.read_deck(SOURCE / "examples" / "yagi" / "yagi.nec").solve(mesh="as-given")
    path = tmp_path_factory.mktemp("yagi") / "yagi.h5"
    result.save(path)
    return result, path


@in_a_browser
def test_page_shows_what_the_file_holds(yagi, tmp_path):
    stored = tw.open(yagi[1])
    page = page_of([("yagi", stored)])
    told = told_by(page, tmp_path)
    assert told["wrong"] == []
    assert told["dark"] in ("dark", "light")
    figures = told["first"]["figures"]
    assert set(figures) == {"antenna", "surface", "azimuth", "elevation", "impedance", "smith",
                            "vswr", "gain", "power"}
    sweep = slice(0, 21)  # run 0; run 1 repeats one of its frequencies
    z = stored.z[0, sweep]
    r, x = figures["impedance"]["traces"]
    assert np.allclose(r["x"], stored.frequency[sweep] / 1e6, rtol=1e-8)
    assert np.allclose(r["y"], z.real, rtol=1e-6) and np.allclose(x["y"], z.imag, rtol=1e-6)
    assert np.allclose(figures["vswr"]["traces"][0]["y"], stored.vswr(50)[0, sweep], rtol=1e-5)
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
    assert f"{z[10].real:.2f}" in told["first"]["summary"]

    # The slider at the lowest frequency.
    assert "142.5 MHz" in told["then"]["summary"]
    assert f"{z[0].real:.2f}" in told["then"]["summary"]
    assert not any("Share" in title for title in told["first"]["buttons"])
    keep(page, "report", tmp_path)


@in_a_browser
def test_results_are_compared(yagi, tmp_path):
    result, path = yagi
    longer = result.model.set(h2=0.5).solve(mesh="as-given")
    page = page_of([("short", tw.open(path)), ("long", longer)])
    told = told_by(page, tmp_path, width=500)
    assert told["wrong"] == []
    assert told["first"]["wider"] <= 0  # fits on a telephone
    names = [trace["name"] for trace in told["first"]["figures"]["impedance"]["traces"]]
    assert names == ["short", "short", "long", "long"]
    assert told["first"]["covered"] == told["first"]["squeezed"] == []
    difference = longer.z[0, 21].real - result.z[0, 21].real
    assert f"{longer.z[0, 21].real:.2f} ({difference:+.2f})".replace(
        "-", "−") in told["first"]["comparison"]
    keep(page, "report-compared", tmp_path, "--blink-settings=preferredColorScheme=0")


@in_a_browser
def test_loads_lines_ground_and_waves(tmp_path):
    deck = SOURCE / "examples" / "receiving_flag" / "receiving_flag.nec"
    result = tw.read_deck(deck).solve(mesh="as-given")
    told = told_by(page_of([("flag", result)]), tmp_path)
    assert told["wrong"] == []
    note = told["first"]["figures"]["antenna"]["note"]
    assert "loads: squares (950 + j0 Ω)" in note and "Sommerfeld" in note
    keep(page_of([("flag", result)]), "report-flag", tmp_path)


@in_a_browser
def test_the_slider_goes_from_wave_to_wave(tmp_path):
    result = tw.Deck("CE\nGW 1 9 0 0 -0.25 0.1 0 0.25 0.001\nGE\nFR 0 1 0 0 300 0\n"
                     "EX 1 3 1 0 10 0 0 40 0\nRP 0 19 37 1000 0 0 10 10\nEN\n").solve()
    page = page_of([("rod", result)])
    told = told_by(page, tmp_path)
    assert told["wrong"] == []
    assert "Cross section" in told["first"]["summary"]
    # The page begins with the wave in the middle; the slider then goes to the first.
    for shown, point, wave in ((told["first"], 1, "θ 50°"), (told["then"], 0, "θ 10°")):
        most = f"{result.patterns[0].gain[point].max():.2f} dB of λ²".replace("-", "−")
        figures = shown["figures"]
        assert most in shown["summary"] and wave in shown["summary"]
        for name in ("surface", "azimuth", "elevation"):
            assert wave in figures[name]["note"] and most in figures[name]["note"]
            assert "dBi" not in json.dumps(figures[name])
        milliampere = figures["antenna"]["traces"][0]["colours"]
        assert np.isclose(max(milliampere), 1e3 * abs(result.currents[point]).max(), rtol=1e-5)
        assert wave in figures["antenna"]["note"]


@in_a_browser
def test_gains_and_cross_sections_share_no_scale(tmp_path):
    rod = "CE\nGW 1 9 0 0 -0.25 0.1 0 0.25 0.001\nGE\nFR 0 3 0 0 290 10\n"
    grid = "RP 0 19 37 1000 0 0 10 10\nEN\n"
    fed = tw.Deck(rod + "EX 0 1 5 0 1\n" + grid).solve()
    lit = tw.Deck(rod + "EX 1 1 1 0 10 0 0 40 0\n" + grid).solve()
    told = told_by(page_of([("fed", fed), ("lit", lit)]), tmp_path)
    assert told["wrong"] == []
    figures, comparison = told["first"]["figures"], told["first"]["comparison"]
    assert "Gain / dBi" in comparison and "Cross section / dB of λ²" in comparison
    assert "dBi, cross" not in comparison
    # The outermost of each is at the rim.
    assert [max(trace["r"]) for trace in figures["elevation"]["traces"]] == [1, 1]
    assert "dBi and −" in figures["elevation"]["note"]
    assert figures["gain"]["caption"] == "Greatest gain and cross section over frequency"
    axes = {(trace["name"], trace.get("yaxis", "y")) for trace in figures["gain"]["traces"]}
    assert axes >= {("fed", "y"), ("lit", "y2")}


def test_derivatives_are_in_the_page(tmp_path):
    deck = tw.Deck("CE\nSY h=0.24\nGW 1 9 0 0 -h 0 0 h 0.001\nGE\nEX 0 1 5 0 1\nFR 0 2 0 0 300 5\n"
                   "RP 0 19 1 1000 0 0 10 0\nEN\n")
    result = deck.solve(gradient=["h"])
    result.save(tmp_path / "h.h5")
    for source in (result, tw.open(tmp_path / "h.h5")):
        derivatives = contents_of([("h", source)], "h")["results"][0]["derivatives"]
        assert [row[:3] for row in derivatives["impedance"]] == [[300, "1/5", "h"], [305, "1/5", "h"]]
        for f, (_, _, _, dr, dx) in enumerate(derivatives["impedance"]):
            assert complex(dr, dx) == pytest.approx(result.z_derivatives[0, 0, f], rel=1e-5)
        assert [row[4] for row in derivatives["gain"]] == pytest.approx(
            result.gain_derivatives().gain[0], rel=1e-5)
    without = contents_of([("h", deck.solve())], "h")["results"][0]["derivatives"]
    assert without == {"impedance": [], "gain": []}


def test_a_result_in_memory_gets_a_pattern(dipole, tmp_path):
    antenna, _ = dipole
    result = antenna.solve([295e6, 300e6, 305e6])
    result.report(tmp_path / "dipole.html", title="A </script> dipole")
    page = (tmp_path / "dipole.html").read_text(encoding="utf-8")
    contents = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])
    assert contents["title"] == "A </script> dipole"
    peaks = contents["results"][0]["peaks"]
    assert peaks["1"]["gain"] == pytest.approx(2.15, abs=0.006)
    assert peaks["1"]["beamwidth"]["Elevation, φ = 0°"] == pytest.approx(78, abs=0.5)
    assert contents["results"][0]["r"][0] == pytest.approx(result.z[0].real.tolist(), rel=1e-6)


def test_big_results_make_small_pages(dipole):
    antenna, _ = dipole
    result = antenna.solve(np.linspace(250e6, 350e6, 300), theta=2, phi=2)
    import plotly.offline

    assert len(page_of([("dipole", result)])) - len(plotly.offline.get_plotlyjs()) < 8e6


def test_beamwidth_and_front_to_back(yagi):
    angle = np.arange(0, 361, 10.0)
    gain = -np.abs((angle + 180) % 360 - 180) / 10  # 1 dB for each 10 degrees
    assert beamwidth(angle, gain) == pytest.approx(60)
    assert beamwidth(angle, 0 * gain) is None
    horizon = yagi[0].patterns[1]
    behind = horizon.gain[0, 0, np.abs(horizon.phi - 180).argmin()]
    assert front_to_back(horizon, 0) == pytest.approx(horizon.gain.max() - behind)


def test_other_files_are_not_overwritten(yagi, tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("mine", encoding="utf-8")
    command = ["report", str(yagi[1]), "-o", str(page)]
    assert main(command) == 5
    assert "is no page that thinwire wrote" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == "mine"
    assert main([*command, "--force"]) == 0
    assert main(command) == 0  # its own page it may write over


def test_no_input_is_overwritten_and_names_are_tried_before_the_work(yagi, tmp_path, capsys,
                                                                     monkeypatch):
    result = tmp_path / "page.html.part"
    result.write_bytes(pathlib.Path(yagi[1]).read_bytes())
    for page in (result, tmp_path / "page.html"):
        assert main(["report", str(result), "-o", str(page), "--force"]) == 5
        assert "is what report reads" in capsys.readouterr().err
    with pytest.raises(tw.FileError, match="is what report reads"):
        tw.open(result).report(result, force=True)
    other = tmp_path / "other.html.part"
    other.write_text("mine", encoding="utf-8")
    assert main(["report", str(result), "-o", str(tmp_path / "other.html")]) == 5
    assert other.read_text(encoding="utf-8") == "mine"
    monkeypatch.setattr("thinwire._report.page_of", lambda *_: pytest.fail("too late"))
    assert main(["report", str(result), "-o", str(tmp_path / ("x" * 252))]) == 5
    assert "too long" in capsys.readouterr().err
    assert result.read_bytes() == pathlib.Path(yagi[1]).read_bytes()
    assert sorted(tmp_path.iterdir()) == [other, result]


def test_what_is_no_result_is_an_error(tmp_path, capsys):
    (tmp_path / "x.h5").write_text("no", encoding="utf-8")
    assert main(["report", str(tmp_path / "x.h5")]) == 5
    assert capsys.readouterr().err.startswith("thinwire: ")


def test_the_program_has_the_same_options(capsys):
    program = os.environ.get("THINWIRE")
    if not program:
        pytest.skip("THINWIRE does not name the program")
    with pytest.raises(SystemExit):
        main(["report", "--help"])
    shown = subprocess.run([program, "help", "report"], capture_output=True, text=True,
                           check=True).stdout
    options = [set(re.findall(r"--[a-z]+", text)) for text in (shown, capsys.readouterr().out)]
    assert options[0] == options[1] - {"--help"}


def test_force_without_a_file_is_refused(yagi, capsys):
    assert main(["report", str(yagi[1]), "-o", "-", "--force"]) == 2
    assert "--force contradicts -o -" in capsys.readouterr().err


def test_wrong_options_are_one_line(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["report", "x.h5", "--titel", "x"], "thinwire")
    assert stopped.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    """Makes the page of a sweep of the Yagi: what it holds, and the page."""
    program = os.environ.get("THINWIRE")
    if not program:
        pytest.skip("THINWIRE does not name the program")
    deck = SOURCE / "examples" / "yagi" / "yagi.nec"

    def make(*variations):
        folder = tmp_path_factory.mktemp("sweep")
        vary = [word for variation in variations for word in ("--vary", variation)]
        subprocess.run([program, "sweep", str(deck), *vary, "--mesh", "as-given", "--quiet",
                        "-o", "s.h5"], cwd=folder, check=True, capture_output=True)
        page = folder / "s.html"
        assert main(["report", str(folder / "s.h5"), "-o", str(page)]) == 0
        text = page.read_text(encoding="utf-8")
        return json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.S)[1]), text

    return make


def test_all_variants_of_a_sweep_are_compared(swept):
    contents, _ = swept("h4=440mm:470mm:7", "f=144,146")
    assert contents["title"] == "s"
    assert len(contents["results"]) == 7
    last = contents["results"][-1]
    assert last["name"] == "h4 = 0.47"
    assert last["mhz"] == [144, 146]
    alone = tw.read_deck(SOURCE / "examples" / "yagi" / "yagi.nec").set(h4=0.47).solve(
        mesh="as-given")
    assert last["r"][0][1] == pytest.approx(alone.z[0, alone.nearest(146e6)].real, rel=1e-6)


@in_a_browser
@pytest.mark.parametrize("variations, count", [(["h4=440mm:470mm:7"], 7),
                                               (["h4=440mm:470mm:7", "x4=1.3,1.5"], 12)])
def test_pages_of_sweeps_have_room_for_their_pictures(swept, tmp_path, variations, count):
    contents, page = swept(*variations, "f=144:146:3")
    assert len(contents["results"]) == count
    assert contents["title"] == ("s" if count == 7 else "s, 12 of 14 variants")
    for width in (1400, 500):
        told = told_by(page, tmp_path, width)
        assert told["wrong"] == []
        assert told["first"]["wider"] <= 0
        assert told["first"]["covered"] == []
        if width == 1400:
            assert told["first"]["squeezed"] == []
    colours = {trace["line"] for trace in told["first"]["figures"]["vswr"]["traces"]}
    assert len(colours) == count
    keep(page, f"report-sweep-{count}", tmp_path)


def test_text_of_decks_does_not_break_the_page():
    comment = "<!-- <script> @SCRIPTS@ </script>"
    result = tw.Deck(f"CM {comment}\nCE\nGW 1 9 0 0 -0.25 0 0 0.25 0.001\nGE\n"
                     "FR 0 1 0 0 300 0\nEX 0 1 5 0 1\nXQ\nEN\n").solve()
    page = page_of([("rod", result)], "@PLOTLY@ @CONTENTS@")
    assert page.count("state.place = firstPlace();") == 1
    inside = re.search(r'type="application/json">(.*?)</script>', page, re.S)[1]
    assert "<" not in inside
    contents = json.loads(inside)
    assert contents["title"] == "@PLOTLY@ @CONTENTS@"
    assert contents["results"][0]["comments"] == [comment]
    assert "<title>@PLOTLY@ @CONTENTS@</title>" in page


def one_line(capsys, command, status, *texts):
    """Runs a command that fails: what it says, in one line, has all these texts."""
    assert main(command) == status
    said = capsys.readouterr().err
    assert said.startswith("thinwire: ") and said.count("\n") == 1 and said.endswith(".\n")
    for text in texts:
        assert text in said


def test_pages_are_written_to_files_and_standard_output_only(yagi, tmp_path, capsys):
    command = ["report", str(yagi[1]), "-o"]
    os.mkfifo(tmp_path / "fifo")
    one_line(capsys, [*command, str(tmp_path / "fifo")], 5, "is no regular file", "-o -")
    one_line(capsys, [*command, str(tmp_path)], 5, "is a folder", "page.html")
    for name in ("", "none"):
        one_line(capsys, [*command, name], 2, "needs a file", "-o page.html")
    with pytest.raises(tw.UsageError, match="has no name"):
        yagi[0].report("")


def test_a_page_on_standard_output(yagi, tmp_path, monkeypatch, capfdbinary):
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(yagi[1]), "-o", "-"]) == 0
    page = capfdbinary.readouterr().out.decode()
    assert page.startswith("<!doctype html>") and page.endswith("</html>\n")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_nothing_behind(yagi, tmp_path, monkeypatch):
    def fail(part, text, encoding):
        part.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pathlib.Path, "write_text", fail)
    with pytest.raises(tw.FileError, match="No space left"):
        yagi[0].report(tmp_path / "page.html")
    assert list(tmp_path.iterdir()) == []


def test_files_that_hold_no_result_say_what_to_do(yagi, tmp_path, capsys):
    whole = yagi[1].read_bytes()
    (tmp_path / "short.h5").write_bytes(whole[:6000])
    (tmp_path / "damaged.h5").write_bytes(whole[:3000] + b"x" * 6000 + whole[9000:])
    (tmp_path / "x.nec").write_text("CE\n", encoding="utf-8")
    for name, text in (("short.h5", "solve its deck again"), ("damaged.h5", "solve its deck again"),
                       ("x.nec", "solve it first: `thinwire solve"), ("no.h5", "Check the name"),
                       ("", "is a folder. Give the .h5 file")):
        one_line(capsys, ["report", str(tmp_path / name)], 5, text)
    one_line(capsys, ["report", ""], 5, "Give the .h5 file")


def test_other_files_of_the_program_are_named(tmp_path, capsys):
    program = os.environ.get("THINWIRE")
    if not program:
        pytest.skip("THINWIRE does not name the program")
    (tmp_path / "d.nec").write_text("CE\nSY h=0.24\nGW 1 11 0 0 -h 0 0 h 0.001\nGE\n"
                                    "FR 0 1 0 0 300 0\nEX 0 1 6 0 1\nXQ\nEN\n", encoding="utf-8")
    for words in (["optimize", "--vary", "h=0.23:0.24", "--goal", "vswr(300) min", "--evaluations",
                   "3", "-o", "o.h5"], ["converge", "-o", "c.h5"]):
        subprocess.run([program, words[0], "d.nec", *words[1:]], cwd=tmp_path, check=True,
                       capture_output=True)
    one_line(capsys, ["report", str(tmp_path / "o.h5")], 5, "thinwire optimize", "-optimized.nec")
    one_line(capsys, ["report", str(tmp_path / "c.h5")], 5, "thinwire converge", "thinwire solve")


@pytest.mark.parametrize("options, text", [
    ({"others": {"x": None}}, "others must be results by name"),
    ({"others": [1]}, "others must be results by name"), ({"title": 5}, "title must be a text")])
def test_wrong_arguments_are_refused(yagi, tmp_path, options, text):
    with pytest.raises(tw.UsageError, match=text):
        yagi[0].report(tmp_path / "page.html", **options)
    assert list(tmp_path.iterdir()) == []
