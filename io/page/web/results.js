// Results as the pictures take them, made of what the document has of their files.

const MAX_PORTS = 16, MAX_LOADS = 200, MAX_ROWS = 500, MIN_CUT_ANGLES = 9;
const SAME_DB = 0.05;  // weaker cuts and peaks give way
const POLE = 0.03;  // sine of the angle from the z axis within which a peak points along it
const MAX_THETA = 61, MAX_PHI = 121;  // angles of a surface

// Little-endian numbers in base64.
function unpack(text, ArrayType) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return new ArrayType(bytes.buffer);
}

// A number of each complex one, whose parts stand behind one another.
function ofPairs(parts, number) {
  const made = new Float32Array(parts.length / 2);
  for (let i = 0; i < made.length; i++) made[i] = number(parts[2 * i], parts[2 * i + 1]);
  return made;
}

// Indices of at most `most` of so many, evenly, the first and the last among them.
const evenly = (count, most) => Array.from({length: Math.min(count, most)}, (_, i) =>
    count <= most ? i : Math.round(i * (count - 1) / (most - 1)));
const rounded = (value, digits) => value === null ? null : Number(value.toPrecision(digits));
const greatest = (values) => values.reduce((most, value) => Math.max(most, value), -Infinity);

function resultOf(stored) {
  const {points} = stored, names = stored.port_tag.map(
      (tag, p) => `${tag}/${stored.port_segment[p]}${["", " start", " end"][stored.port_gap[p]] ?? ""}`);
  const mhz = stored.frequency_hz.map((hertz) => rounded(hertz / 1e6, 9));
  // Real parts at 2 i, imaginary parts at 2 i + 1.
  const part = (p, offset) => points.map(
      (_, i) => stored.impedance_ohm[2 * (i * names.length + p) + offset]);
  const fed = [...names.keys()].filter((p) => part(p, 0).some((ohm) => ohm !== null));
  const ports = fed.slice(0, MAX_PORTS);
  const patterns = stored.patterns.map((pattern) => ({
    ...pattern, centibel: unpack(pattern.centibel, Int16Array)}));
  const cuts = cutsOf(patterns);
  const peaks = peaksOf(patterns, cuts);
  points.forEach((point, i) => {
    const gain = stored.gain_max_dbi?.[i] ?? null;  // of a sweep's variant all that is kept
    if (gain !== null) peaks[point] = {gain, theta: null, phi: null, frontToBack: null, beamwidth: {}};
  });
  const grids = gridsOf(patterns);
  return {
    ...stored, mhz, cuts, peaks, grids, gridPoints: grids.map((grid) => grid.at),
    // A frequency is known by its index in the result; the curves have some of them.
    place: new Map(points.map((point, i) => [point, i])),
    waves: stored.wave_theta_deg ? [stored.wave_theta_deg, stored.wave_phi_deg] : null,
    ports: ports.map((p) => names[p]), allPorts: fed.length,
    r: ports.map((p) => part(p, 0)), x: ports.map((p) => part(p, 1)),
    solver: solverRows(stored.solver), histories: stored.solver?.histories ?? [], derivatives: derivativeRows(stored, names, mhz),
    structure: structureOf(stored, names),
    comments: stored.deck.split(/\r?\n/).filter((line) => /^cm/i.test(line))
        .map((line) => line.slice(2).trim()).filter((line) => line),
  };
}

// Patterns.

// Gains in dB of a pattern at a point, null where the page has none.
function gainsAt(pattern, point) {
  const size = pattern.theta.length * pattern.phi.length, at = pattern.at.indexOf(point);
  if (at < 0) return null;
  const gains = new Array(size);
  for (let i = 0; i < size; i++) gains[i] = pattern.centibel[at * size + i] / 100;
  return gains;
}

// Whether a pattern can be drawn as a surface: around the z axis, and over a quarter at least.
function isGrid({theta, phi}) {
  const span = (angles) => Math.abs(angles.at(-1) - angles[0]);
  return Math.min(theta.length, phi.length) >= 7 && span(phi) > 345 && span(theta) > 85;
}

