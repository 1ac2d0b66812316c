// What the page shows, and the questions that its parts ask of it.

const contents = JSON.parse(document.getElementById("contents").textContent);

// Starts plotly, which the page holds compressed.
async function startPlotly() {
  const inflate = new DecompressionStream("gzip"), writer = inflate.writable.getWriter();
  writer.write(unpack(document.getElementById("plotly").textContent, Uint8Array));
  writer.close();
  const text = await new Response(inflate.readable).text();
  document.head.append(element("script", {textContent: text}));
}

let results, several, many, swept, anyPattern, anyPort;

// Sets the results that all figures show; many: of more than there are colours.
function showResults(list) {
  results = list;
  several = results.length > 1;
  many = results.length > 8;
  swept = results.some((result) => new Set(result.mhz).size > 1);
  anyPattern = results.some((result) => Object.keys(result.peaks).length > 0);
  anyPort = results.some((result) => result.ports.length > 0);
}
showResults((contents.results ?? []).map(resultOf));  // none on the page of a study

// What the controls have chosen. place: in the first result's curves.
const state = {place: 0, scale: "arrl", line: results[0]?.z0, shown: 0, dark: false, fontSize: 13};

// Theta and phi that the incident wave of a place comes from, null without one.
const waveAt = (result, place) => result.waves && result.waves[0][place] !== null ?
    result.waves.map((angles) => angles[place]) : null;

// What is shown of a place: results have others, of the same frequency, wave and run.
const situation = (result, place) =>
    ({mhz: result.mhz[place], run: result.run[place], wave: waveAt(result, place)});

// Degrees between two waves; from what has none a wave is further off than any other.
function waveOff(a, b) {
  if (!a || !b) return a === b ? 0 : 1000;
  const phi = Math.abs(a[1] - b[1]) % 360;
  return Math.abs(a[0] - b[0]) + Math.min(phi, 360 - phi);
}

// Of the places in a result's curves that which comes nearest to a situation: in its wave, then
// in frequency, and in the same run rather than in another.
function nearestPlace(result, places, {mhz, run, wave}) {
  let best = null, least = Infinity, leastWave = Infinity;
  for (const place of places) {
    const off = Math.abs(result.mhz[place] - mhz) + (result.run[place] === run ? 0 : 1e-9 * mhz);
    const offWave = waveOff(waveAt(result, place), wave);
    if (offWave < leastWave || (offWave === leastWave && off < least)) {
      [best, least, leastWave] = [place, off, offWave];
    }
  }
  return best;
}

// The place that result k shows: the first one's is the slider's.
function placeOf(k) {
  if (k === 0) return state.place;
  return nearestPlace(results[k], results[k].mhz.keys(), situation(results[0], state.place));
}

// Of points that have something (a cut, currents) the place's own, or that which is nearest.
function nearestPoint(result, points, place) {
  if (points.includes(result.points[place])) return result.points[place];
  const places = points.map((point) => result.place.get(point)).filter((p) => p !== undefined);
  const best = nearestPlace(result, places, situation(result, place));
  return best === null ? null : result.points[best];
}

const mhzOf = (result, point) => result.mhz[result.place.get(point)];

// The peak at a place: of its own run, or of another at the same frequency and of the same wave.
function peakAt(result, place) {
  const points = Object.keys(result.peaks).map(Number);
  const point = nearestPoint(result, points, place);
  if (point === null) return null;
  const off = Math.abs(mhzOf(result, point) - result.mhz[place]);
  const sameWave = waveOff(waveAt(result, result.place.get(point)), waveAt(result, place)) === 0;
  return sameWave && off <= 1e-6 * result.mhz[place] ? result.peaks[point] : null;
}

function vswr(r, x, line) {
  if (r === null) return null;
  const above = Math.hypot(r - line, x), below = Math.hypot(r + line, x);
  return above >= below * (1 - 1e-12) ? Infinity : (below + above) / (below - above);
}

// Of a scale the radius, 1 at the rim, of what is so many dB below it.
function radius(below, scale) {
  return scale === "arrl" ? Math.pow(0.89, -below / 2) : Math.max(0, 1 + below / 40);
}

// The port that figures speak of where there are several: the first that is fed.
function fedPort(result, place) {
  return Math.max(0, result.r.findIndex((values) => values[place] !== null));
}

function finite(value) { return value !== null && Number.isFinite(value); }
const fixed = (value, digits) => finite(value) ? value.toFixed(digits).replace("-", "−") :
    value === Infinity ? "∞" : "–";
function short(value, digits = 4) {
  if (!finite(value)) return value === Infinity ? "∞" : "–";
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}
function ohms(r, x) {
  if (!finite(r)) return "–";
  // Both parts to the same decimals, four digits of the whole.
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.hypot(r, x) || 1))));
  return `${fixed(r, digits)} ${x < 0 ? "−" : "+"} j${fixed(Math.abs(x), digits)} Ω`;
}
function counted(count, thing) { return `${count} ${thing}${count === 1 ? "" : "s"}`; }
const megahertz = (value) => `${String(Number(value.toPrecision(7)))} MHz`;
function waveText(result, place) {
  const wave = waveAt(result, place);
  return wave ? `, wave from θ ${wave[0]}°, φ ${wave[1]}°` : "";
}
function frequencyText(result, place) {
  const runs = result.run[result.run.length - 1] > 0 ? `, run ${result.run[place]}` : "";
  return megahertz(result.mhz[place]) + runs + waveText(result, place);
}
// Of a point, as notes below pictures have it.
function pointText(result, point) {
  const place = result.place.get(point);
  return megahertz(result.mhz[place]) + waveText(result, place);
}

// Patterns of an incident wave are scattering cross sections over the wavelength squared.
const CROSS_SECTION_UNIT = "dB of λ²";
const unitAt = (result, place) => waveAt(result, place) ? CROSS_SECTION_UNIT : "dBi";
const unitOf = (result, point) => unitAt(result, result.place.get(point));
// What the results' patterns are in, gains before cross sections: no column or axis holds both.
const gainUnits = () => {
  const units = new Set(results.flatMap((result) => Object.keys(result.peaks).map(Number)
      .filter((point) => result.place.has(point)).map((point) => unitOf(result, point))));
  return ["dBi", CROSS_SECTION_UNIT].filter((unit) => units.has(unit));
};
const gainName = (unit) => `${unit === "dBi" ? "gain" : "cross section"} / ${unit}`;
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// An element with properties and children; text is never read as HTML.
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}
