// The figures in space: the antenna with its currents, the pattern as a surface.

// From weak to strong, to be seen on white and on black.
const SCALE = [[0, "#3b57b5"], [0.25, "#2f93b8"], [0.5, "#3fae6a"], [0.75, "#e0a52e"],
               [1, "#d9363e"]];

function scene(more) {
  const side = (title) => ({
    title: {text: title, font: {size: 12}}, gridcolor: style("--grid"), showbackground: false,
    zerolinecolor: style("--line"), linecolor: style("--line"), color: style("--faint"),
    tickfont: {size: 10}, nticks: 5, showspikes: false,
  });
  return {
    margin: {l: 0, r: 0, t: 0, b: 0}, showlegend: false,
    scene: {domain: {x: [0, 0.9], y: [0, 1]}, xaxis: side("x / m"), yaxis: side("y / m"), zaxis: side("z / m"),
            aspectmode: "data", camera: seenFrom(1.2), ...more},
  };
}

// The camera: from further away on a narrow screen.
function seenFrom(distance) {
  const far = distance * (window.innerWidth < 500 ? 1.3 : 1);
  return {eye: {x: 1.02 * far, y: -1.12 * far, z: 0.66 * far}};
}

const colourBar = (title) => ({
  title: {text: title, side: "right", font: {size: 12}}, thickness: 12, len: 0.72, x: 1,
  xanchor: "right", outlinewidth: 0, tickfont: {size: 11}, nticks: 6,
});

// Names and places of marks, as one trace of symbols.
function marks(list, symbol, fill, size) {
  return {
    type: "scatter3d", mode: "markers", x: list.map((m) => m.xyz[0]),
    y: list.map((m) => m.xyz[1]), z: list.map((m) => m.xyz[2]), text: list.map((m) => m.text),
    marker: {symbol, size, color: fill, line: {color: style("--text"), width: 1}},
    hovertemplate: "%{text}<extra></extra>",
  };
}

// Two points outside of a structure, each alone so that nothing is drawn there. Plotly clips a line
// at the bounds of its points, in single precision: one in a plane such as z = 10.06 would be lost.
function outside(s, axisOf) {
  const room = 1e-3 * Math.max(...s.size);
  return [null, s.low[axisOf] - room, null, s.high[axisOf] + room];
}

// Where lines and networks run.
const between = (s) => s.lines.map((l) => ({
  type: "scatter3d", mode: "lines", x: [...l.ends.map((e) => e[0]), ...outside(s, 0)],
  y: [...l.ends.map((e) => e[1]), ...outside(s, 1)], z: [...l.ends.map((e) => e[2]), ...outside(s, 2)], line: {color: style("--faint"), width: 3, dash: "dash"},
  hovertemplate: `${l.text}<extra></extra>`,
}));

function groundPlane(s) {
  const most = Math.max(...s.size);
  const edges = [0, 1].map((i) => {
    const room = Math.max(0.15 * most, 0.25 * s.size[i]);
    return [s.low[i] - room, s.high[i] + room];
  });
  const [[x0, x1], [y0, y1]] = edges;
  return {
    type: "mesh3d", x: [x0, x1, x1, x0], y: [y0, y0, y1, y1], z: [0, 0, 0, 0],
    i: [0, 0], j: [1, 2], k: [2, 3], color: style("--soil"), opacity: 0.28, flatshading: true,
    hoverinfo: "skip", lighting: {ambient: 1, diffuse: 0, specular: 0},
  };
}

// Every segment a line through its centre, coloured by its current.
function wires(s, row) {
  const x = [], y = [], z = [], colours = [], text = [];
  const coordinates = [x, y, z];
  for (let i = 0; i < s.drawn; i++) {
    const ampere = s.currents.ampere[row * s.drawn + i];
    const phase = s.currents.degree[row * s.drawn + i];
    const label = `tag ${s.tags[i]}, segment ${s.numbers[i]}<br>${short(1000 * ampere)} mA, ` +
        `${fixed(phase, 1)}°`;
    for (let axisOf = 0; axisOf < 3; axisOf++) {
      const start = s.ends[6 * i + axisOf], end = s.ends[6 * i + 3 + axisOf];
      coordinates[axisOf].push(start, (start + end) / 2, end, null);
    }
    colours.push(1000 * ampere, 1000 * ampere, 1000 * ampere, 1000 * ampere);
    text.push(label, label, label, "");
  }
  coordinates.forEach((list, axisOf) => list.push(...outside(s, axisOf)));
  colours.push(0, 0, 0, 0);
  return {
    type: "scatter3d", mode: "lines", x, y, z, text, hovertemplate: "%{text}<extra></extra>",
    connectgaps: false,
    line: {color: colours, colorscale: SCALE, cmin: 0, cmax: Math.max(...colours), width: 7, showscale: true,
           colorbar: colourBar("Current / mA, peak")},
  };
}