// The direction of a pattern's peak at a point, as numbers of its angles: gains here are rounded,
// so that several may be the greatest.
function peakOf({theta, phi, peaks}, gain, at) {
  const [, , toTheta, toPhi] = peaks.find(([point]) => point === at) ?? [];
  const near = (angles, to) => angles.findIndex((angle) => Math.abs(angle - to) < 1e-6);
  const row = near(theta, toTheta), column = near(phi, toPhi), top = gain.indexOf(greatest(gain));
  return row >= 0 && column >= 0 ? [row, column] : [Math.floor(top / phi.length), top % phi.length];
}

// The plane through a pattern's peak, null where it has no such circle. Elevations go from the
// horizon in the peak's direction (0) over the zenith (90).
function cutOf(pattern, gain, at, kind) {
  const {theta, phi} = pattern, columns = phi.length, [row, column] = peakOf(pattern, gain, at);
  const pole = Math.sin(theta[row] * Math.PI / 180) < POLE;
  let toPhi = phi[pole ? 0 : column];  // at a pole all are the same
  if (kind === "azimuth" && pole) {
    // Around the zenith there is nothing to see: the plane across instead.
    kind = "elevation";
    toPhi = (toPhi + 90) % 360;
    if (!phi.some((angle) => Math.abs(angle - toPhi) < 1e-6)) return null;
  }
  const along = kind === "azimuth" ? phi : theta;
  if (along.length < MIN_CUT_ANGLES || along[0] === along.at(-1)) return null;
  if (kind === "azimuth") {
    return {angle: phi, gain: gain.slice(row * columns, (row + 1) * columns),
            name: `Azimuth, θ = ${short(theta[row], 6)}°`};
  }
  const meridian = (column, sign) => theta.map(
      (angle, t) => [90 + sign * angle, gain[t * columns + column]]);
  const off = (angle, to) => Math.abs(((angle - to) % 360 + 540) % 360 - 180);
  const back = phi.findIndex((angle) => off(angle, toPhi + 180) < 1e-6);
  const plane = meridian(phi.findIndex((angle) => Math.abs(angle - toPhi) < 1e-6), -1);
  if (back >= 0) plane.push(...meridian(back, 1));
  plane.sort((a, b) => a[0] - b[0]);
  return {angle: plane.map(([angle]) => angle), gain: plane.map(([, value]) => value),
          name: `Elevation, φ = ${short(toPhi % 360, 6)}°`};
}

// At each point the finest of the strongest cuts.
function cutsOf(patterns) {
  const cuts = {azimuth: [], elevation: []};
  const step = ({angle}) => Math.abs(angle.at(-1) - angle[0]) / (angle.length - 1);
  for (const at of new Set(patterns.flatMap((pattern) => pattern.at))) {
    const here = patterns.map((pattern) => [pattern, gainsAt(pattern, at)]).filter(([, gain]) => gain);
    for (const kind of Object.keys(cuts)) {
      const found = here.map(([pattern, gain]) => cutOf(pattern, gain, at, kind))
          .filter((cut) => cut).map((cut) => ({...cut, at, most: greatest(cut.gain)}));
      const most = greatest(found.map((cut) => cut.most));
      const best = found.filter((cut) => cut.most >= most - SAME_DB)
          .sort((a, b) => step(a) - step(b))[0];
      if (best) cuts[kind].push(best);
    }
  }
  return cuts;
}

// Degrees between the points 3 dB below the peak on either side of it, null where the curve does
// not fall so far.
function beamwidth(angle, gain) {
  const closed = Math.abs(Math.abs(angle.at(-1) - angle[0]) - 360) < 1e-6;
  const count = gain.length - (closed ? 1 : 0), peak = gain.indexOf(greatest(gain));
  const step = Math.abs(angle[1] - angle[0]), half = gain[peak] - 3;
  const at = (i) => closed ? gain[(i + count) % count] : gain[i];
  let width = 0;
  for (const way of [1, -1]) {
    let i = 1;
    while (i < count && at(peak + way * i) > half) i++;
    const high = at(peak + way * (i - 1)), low = at(peak + way * i);
    if (i === count || low === undefined) return null;
    width += step * (i - 1 + (high - half) / (high - low));
  }
  return width;
}

