// The figures in a plane: over frequency, polar, the Smith chart.

const COLOURS = {
  light: ["#1f5fbf", "#cf3f4f", "#1f8a5f", "#7d4fc4", "#b86e00", "#1d7f95", "#a23b82", "#6b7280"],
  dark: ["#74aaff", "#ff8088", "#5fd3a0", "#c2a1ff", "#f3b64e", "#6fcfe4", "#f08fcb", "#a8b0bd"],
};
const DASHES = ["solid", "dash", "dot", "dashdot"];

// Of more results than there are colours (a sweep's variants): from blue to red in their order,
// with one legend above all pictures.
const colour = (i) => !many ? COLOURS[state.dark ? "dark" : "light"][i % 8] :
    `hsl(${Math.round(240 * (1 - i / (results.length - 1)))} 65% ${state.dark ? 65 : 42}%)`;
const style = (name) =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Draws a figure into the element with this id: caption, plot, note. The plot is an image
// to those who cannot see it, with the note as its text.
function draw(id, caption, note, traces, layout) {
  const figure = document.getElementById(id);
  figure.hidden = false;
  figure.querySelector("figcaption").textContent = caption;
  figure.querySelector(".note").textContent = note;
  const plot = figure.querySelector(".plot");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `${caption}. ${note}`);
  const full = Object.assign({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", autosize: true,
    font: {family: "system-ui, sans-serif", size: state.fontSize, color: style("--text")},
    margin: {l: 56, r: 14, t: 10, b: 46}, uirevision: id, hovermode: "closest",
    hoverlabel: {bgcolor: style("--card"), bordercolor: style("--line"),
                 font: {color: style("--text")}},
    modebar: {bgcolor: "rgba(0,0,0,0)", color: style("--line"), activecolor: style("--link")},
    showlegend: many ? false : undefined,
    legend: {orientation: "h", y: 1.02, yanchor: "bottom", x: 0, font: {size: 12}},
  }, layout);
  Plotly.react(plot, traces, full, {
    responsive: true, displaylogo: false, scrollZoom: false, plotlyServerURL: "",
    // "Share chart" would send the data to plotly's server.
    modeBarButtonsToRemove: ["sendChartToCloud", "select2d", "lasso2d", "autoScale2d", "hoverClosest3d",
                             "tableRotation", "resetCameraLastSave3d", "orbitRotation"],
    toImageButtonOptions: {format: results.length ? "png" : "svg", scale: 2, filename: `${contents.title} ${id}`},
  });
  return plot;
}

const hide = (id) => { document.getElementById(id).hidden = true; };

const axis = (title, more = {}) => Object.assign({
  title: {text: title, standoff: 8}, gridcolor: style("--grid"), zeroline: false,
  linecolor: style("--line"), ticks: "outside", tickcolor: style("--line"),
  automargin: true,
}, more);

// Whether an earlier run has the same impedance at the same frequency.
const repeats = (result, p, place) => result.mhz.some(
    (mhz, i) => result.run[i] < result.run[place] && mhz === result.mhz[place] &&
        result.r[p][i] !== null &&
        Math.hypot(result.r[p][i] - result.r[p][place], result.x[p][i] - result.x[p][place]) <
            1e-4 * Math.hypot(result.r[p][place], result.x[p][place]));

// Of all results: each port's curve in each run, with the name that legends have.
function* portCurves() {
  for (const [k, result] of results.entries()) {
    const runs = [...new Set(result.run)];
    const curves = [];
    for (const [p, port] of result.ports.entries()) {
      for (const run of runs) {
        const places = [...result.mhz.keys()].filter(
            (i) => result.run[i] === run && result.r[p][i] !== null);
        if (places.every((i) => repeats(result, p, i))) continue;
        places.sort((a, b) => result.mhz[a] - result.mhz[b]);
        const parts = [several ? result.name : "", result.ports.length > 1 ? `port ${port}` : "",
                       runs.length > 1 ? `run ${run}` : ""];
        curves.push({k, p, result, run, places, mhz: places.map((i) => result.mhz[i]), parts});
      }
    }
    for (const c of curves) {
      const oneRun = curves.every((other) => other.run === c.run);
      c.name = c.parts.slice(0, oneRun ? 2 : 3).filter((part) => part).join(", ");
      c.colour = colour(several ? c.k : result.ports.length > 1 ? c.p : runs.indexOf(c.run));
      c.dash = DASHES[several ? c.p % 4 : 0];
      yield c;
    }
  }
}