function drawAntenna() {
  const result = results[state.shown], s = result.structure;
  const point = nearestPoint(result, s.currents.at, placeOf(state.shown));
  const traces = [wires(s, s.currents.at.indexOf(point)), ...between(s)];
  if (s.ports.length) traces.push(marks(s.ports, "diamond", style("--port"), s.ports.length > 12 ? 3 : 6));
  if (s.loads.length) traces.push(marks(s.loads, "square", style("--load"), 5));
  if (s.ground) traces.push(groundPlane(s));
  const legend = [
    s.ports.length ? `${s.ports.length === 1 ? "Port" : `${s.ports.length} ports`}: diamond` : "",
    s.loads.length ? `loads: squares (${[...new Set(s.loads.map((l) => l.text))].join("; ")})` : "",
    s.spread.join("; "), s.lines.length ? "lines and networks: dashed" : "",
    s.ground ? `over ${s.ground}` : "",
    s.drawn < s.segments ? `${s.drawn} of ${s.segments} segments are drawn` : "",
  ].filter((part) => part).join(", ");
  // A long low antenna keeps some height in the picture.
  const least = 0.12 * Math.max(...s.size);
  const ratio = s.size.map((size) => Math.max(size, least));
  const most = Math.max(...ratio);
  const flat = s.size.some((size) => size < least);
  const layout = scene(flat ? {aspectmode: "manual", aspectratio: {
    x: 1.25 * ratio[0] / most, y: 1.25 * ratio[1] / most, z: 1.25 * ratio[2] / most}} : {});
  if (flat) {
    // Room to the axis that has no extent, so that the scale stays true.
    ["x", "y", "z"].forEach((name, i) => {
      if (s.size[i] >= least) return;
      const middle = (s.low[i] + s.high[i]) / 2;
      const low = s.ground && i === 2 ? Math.min(0, s.low[2]) : middle - least / 2;
      layout.scene[`${name}axis`].range = [low, Math.max(low + least, s.high[i])];
      Object.assign(layout.scene[`${name}axis`], {tickvals: [middle], ticktext: [short(middle, 3)]});
    });
  }
  // A plane of ground is wider than the antenna.
  if (s.ground) layout.scene.camera = seenFrom(1.3);
  const name = several ? ` of ${result.name}` : "";
  draw("antenna", `Antenna and currents${name}`,
       `${pointText(result, point)}. ${legend}${legend ? "." : ""}`, traces, layout);
}

function drawSurface() {
  const result = results[state.shown];
  const point = nearestPoint(result, result.gridPoints, placeOf(state.shown));
  if (point === null) return hide("surface");
  const grid = result.grids.find((g) => g.at === point), gains = grid.gains();
  const rows = grid.theta.length, columns = grid.phi.length, peak = greatest(gains);
  const unit = unitOf(result, point), what = unit === "dBi" ? "Gain" : "Cross section";
  const x = [], y = [], z = [], colours = [], text = [];
  for (let t = 0; t < rows; t++) {
    for (const list of [x, y, z, colours, text]) list.push([]);
    const theta = grid.theta[t] * Math.PI / 180;
    for (let p = 0; p < columns; p++) {
      const gain = gains[t * columns + p], phi = grid.phi[p] * Math.PI / 180;
      const r = radius(gain - peak, state.scale);
      x[t].push(r * Math.sin(theta) * Math.cos(phi));
      y[t].push(r * Math.sin(theta) * Math.sin(phi));
      z[t].push(r * Math.cos(theta));
      colours[t].push(Math.max(gain, peak - 40));
      text[t].push(`θ ${grid.theta[t]}°, φ ${grid.phi[p]}°: ${fixed(gain, 2)} ${unit}`);
    }
  }
  const trace = {
    type: "surface", x, y, z, surfacecolor: colours, text, colorscale: SCALE, cmin: peak - 40,
    cmax: peak, hovertemplate: "%{text}<extra></extra>", colorbar: colourBar(`${what} / ${unit}`),
    lighting: {ambient: 0.75, diffuse: 0.5, specular: 0.05, roughness: 0.9},
    contours: {x: {highlight: false}, y: {highlight: false}, z: {highlight: false}},
  };
  const layout = scene({});
  for (const name of ["x", "y", "z"]) {
    Object.assign(layout.scene[`${name}axis`], {
      range: name === "z" && Math.max(...grid.theta) <= 90 ? [0, 1] : [-1, 1],
      title: {text: name}, showticklabels: false, nticks: 3,
    });
  }
  const name = several ? ` of ${result.name}` : "";
  draw("surface", `${what} in all directions${name}`,
       `${pointText(result, point)}. At most ${fixed(peak, 2)} ${unit}; ` +
       (state.scale === "arrl" ? "ARRL scale" : "40 dB from rim to centre") + ".",
       [trace], layout);
}
