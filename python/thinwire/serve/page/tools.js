// The panel of tools: optimise, fit, error bars, near field, nec2c, report; and what is dropped.

import {$, editor, fail, keep, knobs, listeners, openDeck, page, send, view} from "./live.js";
import {linkOf} from "./link.js";
import {readMeasured, resultOfMeasured} from "./measured.js";
import {numberText} from "./deck.js";

const panel = $("tool-panel");
const button = (text, act, more = {}) => {
  const made = element("button", {type: "button", textContent: text, ...more});
  made.addEventListener("click", act);
  return made;
};
const row = (...parts) => element("div", {className: "row"}, ...parts);
const heading = (textContent) => element("h2", {textContent});

// The job that all tools share.

const progress = element("progress", {max: 1, value: 0}), said = element("span", {className: "faint"});
const working = row(progress, button("Stop", () => send({do: "stop"}), {id: "stop"}), said);
Object.assign(working, {id: "working", hidden: true});
let began = 0;

const ask = (message) => {
  began = performance.now();
  send({text: editor.text, name: page.name || "deck.nec", band: $("band").value, ...message});
};
const shownHz = () => 1e6 * results[0].mhz[state.place];

listeners.push((message) => {
  if (message.working !== undefined) {
    working.hidden = false;
    progress.value = message.done;
    const left = message.done > 0.03 ? (performance.now() - began) / 1e3 * (1 / message.done - 1) : null;
    said.textContent = `${message.working}${left === null || left < 1 ? "" : `, ${Math.ceil(left)} s left`}`;
    addHistory(message.working);
  }
  if (message.worked === undefined) return;
  working.hidden = true;
  if (message.best) showBest(message);
  if (message.converged) showConverged(message);
  if (message.field) drawField(message);
  if (message.measured) keep(resultOfMeasured(message.measured));
  if (message.page) download("html", message.page);
});

