// The page of a study (tune, bench, converge, optimize): findings, plots over one axis, tables.

function fillStudy() {
  const circumstances = contents.header.filter(([name]) => name !== "command");
  const command = contents.header.find(([name]) => name === "command");
  document.getElementById("subtitle").textContent = command ? command[1] : "";
  document.getElementById("facts").replaceChildren(...circumstances.map(
      ([name, value]) => element("li", {textContent: `${name}: ${value}`})));
  document.getElementById("findings").hidden = contents.findings.length === 0;
  document.querySelector("#findings ul").replaceChildren(...contents.findings.map(
      (textContent) => element("li", {textContent})));
  document.getElementById("plots").replaceChildren(...contents.plots.map((_, i) => element(
      "figure", {id: `plot-${i}`}, element("figcaption"), element("div", {className: "plot tall"}),
      element("p", {className: "note"}))));
  document.getElementById("tables").replaceChildren(...contents.tables.map((table) => element(
      "details", {open: true}, element("summary", {textContent: table.title}),
      element("div", {className: "wide"}, studyTable(table)))));
}

// Numbers stand to the right; a line above each new value of the first column where it repeats.
function studyTable({columns}) {
  const rows = columns[0].cells.map((_, row) => columns.map((column) => column.cells[row]));
  const groups = rows.some((row, i) => i > 0 && row[0] === rows[i - 1][0]);
  const made = table(columns.map((column) => column.heading), rows, "");
  for (const [r, row] of [...made.rows].entries()) {
    row.classList.toggle("next", groups && r > 1 && rows[r - 1][0] !== rows[r - 2][0]);
    [...row.cells].forEach((cell, c) => cell.classList.toggle("number", !columns[c].text));
  }
  return made;
}

function drawStudy() {
  contents.plots.forEach(drawPlot);
}

function drawPlot(plot, number) {
  const traces = plot.series.map((series, i) => {
    const own = colour(series.colour < 0 ? i : series.colour);
    return {
      type: "scatter", name: series.name, showlegend: series.name !== "" && plot.series.length > 1, x: series.x, y: series.y,
      mode: [series.line ? "lines" : "", series.markers ? "markers" : ""].filter((m) => m).join("+"),
      line: {color: own, dash: series.dashed ? "dash" : "solid", width: 2},
      // Points on a line are filled, others are rings: many of them stay readable.
      marker: {color: own, size: 7, symbol: series.line ? "circle" : "circle-open"},
      hovertemplate: `%{x:.6~g}: %{y:.4~g}<extra>${series.name}</extra>`,
    };
  });
  // Ticks of a logarithmic axis: powers of ten, 1, 2 and 5 times them, or all multiples.
  const scale = (log, name, ticks) => {
    const values = plot.series.flatMap((series) => series[name]).filter((value) => value > 0);
    const decades = log ? Math.log10(greatest(values) / -greatest(values.map((value) => -value))) : 0;
    return {type: log ? "log" : "linear", tickformat: ".6~g", ...(ticks.length ? {tickvals: ticks} :
        log ? {dtick: decades > 3 ? 1 : decades > 0.7 ? "D2" : "D1"} : {})};
  };
  const narrow = window.innerWidth < 800;
  const empty = plot.series.every((series) => series.y.every((value) => value === null));
  draw(`plot-${number}`, plot.title, empty ? "No data." : "", traces, {
    font: {family: "system-ui, sans-serif", size: narrow ? 11 : 13, color: style("--text")},
    xaxis: axis(plot.x_label, scale(plot.log_x, "x", plot.x_ticks)),
    yaxis: axis(plot.y_label, {...scale(plot.log_y, "y", []), rangemode: "tozero"}),
    legend: narrow ? {orientation: "h", y: -0.16, yanchor: "top", font: {size: 11}} :
        {x: 1.02, y: 1, font: {size: 12}},
  });
}