// One curve over frequency; a single value is a dot.
function curve(of, values, name, more = {}) {
  return Object.assign({
    type: "scatter", x: of.mhz, y: values, name, showlegend: name !== "",
    mode: values.filter(Number.isFinite).length === 1 ? "markers" : "lines",
    line: {color: of.colour, dash: of.dash, width: 2}, marker: {color: of.colour, size: 8},
    hovertemplate: `%{x} MHz: %{y:.4~g}<extra>${name}</extra>`,
  }, more);
}

// The vertical line at the slider's frequency.
const cursor = () => [{
  type: "line", xref: "x", yref: "paper", x0: results[0].mhz[state.place],
  x1: results[0].mhz[state.place], y0: 0, y1: 1,
  line: {color: style("--accent"), width: 1.5, dash: "dot"},
}];

const overFrequency = (title, more = {}) => ({
  xaxis: axis("Frequency / MHz"), yaxis: axis(title, more), shapes: swept ? cursor() : [],
});

function drawImpedance() {
  const traces = [], curves = [...portCurves()];
  if (curves.length === 0) return hide("impedance");
  if (!swept) return results[0].ports.length > 1 ? drawPorts() : hide("impedance");
  const one = curves.length === 1;
  for (const c of curves) {
    const r = c.places.map((i) => c.result.r[c.p][i]), x = c.places.map((i) => c.result.x[c.p][i]);
    traces.push(curve(c, r, one ? "R" : c.name, {legendgroup: c.name}));
    traces.push(curve(c, x, one ? "X" : c.name, {
      legendgroup: c.name, showlegend: one, line: {color: one ? colour(1) : c.colour, dash: one ? "solid" : "dash", width: 2},
      marker: {color: one ? colour(1) : c.colour, size: 8, symbol: "diamond-open"},
    }));
  }
  const what = one ? "Impedance" : "R (solid), X (dashed)";
  const layout = overFrequency(`${what} / Ω`, {zeroline: true, zerolinecolor: style("--line")});
  const place = state.place, first = results[0], p = fedPort(first, place);
  const at = first.ports.length ? `${frequencyText(first, place)}: ` +
      ohms(first.r[p][place], first.x[p][place]) + "." : "";
  return draw("impedance", "Input impedance", at + leftOut(), traces, layout);
}

const leftOut = () => results.filter((r) => r.allPorts > r.ports.length).map(
    (r) => ` ${r.ports.length} of ${r.allPorts} ports are shown.`).join("");

// At a single frequency: R and X of port after port.
function drawPorts() {
  const traces = [];
  for (const [k, result] of results.entries()) {
    const place = placeOf(k), ports = result.ports;
    for (const [part, values] of [["R", result.r], ["X", result.x]]) {
      traces.push({
        type: "bar", x: ports, y: values.map((of) => of[place]),
        name: several ? `${result.name} ${part}` : part,
        marker: {color: colour(several ? k : part === "R" ? 0 : 1),
                 pattern: {shape: several && part === "X" ? "/" : ""}},
        hovertemplate: "port %{x}: %{y:.4~g} Ω<extra></extra>",
      });
    }
  }
  return draw("impedance", "Input impedance of each port",
              `${frequencyText(results[0], state.place)}.${leftOut()}`, traces,
              {xaxis: axis("Port", {type: "category"}), yaxis: axis("Impedance / Ω")});
}