function download(suffix, text) {
  const link = element("a", {href: URL.createObjectURL(new Blob([text], {type: suffix === "html" ? "text/html" : "text/plain"})),
                             download: `${(page.name || "antenna").replace(/\.\w+$/, "")}.${suffix}`});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// Optimise and fit.

const goals = element("textarea", {id: "goals", rows: 3, spellcheck: false, ariaLabel: "Goals, one a line"});
const bounds = element("div", {id: "bounds"}), best = element("div", {id: "best"});
const history = element("div", {className: "small", id: "history"});
history.hidden = true;
let steps = [];

function fillBounds() {
  const old = new Map([...bounds.querySelectorAll(".row")].map((r) => [r.dataset.name, r]));
  bounds.replaceChildren(...knobs.symbols.map((symbol) => {
    if (old.has(symbol.name)) return old.get(symbol.name);
    const [low, high] = knobs.rangeOf(symbol);
    const made = row(element("label", {}, element("input", {type: "checkbox"}), ` ${symbol.name}`),
                     element("input", {type: "number", value: low, step: "any", ariaLabel: `${symbol.name} from`}), "to",
                     element("input", {type: "number", value: high, step: "any", ariaLabel: `${symbol.name} to`}), symbol.unit);
    made.dataset.name = symbol.name;
    for (const input of made.querySelectorAll("[type=number]")) input.style.width = "6em";
    return made;
  }));
}
const SI = {mm: 1e-3, cm: 1e-2, m: 1, in: 0.0254, ft: 0.3048, pf: 1e-12, nf: 1e-9, uf: 1e-6, ph: 1e-12, nh: 1e-9, uh: 1e-6, mh: 1e-3};
const unitOfSymbol = (name) => SI[knobs.symbols.find((symbol) => symbol.name === name)?.unit.toLowerCase()] ?? 1;

function chosenBounds() {
  const chosen = [...bounds.querySelectorAll(".row")].filter((r) => r.querySelector("[type=checkbox]").checked);
  return Object.fromEntries(chosen.map((r) => {
    const [low, high] = [...r.querySelectorAll("[type=number]")].map((input) => Number(input.value) * unitOfSymbol(r.dataset.name));
    return [r.dataset.name, [low, high]];
  }));
}

function startSearch(message) {
  if (!Object.keys(message.bounds).length) return fail("choose a symbol to vary.");
  steps = [];
  best.replaceChildren();
  ask(message);
}

// "12 evaluations, best 1.31, 10.9": the goals' values so far, drawn over the evaluations.
function addHistory(text) {
  const match = /^(\d+) evaluations?, best (.*)$/.exec(text);
  if (!match) return;
  steps.push([Number(match[1]), match[2].split(",").map(Number)]);
  history.hidden = false;
  const names = goals.value.split("\n").filter((line) => line.trim());
  Plotly.react(history, names.map((name, g) => ({type: "scatter", mode: "lines", name, x: steps.map(([n]) => n),
                                                y: steps.map(([, values]) => values[g]), line: {color: colour(g), width: 2, shape: "hv"}})), {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: {l: 46, r: 10, t: 6, b: 36}, font: {size: 11, color: style("--text")},
    xaxis: axis("Evaluations"), yaxis: axis("Best so far"), legend: {orientation: "h", y: 1.15, font: {size: 11}}}, {displayModeBar: false, responsive: true});
}

const unitOfGoal = (text) => ({gain: "dBi", fb: "dB", r: "Ω", x: "Ω", "|z|": "Ω"})[
    /^(?:[\d.]+\s*\*)?\s*(?:(?:min|max|mean)_)?(\w+|\|z\|)/i.exec(text)?.[1].toLowerCase()] ?? "";

function showBest({best: values, goals: reached, ended}) {
  const take = button("Take", () => {
    const before = editor.text;
    for (const [name, value] of Object.entries(values)) {
      const symbol = knobs.symbols.find((s) => s.name.toLowerCase() === name.toLowerCase());
      if (!symbol) continue;
      const own = value / unitOfSymbol(symbol.name);
      editor.move({from: symbol.from, to: symbol.to, insert: numberText(own, 10 ** (Math.floor(Math.log10(Math.abs(own) || 1)) - 4))});
    }
    editor.commit(before);
  }, {id: "take"});
  best.replaceChildren(
      table(["Symbol", "Value"], Object.entries(values).map(([name, value]) => [name, `${short(value / unitOfSymbol(name), 5)} ${
          knobs.symbols.find((s) => s.name.toLowerCase() === name.toLowerCase())?.unit ?? ""}`]), ended),
      table(["Goal", "Reached"], Object.entries(reached).map(([name, value]) => [name, `${short(value, 4)} ${unitOfGoal(name)}`]), ""),
      row(take, button("Undo", editor.undo)));
}

// Error bars.

const converged = element("div", {id: "converged"});
function showConverged({converged: figures, hz}) {
  converged.replaceChildren(table(["", "page", "finest mesh", "error bar"], figures.map(([name, value, fine, bar]) => [
    name, short(value, 5), short(fine, 5), `± ${short(bar, 2)}`]), megahertz(hz / 1e6)));
}

// Near field.

const plane = element("select", {id: "plane", ariaLabel: "Plane"}, ...["xy", "xz", "yz"].map((name) => element("option", {value: name, textContent: name})));
const field = element("select", {id: "field", ariaLabel: "Field"}, element("option", {value: "", textContent: "electric"}), element("option", {value: "1", textContent: "magnetic"}));
const at = element("input", {type: "number", id: "plane-at", value: 0, step: "any", ariaLabel: "Where the plane is, metres"});
at.style.width = "5.5em";
const map = element("div", {id: "field-map"});
map.hidden = true;
function drawField({field: values, u, v, plane: name, magnetic}) {
  map.hidden = false;
  map.style.height = "340px";
  const unit = magnetic ? "A/m" : "V/m", log = values.map((line) => line.map((value) => value > 0 ? 20 * Math.log10(value) : null));
  const most = Math.max(...log.flat().filter(finite));
  Plotly.react(map, [{type: "heatmap", x: u, y: v, z: log, zmin: most - 60, zmax: most, colorscale: SCALE, zsmooth: "best",
                      text: values.map((line) => line.map((value) => `${short(value)} ${unit}`)), hovertemplate: "%{x:.3~g} m, %{y:.3~g} m: %{text}<extra></extra>",
                      colorbar: {title: {text: `dB of 1 ${unit}`, side: "right"}, thickness: 10, outlinewidth: 0}}], {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", margin: {l: 50, r: 6, t: 8, b: 40}, font: {size: 11, color: style("--text")},
    xaxis: axis(`${name[0]} / m`), yaxis: axis(`${name[1]} / m`, {scaleanchor: "x"})}, {displayModeBar: false, responsive: true});
}

// S11 at the shown reference impedance.
function exportTouchstone() {
  if (page.live?.r.length !== 1) return fail("S-parameters of several sources: `thinwire solve DECK --touchstone FILE` computes them.");
  const {mhz, r: [r], x: [x]} = page.live, z0 = state.line;
  const rows = mhz.map((f, i) => {
    const below = (r[i] + z0) ** 2 + x[i] ** 2;
    return [f, (r[i] ** 2 + x[i] ** 2 - z0 ** 2) / below, 2 * z0 * x[i] / below];
  }).sort((a, b) => a[0] - b[0]).filter(([f], i, all) => !i || f > all[i - 1][0]);
  download("s1p", `! ${page.name || "antenna"}, solved by thinwire\n# MHZ S RI R ${z0}\n${rows.map((row) => row.join(" ")).join("\n")}\n`);
}

// The link.

const link = element("input", {id: "link-text", readOnly: true, hidden: true, ariaLabel: "Link with the deck"});
async function showLink() {
  link.value = await linkOf(page.name || "antenna.nec", editor.text);
  link.hidden = false;
  link.select();
  await navigator.clipboard?.writeText(link.value).catch(() => {});  // not where the browser forbids it
}

// The panel.

function openPanel() {
  panel.hidden = !panel.hidden;
  if (panel.hidden || !results.length) return;
  if (!goals.value) {
    const [low, high] = [Math.min(...results[0].mhz), Math.max(...results[0].mhz)];
    goals.value = `vswr(${low === high ? low : `${low}:${high}`}) < 1.5`;
  }
  fillBounds();
}
panel.append(
    button("×", () => { panel.hidden = true; }, {className: "close", ariaLabel: "Close"}), working,
    heading("Optimise"), goals, element("p", {className: "note", textContent: "Goals, one a line: vswr(144:146) < 1.5, gain(90,0,145) max, fb(90,0,145) > 20, r(145) = 50"}), bounds,
    row(button("Start", () => startSearch({do: "optimize", goals: goals.value, bounds: chosenBounds()}), {id: "start"}),
        button("Fit to measured", () => {
          const measured = page.kept.find((kept) => kept.result.measured)?.result.measured;
          if (!measured) return fail("drop a measurement on the page first: .s1p, .s2p or .csv.");
          startSearch({do: "fit", bounds: chosenBounds(), z0: state.line, ...measured});
        }, {id: "fit-measured"})),
    history, best,
    heading("Accuracy"), row(button("Error bars", () => ask({do: "converge", hz: shownHz()}), {id: "converge"}), button("Compare with nec2c", () => ask({do: "nec2c"}), {id: "nec2c"})), converged,
    heading("Near field"), row(field, plane, "at", at, "m", button("Draw", () => ask({do: "near", plane: plane.value, at: Number(at.value),
                                                                                      magnetic: Boolean(field.value), point: results[0].points[state.place]}), {id: "near"})), map,
    heading("Report"), row(button("One HTML file", () => ask({do: "report", title: page.name, decks: [
      {name: (page.name || "antenna").replace(/\.\w+$/, ""), text: editor.text, band: $("band").value},
      ...page.kept.filter(({deck}) => deck).map(({name, deck}) => ({name, text: deck, band: ""}))]}), {id: "report"})),
    element("p", {className: "note", textContent: "The deck, and those that are compared."}),
    heading("Export"), row(button("Touchstone (.s1p)", exportTouchstone, {id: "touchstone"})),
    heading("Link"), row(button("Link with the deck", showLink, {id: "link"}), link),
    element("p", {className: "note", textContent: "The deck is in the link itself. Others paste it on their own page."}),
    heading("Measured data"), row(button("Choose a file", () => picker.click(), {id: "measured"})),
    element("p", {className: "note", textContent: "Or drop it on the page: .s1p, .s2p or .csv."}));
$("tools").addEventListener("click", openPanel);
listeners.push(({worked}) => { if (worked && panel.hidden && worked !== "report") panel.hidden = false; });

// Files that are dropped or chosen.

const picker = element("input", {type: "file", accept: ".s1p,.s2p,.csv,.nec,.maa", hidden: true, id: "picker"});
document.body.append(picker);
picker.addEventListener("change", () => [...picker.files].forEach(takeFile));

async function takeFile(file) {
  if (file.size > 4 << 20) return fail(`${file.name}: is too large (${file.size} bytes).`);
  const text = await file.text();
  if (/\.maa$/i.test(file.name)) return send({do: "import", name: file.name, text});
  if (/\.(nec|deck|inp)$/i.test(file.name)) return openDeck(file.name, text, "");
  try {
    keep(resultOfMeasured(readMeasured(file.name, text)));
  } catch (error) {
    fail(error.message);
  }
}
document.addEventListener("dragover", (event) => {
  event.preventDefault();
  $("drop").hidden = false;
});
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) $("drop").hidden = true; });
document.addEventListener("drop", (event) => {
  event.preventDefault();
  $("drop").hidden = true;
  [...event.dataTransfer.files].forEach(takeFile);
});
