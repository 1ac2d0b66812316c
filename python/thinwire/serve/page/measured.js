// Measured data: Touchstone (.s1p, .s2p) and tables (.csv) of a network analyser.

const HERTZ = {hz: 1, khz: 1e3, mhz: 1e6, ghz: 1e9};

// Frequencies and impedances of a file's first port: {name, hz, r, x}. Throws where there are none.
export function readMeasured(name, text) {
  const rows = /\.s\dp$/i.test(name) ? touchstone(text) : table(text);
  if (!rows.length) throw new Error(`${name}: holds no frequencies with S11 or impedance.`);
  rows.sort((a, b) => a[0] - b[0]);
  return {name, hz: rows.map((row) => row[0]), r: rows.map((row) => row[1]), x: rows.map((row) => row[2])};
}

// The impedance of a reflection coefficient.
function impedance(re, im, z0) {
  const below = (1 - re) ** 2 + im ** 2;
  return [z0 * (1 - re * re - im * im) / below, 2 * z0 * im / below];
}

function touchstone(text) {
  let unit = 1e9, format = "MA", z0 = 50;
  const rows = [];
  for (const line of text.split(/\r?\n/)) {
    const plain = line.split("!")[0].trim();
    if (plain.startsWith("#")) {
      const words = plain.slice(1).trim().toUpperCase().split(/\s+/);
      unit = HERTZ[words[0]?.toLowerCase()] ?? unit;
      if (words[1] && words[1] !== "S") throw new Error("only S-parameters are read.");
      format = words[2] ?? format;
      if (words[3] === "R") z0 = Number(words[4]);
      continue;
    }
    const [f, a, b] = plain.split(/\s+/).map(Number);
    if (!plain || ![f, a, b].every(Number.isFinite)) continue;
    const angle = b * Math.PI / 180, size = format === "DB" ? 10 ** (a / 20) : a;
    const [re, im] = format === "RI" ? [a, b] : [size * Math.cos(angle), size * Math.sin(angle)];
    rows.push([f * unit, ...impedance(re, im, z0)]);
  }
  return rows;
}

// Columns by their names: R and X, or real and imaginary part of S11; without names the first three,
// an impedance.
function table(text) {
  const lines = text.split(/\r?\n/).map((line) => line.split(/[,;\t]/).map((cell) => cell.trim().replace(/^"|"$/g, "")));
  const first = lines.findIndex((cells) => cells.length > 2 && cells.slice(0, 3).every((cell) => cell !== "" && Number.isFinite(Number(cell))));
  if (first < 0) return [];
  const head = (lines[first - 1] ?? []).map((cell) => cell.toLowerCase());
  const find = (...patterns) => head.findIndex((cell) => patterns.some((pattern) => pattern.test(cell)));
  const f = Math.max(0, find(/freq/)), re = find(/s11.*re|re.*s11|^real/), im = find(/s11.*im|im.*s11|^imag/);
  const r = find(/^r\b|resist|re\(z|^z.*re/), x = find(/^x\b|react|im\(z|^z.*im/);
  const unit = HERTZ[/[kmg]?hz/.exec(head[f] ?? "")?.[0]] ?? 1;
  return lines.slice(first).filter((cells) => cells.length > 2).map((cells) => {
    const at = (column, other) => Number(cells[column < 0 ? other : column]);
    return [at(f, 0) * unit, ...(re >= 0 && im >= 0 ? impedance(at(re), at(im), 50) : [at(r, 1), at(x, 2)])];
  }).filter((row) => row.every(Number.isFinite));
}

// As the report's curves take a result: impedances, and nothing else.
export function resultOfMeasured({name, hz, r, x}) {
  const points = hz.map((_, i) => i);
  return {
    name, mhz: hz.map((value) => value / 1e6), points, run: points.map(() => 0), place: new Map(points.map((i) => [i, i])),
    waves: null, ports: ["1"], allPorts: 1, r: [r], x: [x], peaks: {}, cuts: {azimuth: [], elevation: []}, grids: [], gridPoints: [],
    power: {}, warnings: [], unknowns: null, timings: {}, z0: 50, measured: {name, hz, r, x},
    structure: {ground: null},
  };
}