function drawVswr() {
  if (!anyPort || !swept) return hide("vswr");
  const traces = [];
  let highest = 1;
  for (const c of portCurves()) {
    const ratios = c.places.map((i) => vswr(c.result.r[c.p][i], c.result.x[c.p][i], state.line));
    highest = Math.max(highest, ...ratios.filter(Number.isFinite));
    traces.push(curve(c, ratios.map((v) => Number.isFinite(v) ? v : null), c.name));
  }
  const range = [1, Math.min(Math.max(3, 1.05 * highest), 10)];
  const layout = overFrequency(`VSWR at ${short(state.line)} Ω`, {range});
  layout.shapes = [...layout.shapes, {
    type: "line", xref: "paper", x0: 0, x1: 1, y0: 2, y1: 2,
    line: {color: style("--line"), width: 1, dash: "dash"}}];
  return draw("vswr", "Standing wave ratio", bandNote(traces), traces, layout);
}

// Where the first curve stays below 2.
function bandNote(traces) {
  const {x, y, name} = traces[0];
  const below = [...y.keys()].filter((i) => y[i] !== null && y[i] <= 2);
  if (x.length < 2) return "";
  const least = Math.min(...y.filter((v) => v !== null));
  if (!Number.isFinite(least)) return "";
  const from = `${several ? `${name}: least` : "Least"} ${fixed(least, 2)} at ${
      megahertz(x[y.indexOf(least)])}.`;
  return below.length ? `${from} At most 2 ${below.length === x.length ? "everywhere" :
      `at ${below.length} of ${x.length} frequencies`}.` : from;
}

function drawSmith() {
  if (!anyPort) return hide("smith");
  const traces = [], at = {real: [], imag: [], text: []}, colours = [];
  let outside = 0;
  for (const c of swept ? portCurves() : []) {
    const inside = c.places.filter((i) => c.result.r[c.p][i] >= 0);
    outside += c.places.length - inside.length;
    traces.push({
      type: "scattersmith", name: c.name, showlegend: c.name !== "",
      real: inside.map((i) => c.result.r[c.p][i] / state.line),
      imag: inside.map((i) => c.result.x[c.p][i] / state.line),
      text: inside.map((i) => `${megahertz(c.result.mhz[i])}: ` +
                              ohms(c.result.r[c.p][i], c.result.x[c.p][i])),
      mode: inside.length === 1 ? "markers" : "lines+markers",
      line: {color: c.colour, dash: c.dash, width: 2},
      marker: {color: c.colour, size: inside.length === 1 ? 9 : 4},
      hovertemplate: "%{text}<extra></extra>",
    });
  }
  for (const [k, result] of results.entries()) {
    const place = placeOf(k);
    for (const p of result.ports.keys()) {
      if (result.r[p][place] === null || result.r[p][place] < 0) continue;
      at.real.push(result.r[p][place] / state.line);
      at.imag.push(result.x[p][place] / state.line);
      at.text.push(`${several ? `${result.name}, ` : ""}port ${result.ports[p]}, ` +
                   `${megahertz(result.mhz[place])}: ` +
                   ohms(result.r[p][place], result.x[p][place]));
      colours.push(several ? colour(k) : style("--accent"));
    }
  }
  traces.push({type: "scattersmith", ...at, mode: "markers", showlegend: false,
               marker: {color: colours, size: 11, line: {color: style("--text"), width: 1.5}},
               hovertemplate: "%{text}<extra></extra>"});
  const grid = {gridcolor: style("--grid"), linecolor: style("--line"), tickfont: {size: 11}};
  const note = `${swept ? "The large dot: " : ""}${megahertz(results[0].mhz[state.place])}.` +
      (outside ? ` Outside the chart: ${counted(outside, "point")} with R below 0.` : "");
  return draw("smith", `Smith chart, ${short(state.line)} Ω`, note, traces, {
    smith: {realaxis: grid, imaginaryaxis: grid, bgcolor: "rgba(0,0,0,0)"},
    margin: {l: 30, r: 30, t: traces.some((trace) => trace.showlegend) ? 50 : 26, b: 26},
  });
}

