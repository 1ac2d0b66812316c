// The controls, and what is drawn again when they change.

const control = (id) => document.getElementById(id);

function showFrequency() {
  const text = frequencyText(results[0], state.place);
  control("frequency").value = state.place;
  control("frequency").setAttribute("aria-valuetext", text);
  control("frequency-text").textContent = text;
}

// All that follows the frequency, the scale or the line.
function drawResults() {
  showFrequency();
  fillSummary();
  fillComparison();
  fillLegend();
  drawAntenna();
  drawSurface();
  drawCut("azimuth");
  drawCut("elevation");
  drawImpedance();
  drawVswr();
  drawSmith();
  drawGain();
  drawConvergence();
  drawPower();
  arrange();
}

// Two figures in a row; of an odd number the antenna goes across. The Smith chart stands beside
// two where there are enough. Bars alone go across, below.
function arrange() {
  const shown = [...document.querySelectorAll("#pictures figure")].filter(
      (figure) => !figure.hidden);
  const bars = shown.find((figure) => figure.querySelector(".plot").hidden);
  const tall = swept ? shown.find((figure) => figure.id === "smith") : null;
  const odd = (shown.length + (tall ? 1 : 0) - (bars ? 1 : 0)) % 2 === 1;
  for (const figure of shown) {
    const across = figure === bars || (odd && figure.id === "antenna");
    const name = figure === tall ? "two-rows" : across ? "across" : "";
    if (figure.className === name) continue;
    figure.className = name;
    const plot = figure.querySelector(".plot");
    if (!plot.hidden) Plotly.Plots.resize(plot);
  }
}

let waiting = false;
function redraw() {
  if (waiting) return;
  waiting = true;
  setTimeout(() => {
    waiting = false;
    drawPage();
  });
}

function setTheme(dark) {
  state.dark = dark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  control("theme").textContent = dark ? "Light" : "Dark";
  control("theme").setAttribute("aria-pressed", String(dark));
}

// The first place shown: one with a pattern over the sphere, in the middle of those.
function firstPlace() {
  const result = results[0];
  const points = result.gridPoints.length ? result.gridPoints :
      Object.keys(result.peaks).map(Number).filter((point) => result.place.has(point));
  const point = points.length ? points[points.length >> 1] : result.points[result.points.length >> 1];
  return result.place.get(point);
}

// The controls of results.
function connectResults() {
  const slider = control("frequency"), result = control("result");
  slider.max = results[0].mhz.length - 1;
  control("frequency-control").classList.toggle("fixed", results[0].mhz.length < 2);
  slider.addEventListener("input", () => {
    state.place = Number(slider.value);
    redraw();
  });
  result.append(...results.map((r, k) => element("option", {value: k, textContent: r.name})));
  control("result-control").hidden = !several;
  result.addEventListener("change", () => {
    state.shown = Number(result.value);
    redraw();
  });
  control("scale-control").hidden = !anyPattern;
  control("no-pattern").hidden = anyPattern;
  for (const radio of document.querySelectorAll("input[name=scale]")) {
    radio.addEventListener("change", () => {
      state.scale = radio.value;
      redraw();
    });
  }
  const line = control("line");
  line.value = state.line;
  control("line-control").hidden = !anyPort;
  line.addEventListener("change", () => {
    const ohm = Number(line.value);
    if (ohm > 0 && Number.isFinite(ohm)) state.line = ohm;
    line.value = state.line;
    fillValues();
    redraw();
  });
  // A click into a curve over frequency takes that frequency.
  for (const id of ["impedance", "vswr", "gain", "power"]) {
    const plot = document.querySelector(`#${id} .plot`);
    plot.on?.("plotly_click", (event) => {
      state.place = nearestPlace(results[0], results[0].mhz.keys(), {
        ...situation(results[0], state.place), mhz: event.points[0].x});
      redraw();
    });
  }
}

function onKey(event) {
  if ((event.ctrlKey || event.metaKey) && event.key === "p") {
    event.preventDefault();
    printPage();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (step && results.length) {
    const last = results[0].mhz.length - 1;
    state.place = Math.min(last, Math.max(0, state.place + step));
    event.preventDefault();
    redraw();
  } else if (event.key === "d" || event.key === "D") {
    control("theme").click();
  }
}

function fillResults() {
  state.place = firstPlace();
  fillHeader();
  fillWarnings();
  fillValues();
  fillDerivatives();
  fillSolver();
  fillDecks();
}

const drawPage = results.length ? drawResults : drawStudy;
control("title").textContent = contents.title;
control("program").textContent = contents.program;
control("keys").hidden = results.length === 0;
control(results.length ? "of-study" : "of-results").remove();
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
(results.length ? fillResults : fillStudy)();
startPlotly().then(() => {
  drawPage();
  if (results.length) connectResults();
  control("theme").addEventListener("click", () => {
    setTheme(!state.dark);
    redraw();
  });
  control("print").addEventListener("click", printPage);
  document.addEventListener("keydown", onKey);
}, (why) => document.querySelector("header").after(element("p", {
  className: "warning", textContent: `The pictures cannot be drawn (${why}). A browser of 2023 or later can.`})));
