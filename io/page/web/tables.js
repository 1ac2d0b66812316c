// What stands in words and numbers.

function figuresOf(result, place) {
  const peak = peakAt(result, place), p = fedPort(result, place);
  const r = result.ports.length ? result.r[p][place] : null;
  const x = result.ports.length ? result.x[p][place] : null;
  const efficiency = result.power.efficiency && result.power.efficiency[place];
  return {peak, r, x, vswr: vswr(r, x, state.line), efficiency,
          port: result.ports.length > 1 ? `, port ${result.ports[p]}` : ""};
}

const percent = (share) => share >= 1e-3 ? fixed(100 * share, 1) : short(100 * share, 2);

function directionText({theta, phi}) {
  if (theta === null) return "";
  if (Math.abs(theta) < 1e-9) return "straight up";
  return Math.abs(theta) === 180 ? "straight down" : `at θ ${short(theta)}°, φ ${short(phi)}°`;
}

function fillSummary() {
  const result = results[0], f = figuresOf(result, state.place);
  const entries = [];
  if (f.peak) {
    const unit = unitAt(result, state.place);
    entries.push([unit === "dBi" ? "Gain" : "Cross section",
                  `${fixed(f.peak.gain, 2)} ${unit}`, directionText(f.peak)]);
    if (f.peak.frontToBack !== null) {
      entries.push(["Front to back", `${fixed(f.peak.frontToBack, 1)} dB`, ""]);
    }
    const widths = Object.entries(f.peak.beamwidth);
    if (widths.length) {
      entries.push(["Beamwidth, −3 dB", widths.map(([, w]) => `${fixed(w, 0)}°`).join(" / "),
                    widths.map(([name]) => {
                      const [kind, at] = name.split(", ");
                      return widths.every(([other]) => other.startsWith(kind)) && widths.length > 1 ? at.replace(" = ", " ") : kind.toLowerCase();
                    }).join(" / ")]);
    }
  }
  if (f.r !== null) {
    entries.push([`Impedance${f.port}`, ohms(f.r, f.x), `|Z| ${short(Math.hypot(f.r, f.x))} Ω`]);
    const back = Math.hypot(f.r - state.line, f.x) / Math.hypot(f.r + state.line, f.x);
    entries.push([`VSWR at ${short(state.line)} Ω${f.port}`, f.vswr < 1000 ? fixed(f.vswr, 2) : "∞",
                  back > 0 ? `|S11| ${fixed(20 * Math.log10(back), 1)} dB` : ""]);
  }
  if (finite(f.efficiency)) {
    entries.push(["Efficiency", `${percent(f.efficiency)} %`, "radiated over input"]);
  }
  const list = document.getElementById("figures");
  list.replaceChildren(...entries.map(([name, value, more]) => element(
      "div", {}, element("dt", {textContent: name}), element("dd", {textContent: value}),
      element("dd", {className: "more", textContent: more}))));
  document.getElementById("summary-title").textContent =
      `${several ? `${result.name} at ` : ""}${frequencyText(result, state.place)}`;
}

// A table: head and rows of texts; the first column is its rows' names. The last cell of a row
// that is shorter than the head goes across.
function table(head, rows, caption) {
  const cells = (row, name) => row.map((text, i) => element(
      i === 0 && name === "td" ? "th" : name,
      {textContent: text, scope: name === "th" ? "col" : i === 0 ? "row" : "",
       colSpan: i === row.length - 1 ? head.length - i : 1}));
  return element("table", {}, element("caption", {textContent: caption}),
                 element("thead", {}, element("tr", {}, ...cells(head, "th"))),
                 element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells(row, "td")))));
}

// The results beside each other; behind the first one's values, what is more or less in others.
function fillComparison() {
  if (!several) return;
  const all = results.map((result, k) => ({result, place: placeOf(k),
                                           ...figuresOf(result, placeOf(k))}));
  const kinds = [
    ["Frequency / MHz", (f) => f.result.mhz[f.place], (v) => short(v, 7), 1e-9],
    ["R / Ω", (f) => f.r, (v) => fixed(v, 2), 0.005],
    ["X / Ω", (f) => f.x, (v) => fixed(v, 2), 0.005],
    [`VSWR at ${short(state.line)} Ω`, (f) => f.vswr, (v) => fixed(v, 2), 0.005],
    ...gainUnits().map((unit) => [
      capital(gainName(unit)),
      (f) => f.peak && unitAt(f.result, f.place) === unit ? f.peak.gain : null,
      (v) => fixed(v, 2), 0.005]),
    ["Front to back / dB", (f) => f.peak && f.peak.frontToBack, (v) => fixed(v, 1), 0.05],
    ["Efficiency", (f) => f.efficiency, (v) => fixed(v, 3), 0.0005],
    ["Unknowns", (f) => f.result.unknowns, String, Infinity],
    ["Time / s", (f) => f.result.timings.total ?? null, (v) => fixed(v, 3), Infinity],
  ];
  const rows = [];
  for (const [name, value, text, least] of kinds) {
    const values = all.map(value);
    if (!values.some((v) => finite(v) || v === Infinity)) continue;
    rows.push([name, ...values.map((v, k) => {
      const change = v - values[0];
      const shown = k === 0 || !finite(v) || !finite(values[0]) || Math.abs(change) < least ? "" :
          ` (${change > 0 ? "+" : ""}${text(change)})`;
      return finite(v) || v === Infinity ? text(v) + shown : "–";
    })]);
  }
  document.getElementById("comparison").replaceChildren(table(
      ["", ...results.map((result) => result.name)], rows,
      "Compared: in brackets the difference from the first"));
}