// At each point the strongest peak.
function peaksOf(patterns, cuts) {
  const all = new Map(), peaks = {};
  for (const pattern of patterns) {
    for (const [point, gain, theta, phi, frontToBack] of pattern.peaks) {
      const size = pattern.theta.length * pattern.phi.length;
      all.set(point, [...(all.get(point) ?? []), {gain, theta, phi, frontToBack, size}]);
    }
  }
  for (const [point, here] of all) {
    here.sort((a, b) => Math.round(100 * b.gain) - Math.round(100 * a.gain) || b.size - a.size);
    const {gain, theta, phi} = here[0];
    const ratio = here.find((peak) => peak.gain > gain - SAME_DB && peak.frontToBack !== null);
    const widths = Object.values(cuts).flatMap((list) => list.filter((cut) => cut.at === point))
        .map((cut) => [cut.name, beamwidth(cut.angle, cut.gain)]).filter(([, width]) => width !== null);
    // NEC decks go over the zenith by negative theta.
    peaks[point] = {gain, theta: Math.abs(theta), phi: (theta < 0 ? phi + 180 : phi) % 360,
                    frontToBack: ratio?.frontToBack ?? null, beamwidth: Object.fromEntries(widths)};
  }
  return peaks;
}

// At each point the largest grid, thinned evenly.
function gridsOf(patterns) {
  const grids = new Map();
  for (const pattern of patterns.filter(isGrid)) {
    const size = pattern.theta.length * pattern.phi.length;
    const rows = evenly(pattern.theta.length, MAX_THETA), columns = evenly(pattern.phi.length, MAX_PHI);
    for (const at of pattern.at) {
      if (grids.get(at)?.size >= size) continue;
      grids.set(at, {at, size, theta: rows.map((t) => pattern.theta[t]), phi: columns.map((p) => pattern.phi[p]),
                     gains: () => { const all = gainsAt(pattern, at); return rows.flatMap(
                         (t) => columns.map((p) => all[t * pattern.phi.length + p])); }});
    }
  }
  return [...grids.values()].sort((a, b) => a.at - b.at);
}

// Tables.

// A row for each way in which frequencies were solved.
function solverRows(solver) {
  const rows = new Map();
  (solver?.name ?? []).forEach((name, f) => {
    const {preconditioner, operator, why, iterations, relative_residual: residual} = solver;
    const key = JSON.stringify([name, preconditioner[f], operator[f]]);
    const row = rows.get(key) ?? {name, preconditioner: preconditioner[f], operator: operator[f], why: why[f],
                                  frequencies: 0, iterations: [Infinity, 0], residual: 0, missed: 0};
    rows.set(key, row);
    row.frequencies++;
    row.iterations = [Math.min(row.iterations[0], iterations[f]), Math.max(row.iterations[1], iterations[f])];
    row.residual = Math.max(row.residual, residual[f]);
    row.missed += solver.converged[f] ? 0 : 1;
  });
  return [...rows.values()];
}

// Derivatives by symbols, of the first frequencies where there are many.
function derivativeRows({symbols, points, patterns, impedance_derivative_ohm: ohm}, ports, mhz) {
  const impedance = [], gain = [], place = new Map(points.map((point, i) => [point, i]));
  for (let i = 0; ohm && 2 * i < ohm.length; i++) {
    const row = Math.floor(i / symbols.length);
    if (ohm[2 * i] !== null) {
      impedance.push([mhz[Math.floor(row / ports.length)], ports[row % ports.length],
                      symbols[i % symbols.length], ohm[2 * i], ohm[2 * i + 1]]);
    }
  }
  for (const {peaks, derivatives} of patterns.filter((pattern) => pattern.derivatives)) {
    derivatives.gain_db.forEach((value, i) => {
      const row = Math.floor(i / symbols.length), at = place.get(peaks[row][0]);
      if (value === null || at === undefined) return;
      gain.push([mhz[at], derivatives.theta_deg[row], derivatives.phi_deg[row], symbols[i % symbols.length],
                 value, derivatives.front_to_back_db[i]]);
    });
  }
  return {impedance: impedance.slice(0, MAX_ROWS), gain: gain.slice(0, MAX_ROWS)};
}

// The antenna.