function drawGain() {
  if (!anyPattern || !swept) return hide("gain");
  const traces = [], notes = new Set(), units = gainUnits();
  let ratios = false;
  for (const [k, result] of results.entries()) {
    const all = Object.keys(result.peaks).map(Number).filter((p) => result.place.has(p));
    const nearest = nearestPoint(result, all, placeOf(k));
    if (nearest === null) continue;
    // Of several incident waves the one that is shown.
    const wave = waveAt(result, result.place.get(nearest));
    let points = all.filter(
        (point) => waveOff(waveAt(result, result.place.get(point)), wave) === 0);
    points.sort((a, b) => mhzOf(result, a) - mhzOf(result, b) ||
                          result.peaks[b].gain - result.peaks[a].gain);
    // Of runs at the same frequency that with the greatest gain.
    points = points.filter((p, i) => i === 0 || mhzOf(result, p) !== mhzOf(result, points[i - 1]));
    const mhz = points.map((point) => mhzOf(result, point));
    const named = (part) => several ? result.name : part;
    const unit = unitOf(result, nearest);
    notes.add(waveText(result, result.place.get(nearest)));
    const of = {mhz, colour: colour(several ? k : 0), dash: "solid"};
    // The second unit has an axis of its own, on the right.
    traces.push(curve(of, points.map((p) => result.peaks[p].gain), named(gainName(unit)),
                      unit === units[0] ? {} : {yaxis: "y2"}));
    traces[traces.length - 1].legendgroup = result.name;
    const ratio = points.map((p) => result.peaks[p].frontToBack);
    if (ratio.some((value) => value !== null)) {
      ratios = true;
      traces.push(curve({mhz, colour: colour(several ? k : 1), dash: several ? "dash" : "solid"},
                        ratio, named("front to back / dB"),
                        {legendgroup: result.name, showlegend: !several}));
    }
  }
  if (Math.max(...traces.map((trace) => new Set(trace.x).size)) < 2) return hide("gain");
  const layout = overFrequency(!ratios ? capital(gainName(units[0])) : !several ?
      `${units[0]}, dB` : `${units[0]}; dashed: front to back / dB`);
  if (units.length > 1) {
    layout.yaxis2 = {...axis(units[1]), overlaying: "y", side: "right", showgrid: false};
  }
  const what = units.map((unit) => gainName(unit).split(" / ")[0]).join(" and ");
  return draw("gain", `Greatest ${what} over frequency`,
              `Of the directions that were computed${[...notes].join("")}.`, traces, layout);
}

// How an iterative solve converged: the residual, and the impedance's deviation from its last value.
function drawConvergence() {
  const traces = [], notes = [];
  for (const [k, result] of results.entries()) {
    const point = nearestPoint(result, result.histories.map((history) => history.at), placeOf(k));
    if (point === null) continue;
    const {iteration, residual, impedance_off: off, of_last: last} = result.histories.find((history) => history.at === point);
    notes.push(`${several ? `${result.name}: ` : ""}${frequencyText(result, result.place.get(point))}${
        last ? ", the last of several excitations" : ""}`);
    for (const [name, values, i] of [["residual", residual, 0], ["impedance", off, 1]]) {
      if (!values.length) continue;
      const named = several ? `${result.name}, ${name}` : name;
      traces.push(curve({mhz: iteration, colour: colour(several ? k : i), dash: i ? "dash" : "solid"},
                        values.map((value) => value > 0 ? value : null), named,
                        {hovertemplate: `iteration %{x}: %{y:.2~e}<extra>${named}</extra>`}));
    }
  }
  if (!traces.length) return hide("convergence");
  return draw("convergence", "Convergence of the solver", `${notes.join("; ")}.`, traces, {
    xaxis: axis("Iteration"), yaxis: axis("Residual (solid), deviation of Z (dashed)", {type: "log", exponentformat: "power", dtick: 1})});
}

// The direction between a polar diagram's angles in which its curves leave most room for the
// names of the rings.
function emptiest(traces) {
  const reach = (direction) => Math.max(0, ...traces.flatMap(({theta, r}) => r.filter((_, i) =>
      Math.abs((((theta[i] - direction) % 360) + 540) % 360 - 180) <= 12)));
  return [67.5, 112.5, 157.5, 202.5, 247.5, 292.5, 337.5, 22.5].reduce(
      (best, angle) => reach(angle) < reach(best) - 1e-3 ? angle : best);
}