// Each different text of the results once, with the names of those that have it: none where all
// have it.
function sharedBy(textsOf) {
  const owners = new Map();
  for (const result of results) {
    for (const text of new Set(textsOf(result))) {
      owners.set(text, [...(owners.get(text) ?? []), result.name]);
    }
  }
  return [...owners].map(([value, names]) =>
      ({value, names: names.length < results.length ? names.join("; ") : ""}));
}

function fillWarnings() {
  const items = sharedBy((result) => result.warnings).map(({value, names}) => element(
      "li", {className: "warning", textContent: names ? `${names}: ${value}` : value}));
  const list = document.getElementById("warnings");
  list.replaceChildren(...(items.length ? items :
      [element("li", {className: "fine", textContent: "No warnings."})]));
}

// Where the input power goes: a bar for each result.
function fillPower() {
  const box = document.getElementById("power-bars"), bars = [];
  for (const [k, result] of results.entries()) {
    const place = placeOf(k), power = result.power;
    const at = (name) => power[name] ? power[name][place] : null;
    const input = at("input");
    if (!(input > 0)) continue;
    const parts = [["radiated", at("radiated")], ["wires and loads", at("loss")],
                   ["networks", at("network_loss")]];
    const known = parts.every(([, watt]) => watt !== null);
    const rest = known ? input - parts.reduce((sum, [, watt]) => sum + watt, 0) : null;
    if (known && result.structure.ground && rest > 1e-3 * input) parts.push(["ground", rest]);
    const shares = parts.filter(([, watt]) => watt !== null && watt > 5e-4 * input);
    const text = shares.map(([name, watt]) => `${name} ${percent(watt / input)} %`).join(", ");
    bars.push(element(
        "div", {className: "power", role: "img", ariaLabel: text},
        element("span", {textContent: `${several ? `${result.name}: ` : ""}${text} of ${
            short(input)} W` + (known && !result.structure.ground ?
            `; balance ${fixed(1 - rest / input, 4)}` : "")}),
        element("div", {className: "bar"}, ...shares.map(([name, watt], i) => element(
            "i", {className: `share-${name.split(" ")[0]}`, title: name,
                  style: `width: ${Math.min(100, 100 * watt / input)}%`})))));
  }
  box.replaceChildren(...bars);
  return bars.length;
}

function drawPower() {
  const bars = fillPower(), traces = [];
  for (const [k, result] of results.entries()) {
    for (const run of new Set(result.run)) {
      const values = result.power.efficiency || [];
      const places = [...values.keys()].filter((i) => result.run[i] === run && finite(values[i]));
      places.sort((a, b) => result.mhz[a] - result.mhz[b]);
      const of = {mhz: places.map((i) => result.mhz[i]), colour: colour(k), dash: "solid"};
      if (places.length > 1) {
        const name = several && run === result.run[0] ? result.name : "";
        traces.push(curve(of, places.map((i) => 100 * values[i]), name,
                          {legendgroup: result.name}));
      }
    }
  }
  document.querySelector("#power .plot").hidden = traces.length === 0;
  if (bars === 0 && traces.length === 0) return hide("power");
  document.getElementById("power").hidden = false;
  document.querySelector("#power figcaption").textContent = "Power";
  if (traces.length === 0) return;
  const least = Math.min(...traces.flatMap((trace) => trace.y));
  draw("power", "Power and efficiency", "Radiated power over input power.", traces,
       overFrequency("Efficiency / %", {range: [least > 50 ? 50 : 0, 102]}));
}

function fillValues() {
  const most = 1000, rows = [], units = gainUnits();
  const anyWave = results.some((result) => result.waves);
  for (const result of results) {
    for (const place of result.mhz.keys()) {
      const peak = peakAt(result, place), efficiency = result.power.efficiency;
      const ports = [...result.ports.keys()].filter((p) => result.r[p][place] !== null);
      for (const p of ports.length ? ports : [null]) {
        const r = p === null ? null : result.r[p][place], x = p === null ? null : result.x[p][place];
        const wave = waveAt(result, place);
        rows.push([short(result.mhz[place], 7), several ? result.name : null, result.run[place],
                   !anyWave ? null :
                       wave ? wave.map((angle) => `${short(angle)}°`).join(", ") : "–",
                   p === null ? "–" : result.ports[p], short(r, 6), short(x, 6),
                   r === null ? "–" : fixed(vswr(r, x, state.line), 3),
                   ...units.map((unit) =>
                       fixed(peak && unitAt(result, place) === unit ? peak.gain : null, 2)),
                   fixed(peak && peak.frontToBack, 1),
                   efficiency ? short(efficiency[place], 4) : "–"].filter((v) => v !== null));
      }
    }
  }
  const head = ["MHz", several ? "result" : null, "run", anyWave ? "wave from θ, φ" : null,
                "port", "R / Ω", "X / Ω", `VSWR at ${short(state.line)} Ω`, ...units.map(gainName),
                "front to back / dB", "efficiency"].filter((v) => v !== null);
  const caption = rows.length > most ? `The first ${most} of ${rows.length} rows` : "";
  document.querySelector("#values div").replaceChildren(table(head, rows.slice(0, most), caption));
}