function loadText({kind, value: [a, b, c]}) {
  const parts = [[a, "Ω"], [b, "H"], [c, "F"]].filter(([value]) => value).map(
      ([value, unit]) => `${short(value, 6)} ${unit}`);
  return {
    series_rlc: `series ${parts.join(", ") || "R, L, C of 0"}`,
    parallel_rlc: `parallel ${parts.join(", ") || "R, L, C of 0"}`,
    series_rlc_per_metre: "series R, L, C per metre",
    parallel_rlc_per_metre: "parallel R, L, C per metre",
    impedance: `${short(a, 6)} ${b < 0 ? "−" : "+"} j${short(Math.abs(b), 6)} Ω`,
    conductivity: `conductivity ${short(a, 6)} S/m`,
  }[kind] ?? kind;
}

function groundText({kind, relative_permittivity: permittivity, conductivity_s_per_m: conductivity}) {
  if (kind === "perfect") return "perfect ground";
  const way = {sommerfeld: "by Sommerfeld's integrals", coefficients: "by reflection coefficients",
               mininec: "for the far field (as MININEC)"}[kind];
  return `real ground ${way}, ε ${short(permittivity, 6)}, ${short(conductivity, 6)} S/m`;
}

// Where so many segments are, which these indices are of those drawn.
function placeText(indices, tags) {
  if (indices.length === tags.length) return "all wires";
  const tag = tags[indices[0]], many = counted(indices.length, "segment");
  if (tag === 0 || indices.some((i) => tags[i] !== tag)) return many;
  return indices.length === tags.filter((other) => other === tag).length ? `tag ${tag}` :
      `${many} of tag ${tag}`;
}

function structureOf({antenna, port_tag: tag, port_segment: segment, port_gap: gaps}, names) {
  const {segments, tags, numbers} = antenna, drawn = tags.length;
  const ends = unpack(antenna.ends, Float32Array), current = unpack(antenna.current, Float32Array);
  const axes = [0, 1, 2].map((axis) => ends.filter((_, i) => i % 3 === axis));
  const low = axes.map((values) => rounded(-greatest(values.map((value) => -value)), 6));
  const high = axes.map((values) => rounded(greatest(values), 6));
  // Of a segment of the antenna the place among those drawn, and its centre, start (gap 1) or end (2).
  const placeOf = (index) => segments <= drawn ? index : Math.round(index * (drawn - 1) / (segments - 1));
  const point = (i, gap) => [0, 1, 2].map((axis) => {
    const start = ends[6 * i + axis], end = ends[6 * i + 3 + axis];
    return rounded([(start + end) / 2, start, end][gap], 6);
  });
  const loaded = new Map(), loads = [], spread = [];
  for (const load of antenna.loads) {
    const key = JSON.stringify([load.lumped, loadText(load), load.gap]), indices = loaded.get(key) ?? new Set();
    for (let i = load.first; i <= load.last && i < segments; i++) indices.add(placeOf(i));
    loaded.set(key, indices);
  }
  for (const [key, set] of loaded) {
    const [lumped, text, gap] = JSON.parse(key), indices = [...set];
    if (lumped && loads.length + indices.length <= MAX_LOADS) {
      loads.push(...indices.map((i) => ({xyz: point(i, gap), text})));
    } else {
      spread.push(`${text} on ${placeText(indices, tags)}`);
    }
  }
  const lines = new Map(antenna.networks.map(({kind, segment: between, gap, impedance_ohm: ohm, crossed, length_m: length}) => {
    const text = kind === "line" ? `line of ${short(Math.abs(ohm), 6)} Ω${crossed ? ", crossed" : ""}, ${
        short(length, 6)} m` : "network";
    return [JSON.stringify([between, gap, text]), {
      text, ends: between.map((index, end) => point(placeOf(index), gap[end]))}];
  }));
  const ports = names.map((name, p) => [name, tags.findIndex(
      (_, i) => tags[i] === tag[p] && numbers[i] === segment[p]), gaps[p]]).filter(([, i]) => i >= 0);
  return {
    segments, drawn, ends, tags, numbers, low, high, size: axes.map((_, i) => rounded(high[i] - low[i], 4)),
    ports: ports.map(([name, i, gap]) => ({xyz: point(i, gap), text: `port ${name}`})), loads, spread,
    lines: [...lines.values()], ground: antenna.ground ? groundText(antenna.ground) : null,
    currents: {
      at: antenna.current_at,
      ampere: ofPairs(current, Math.hypot),
      degree: ofPairs(current, (re, im) => Math.atan2(im, re) * 180 / Math.PI),
    },
  };
}