function drawCut(kind) {
  const found = [];
  for (const [k, result] of results.entries()) {
    const cuts = result.cuts[kind];
    const point = nearestPoint(result, cuts.map((cut) => cut.at), placeOf(k));
    if (point !== null) found.push({k, result, cut: cuts.find((cut) => cut.at === point)});
  }
  if (found.length === 0) return hide(kind);
  // The outer ring is the most of each unit: gains and cross sections have no common scale.
  const rims = new Map();
  for (const {result, cut} of found) {
    const unit = unitOf(result, cut.at);
    rims.set(unit, Math.max(rims.get(unit) ?? -Infinity, ...cut.gain));
  }
  const rimOf = ({result, cut}) => rims.get(unitOf(result, cut.at));
  const traces = found.map(({k, result, cut}) => ({
    type: "scatterpolar", theta: cut.angle, mode: "lines",
    r: cut.gain.map((gain) => radius(gain - rimOf({result, cut}), state.scale)),
    text: cut.gain.map((gain) => gain <= -300 ? "nothing" :
        `${fixed(gain, 2)} ${unitOf(result, cut.at)}, ${
            fixed(gain - rimOf({result, cut}), 1)} dB`),
    name: several ? result.name : "", showlegend: several,
    line: {color: colour(k), width: 2.2}, hovertemplate: "%{theta}°: %{text}<extra></extra>",
    fill: several || !closed(cut) ? "none" : "toself", fillcolor: style("--fill"),
  }));
  const rings = state.scale === "arrl" ? [0, -3, -10, -20, -30] : [0, -10, -20, -30, -40];
  const first = found[0];
  const lowest = Math.min(...found.flatMap(({cut}) => cut.angle));
  const upper = first.cut.name.startsWith("Elevation") && lowest > -1 &&
      Math.max(...found.flatMap(({cut}) => cut.angle)) < 181;
  const line = {gridcolor: style("--grid"), linecolor: style("--line")};
  const angle = upper ? 90 : emptiest(traces);  // of the axis, which turns its names
  const frequencies = [...new Set(found.map(({result, cut}) => pointText(result, cut.at)))];
  return draw(kind, [...new Set(found.map(({cut}) => cut.name))].join(" and "),
              `${frequencies.join(", ")}. Outer ring ${
                  [...rims].map(([unit, rim]) => `${fixed(rim, 2)} ${unit}`).join(" and ")}.${
                  mostOf(first.cut)}`,
              traces, {
    margin: {l: 42, r: 42, t: several ? 40 : 26, b: 26},
    polar: {
      bgcolor: "rgba(0,0,0,0)", sector: upper ? [0, 180] : [0, 360],
      radialaxis: {...line, range: [0, 1], tickvals: rings.map((db) => radius(db, state.scale)),
                   // The ring at -30 dB of the ARRL's scale is too small for a name.
                   ticktext: rings.map((db) => state.scale === "arrl" && db === -30 ? "" : state.scale === "db" && rims.size === 1 ?
                                               fixed(rimOf(first) + db, 1) :
                                               `${db}`.replace("-", "−")),
                   tickfont: {size: 10.5, color: style("--faint")}, angle, tickangle: angle, showline: false, ticks: ""},
      angularaxis: {...line, dtick: 30, tickfont: {size: 11, color: style("--faint")}},
    },
  });
}

// Whether a cut goes around, or over the horizon from end to end.
function closed(cut) {
  const span = Math.max(...cut.angle) - Math.min(...cut.angle);
  return span > 350 || (cut.name.startsWith("Elevation") && span > 179 && span < 181);
}

// The sentence about the strongest direction of a cut; of equals that above the horizon.
function mostOf(cut) {
  const most = Math.max(...cut.gain) - 0.005;
  const angles = cut.angle.filter((angle, i) => cut.gain[i] >= most);
  angles.sort((a, b) => (a < 0) - (b < 0) || a - b);
  return angles.length < cut.angle.length / 2 ? ` Most at ${short(angles[0])}°.` : "";
}