// What --gradient gave: of impedances, and of gains towards the maximum of a pattern.
function fillDerivatives() {
  const tables = [];
  for (const [kind, caption, head] of [
    ["impedance", "Of impedances", ["MHz", "port", "symbol", "dR / Ω per unit", "dX / Ω per unit"]],
    ["gain", "Of gains towards the maximum",
     ["MHz", "θ / °", "φ / °", "symbol", "dgain / dB per unit", "dF/B / dB per unit"]],
  ]) {
    const rows = results.flatMap((result) => result.derivatives[kind].map(([mhz, ...row]) => [
      String(mhz), ...(several ? [result.name] : []),
      ...row.map((v) => typeof v === "string" ? v : short(v, 6))]));
    if (several) head.splice(1, 0, "result");
    if (rows.length) tables.push(table(head, rows, caption));
  }
  document.getElementById("derivatives").hidden = tables.length === 0;
  document.querySelector("#derivatives div").replaceChildren(...tables);
}

function fillSolver() {
  const box = document.querySelector("#solver div");
  const ways = results.flatMap((result) => result.solver.map((s) => [
    ...(several ? [result.name] : []), s.name, s.preconditioner, s.operator, s.frequencies,
    s.iterations[0] === s.iterations[1] ? s.iterations[0] : s.iterations.join("–"),
    s.residual === null ? "–" : s.residual.toExponential(1),
    s.missed ? `${s.missed} missed` : "reached", s.why]));
  const head = [...(several ? ["result"] : []), "solver", "preconditioner", "matrix",
                "frequencies", "iterations", "greatest residual", "tolerance", "why"];
  const stages = ["read", "mesh", "fill", "factor", "solve", "post", "write", "total"].filter(
      (stage) => results.some((result) => result.timings[stage] !== undefined));
  const times = table(["s", ...results.map((result) => several ? result.name : "time")],
                      stages.map((stage) => [stage, ...results.map(
                          (result) => fixed(result.timings[stage] ?? null, 3))]), "Timings");
  const origin = [
    ["Segments", (r) => r.structure.segments], ["Unknowns", (r) => r.unknowns],
    ["Frequencies", (r) => r.frequencies], ["Device", (r) => r.device || undefined],
    ["Program", (r) => r.origin.program], ["Command", (r) => r.origin.command],
    ["Solved", (r) => r.origin.created],
  ].filter(([, value]) => results.some((r) => value(r) !== undefined));
  const rows = origin.map(([name, value]) => {
    const values = results.map((r) => String(value(r) ?? "–"));
    return [name, ...(new Set(values).size > 1 ? values : values.slice(0, 1))];
  });
  const differ = rows.some((row) => row.length > 2);
  const where = table(["", ...(differ ? results.map((r) => r.name) : [""])], rows, "Origin");
  // Files of a sweep keep neither times nor what solved.
  box.replaceChildren(
      ...(ways.length ? [element("div", {className: "wide"}, table(head, ways, "Solver"))] : []),
      element("div", {className: "pair wide"}, stages.length ? times : null, where));
}

// The one legend of many results.
function fillLegend() {
  document.getElementById("legend").replaceChildren(...(many ? results : []).map((result, k) => {
    const swatch = element("i");
    swatch.style.background = colour(k);
    return element("li", {}, swatch, result.name);
  }));
}

function fillDecks() {
  document.querySelector("#deck div").replaceChildren(...sharedBy((result) => [result.deck]).flatMap(
      ({value, names}) => [...(names ? [element("h3", {textContent: names})] : []),
                           element("pre", {textContent: value, tabIndex: 0})]));
}

function fillHeader() {
  const first = results[0], s = first.structure;
  document.getElementById("subtitle").textContent = first.comments.slice(0, 4).join("\n");
  const low = Math.min(...first.mhz), high = Math.max(...first.mhz);
  const facts = [
    low === high ? megahertz(low) : `${short(low, 6)} to ${megahertz(high)}`,
    counted(s.segments, "segment"), counted(first.unknowns, "unknown"), first.device && `on ${first.device}`,
    `${short(s.size[0])} × ${short(s.size[1])} × ${short(s.size[2])} m`,
    s.ground || "free space",
    (first.origin.created || "").slice(0, 10),
  ];
  document.getElementById("facts").replaceChildren(...facts.filter((text) => text).map(
      (text) => element("li", {textContent: text})));
}
