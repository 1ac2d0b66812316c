// The deck as text: its cards, their fields, and numbers in them that the page changes.

const END = ["x1", "y1", "z1", "x2", "y2", "z2"];
const PLACE = ["tag", "segment"];
const LOAD = ["kind", "tag", "first segment", "last segment"];

// What each card is, and its fields by name.
export const CARDS = {
  CM: ["comment"], CE: ["end of comments"], SY: ["symbols: name=value, name=value"],
  GW: ["wire", "tag", "segments", ...END, "radius"],
  GC: ["taper of the wire above", "0", "0", "length ratio", "first radius", "last radius"],
  GA: ["arc in the xz plane", "tag", "segments", "arc radius", "first angle", "last angle", "wire radius"],
  GH: ["helix", "tag", "segments", "turn spacing", "length", "x radius at start", "y radius at start",
       "x radius at end", "y radius at end", "wire radius"],
  GM: ["move or copy", "tag increment", "copies", "rotate x", "rotate y", "rotate z", "move x", "move y", "move z", "from tag"],
  GX: ["reflect", "tag increment", "planes xyz (100, 010, 001)"], GR: ["copy around z", "tag increment", "total number"],
  GS: ["scale everything", "0", "0", "factor"], GE: ["end of geometry", "ground: 0 none, 1 connected, -1 not connected"],
  GF: ["matrix kept in a file", "0", "file"],
  FR: ["frequencies", "0 linear, 1 by a factor", "count", "0", "0", "MHz", "step"],
  EX: ["excitation", "kind: 0 volt, 1-3 plane wave, 5 gap, 6 ampere", "tag or thetas", "segment or phis", "0",
       "real part or theta", "imaginary part or phi", "eta", "theta step", "phi step", "axial ratio"],
  LD: ["load", ...LOAD, "R, S/m or real part", "L, or imaginary part", "C"],
  IS: ["insulation", "0", ...LOAD.slice(1), "permittivity", "conductivity", "outer radius"],
  GN: ["ground", "kind: -1 none, 0 coefficients, 1 perfect, 2 Sommerfeld, 3 MININEC", "radials", "0", "0", "permittivity",
       "conductivity", "radial length", "radial radius"],
  GD: ["second ground", "0", "0", "0", "0", "permittivity", "conductivity", "distance", "height below"],
  TL: ["transmission line", ...PLACE, ...PLACE, "impedance (negative: crossed) or cable", "length", "G1", "B1", "G2", "B2", "dB per 100 m",
       "at MHz", "velocity factor"],
  LN: ["ladder network", ...PLACE, ...PLACE, ...Array(20).fill(["part: S (series) or P (across) and a type of LD, or T", "R, Q or turns", "L", "C"]).flat()],
  NT: ["two-port", ...PLACE, ...PLACE, "Y11 real", "Y11 imaginary", "Y12 real", "Y12 imaginary", "Y22 real", "Y22 imaginary"],
  CP: ["coupling", ...PLACE, ...PLACE], EK: ["extended kernel (no effect)"], KH: ["interaction distance (no effect)"],
  RP: ["pattern", "mode", "thetas", "phis", "XNDA", "theta", "phi", "theta step", "phi step", "distance"],
  NE: ["near electric field", "0 xyz, 1 spherical", "nx", "ny", "nz", "x", "y", "z", "dx", "dy", "dz"],
  NH: ["near magnetic field", "0 xyz, 1 spherical", "nx", "ny", "nz", "x", "y", "z", "dx", "dy", "dz"],
  Z0: ["reference impedance", "ohm"], PT: ["currents to print", "kind", "tag", "first", "last"], PQ: ["charges to print", "kind", "tag", "first", "last"],
  XQ: ["run", "cuts"], WG: ["keep the matrix", "file"], NX: ["next structure"], EN: ["end"],
};

const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?`;
const UNIT = "mm|cm|m|in|ft|pF|nF|uF|pH|nH|uH|mH";
const LITERAL = new RegExp(`^(${NUMBER})\\s*(${UNIT})?$`, "i");
const SCALED_SYMBOL = new RegExp(`^([+-]?)(?:(${NUMBER})\\*)?([A-Za-z_]\\w*)(?:([*/])(${NUMBER}))?$`);
const METRES = {mm: 1e-3, cm: 1e-2, m: 1, in: 0.0254, ft: 0.3048};
const parsed = (text) => Number(text.replace(/[dD]/, "e"));

// Where a line's comment begins, which is not an AWG radius (#12).
function commentAt(line) {
  const found = /[!']|#(?!\d)/.exec(line);
  return found ? found.index : line.length;
}

// A line's card and fields with their columns; null for what is no card. Fields end at blanks
// and commas outside of parentheses; of SY each definition is one.
export function cardOf(line) {
  const match = /^\s*([A-Za-z][A-Za-z0-9])/.exec(line);
  if (!match) return null;
  const card = match[1].toUpperCase(), fields = [];
  const start = match[0].length, end = /^C[ME]$/.test(card) ? start : commentAt(line);
  const blanks = card === "SY" ? /,/ : /[\s,]/;
  let from = -1, depth = 0;
  for (let i = start; i <= end; i++) {
    const letter = line[i] ?? "";
    if (i === end || (depth === 0 && blanks.test(letter))) {
      if (from >= 0) fields.push({from, to: i, text: line.slice(from, i).trim()});
      from = -1;
    } else if (from < 0 && !/\s/.test(letter)) {
      from = i;
    }
    depth += letter === "(" ? 1 : letter === ")" ? -1 : 0;
  }
  return {card, fields, end, at: start - 2};
}

// Symbols that are plain numbers, maybe with a unit: where in the text, and their value.
export function symbolsOf(text) {
  const symbols = [];
  let start = 0;
  for (const line of text.split("\n")) {
    const card = cardOf(line);
    if (card?.card === "SY") {
      for (const field of card.fields) {
        const [, left, right] = /^([^=]*=\s*)(.*)$/.exec(field.text) ?? [];
        const literal = LITERAL.exec(right?.trim() ?? "");
        if (!literal) continue;
        const from = start + field.from + left.length;
        symbols.push({name: left.split("=")[0].trim(), value: parsed(literal[1]), unit: literal[2] ?? "",
                      from, to: from + literal[1].length});
      }
    }
    start += line.length + 1;
  }
  return symbols;
}

// Names of all symbols, for completion.
export const symbolNames = (text) => [...text.matchAll(/^\s*SY\s+(.*)$/gim)].flatMap(
    ([, list]) => [...list.matchAll(/([A-Za-z_]\w*)\s*=/g)].map(([, name]) => name));

// A number with as many digits as a step needs, and no more.
export function numberText(value, step) {
  const digits = Math.max(0, Math.min(12, -Math.floor(Math.log10(step) + 1e-9)));
  return String(Number(value.toFixed(digits)));
}

// The changes that make a field of a line have this value in metres: of the number itself, or of
// the symbol that it is a multiple of. Null where it is another formula.
export function changeField(text, lineNumber, field, value, step) {
  const lines = text.split("\n");
  const start = lines.slice(0, lineNumber - 1).reduce((sum, line) => sum + line.length + 1, 0);
  const line = lines[lineNumber - 1], at = cardOf(line)?.fields[field - 1];
  if (!at) return null;
  const literal = LITERAL.exec(at.text);
  if (literal) {
    const scale = literal[2] ? METRES[literal[2].toLowerCase()] : 1;
    if (!scale) return null;
    return [{from: start + at.from, to: start + at.from + literal[1].length,
             insert: numberText(value / scale, step / scale)}];
  }
  const scaled = SCALED_SYMBOL.exec(at.text.replace(/^\((.*)\)$/, "$1"));
  const symbol = scaled && symbolsOf(text).find(({name}) => name.toLowerCase() === scaled[3].toLowerCase());
  if (!symbol) return null;
  const factor = (scaled[1] === "-" ? -1 : 1) * (scaled[2] ? parsed(scaled[2]) : 1) *
      (scaled[4] === "*" ? parsed(scaled[5]) : scaled[4] === "/" ? 1 / parsed(scaled[5]) : 1) *
      (METRES[symbol.unit.toLowerCase()] ?? 1);
  return factor ? [{from: symbol.from, to: symbol.to,
                    insert: numberText(value / factor, Math.abs(step / factor))}] : null;
}
