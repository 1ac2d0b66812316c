// The live page: the deck, the antenna and its results, and what moves between them.

import {changeField} from "./deck.js";
import {connect} from "./connection.js";
import {hintOf, makeEditor} from "./editor.js";
import {Knobs} from "./knobs.js";
import {deckOf, isLink} from "./link.js";
import {View} from "./view.js";

const $ = (id) => document.getElementById(id);
const TYPING_MS = 60;  // without a key before a typed deck is solved
const MAX_DECK = 1 << 20;

// live: the newest result; kept: those pinned and measured, which stay.
const page = {name: "", saved: "", live: null, kept: [], asked: 0, answered: 0, hertz: null, connected: false, templates: []};
window.page = page;  // for tests and the console

// Drawing.

const DRAWN = {vswr: drawVswr, smith: drawSmith, azimuth: () => drawCut("azimuth"), elevation: () => drawCut("elevation"),
               gain: drawGain, impedance: drawImpedance, power: drawPower};
const inSight = new Set(), stale = new Set();
const sight = new IntersectionObserver((changes) => {
  for (const {target, isIntersecting} of changes) inSight[isIntersecting ? "add" : "delete"](target.id);
  drawStale();
}, {root: $("results"), rootMargin: "60px"});

// Draws the figures in sight that are out of date, each in a turn of its own so that a newer move
// is seen first.
let drawing = false;
function drawStale() {
  if (drawing) return;
  const next = Object.keys(DRAWN).find((id) => stale.has(id) && (inSight.has(id) || $(id).hidden));
  if (!next || !results.length) {
    if (page.arrived && results.length) {
      page.drawnMs = performance.now() - page.arrived;
      page.arrived = 0;
    }
    return;
  }
  stale.delete(next);
  DRAWN[next]();
  drawing = true;
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    drawing = false;
    drawStale();
  };
  channel.port2.postMessage(0);
}

function drawAll() {
  if (!results.length) return;
  const place = state.place;
  $("frequency").value = place;
  $("frequency-text").textContent = frequencyText(results[0], place);
  fillSummary();
  $("compared").hidden = !several;
  if (several) fillComparison();
  view.show(results[0], results[0].points[place], page.geometry);
  for (const id of Object.keys(DRAWN)) stale.add(id);
  // The antenna and its figures are to be seen before the charts, which take longer.
  requestAnimationFrame(() => setTimeout(drawStale));
}

function showAll() {
  const list = [...(page.live ? [page.live] : []), ...page.kept.map((kept) => kept.result)];
  if (!page.live) return;
  page.live.name = several || list.length > 1 ? "now" : page.live.name;
  showResults(list);
  drawAll();
}

// Solving.

function solve() {
  const text = editor.text;
  if (text.length > MAX_DECK) return fail(`the deck is too large to edit here (${text.length} characters). Solve it by \`thinwire solve\`.`);
  page.asked++;
  page.sent = performance.now();
  send({do: "solve", id: page.asked, text, name: page.name || "deck.nec", band: $("band").value, hz: page.hertz});
}
let typing = 0;
function solveSoon() {
  clearTimeout(typing);
  typing = setTimeout(solve, TYPING_MS);
}

function take(message) {
  if (message.hello) return begin(message);
  if (message.id !== undefined) return takeSolved(message);
  if (message.solving) return status(`${message.solving} ${Math.round(100 * message.done)} %`, true);
  if (message.sphere) return takeSphere(message);
  if (message.decks) return chooseFile(message.decks);
  if (message.opened !== undefined) return openDeck(message.opened, message.text, message.saved);
  if (message.saved !== undefined) {
    page.saved = page.saving;
    return showFile();
  }
  if (message.exists !== undefined) {
    if (window.confirm(`${message.exists} is not the deck that you opened. Replace it?`)) write(message.exists, true);
    return;
  }
  if (message.failed) fail(message.failed);
  for (const listener of listeners) listener(message);
}
const listeners = [];

function takeSolved(message) {
  if (message.id < page.answered) return;
  page.answered = message.id;
  page.arrived = page.sent;
  const latest = message.id === page.asked;
  if (message.geometry) page.geometry = message.geometry;
  const problems = message.problems.filter((problem) => latest || problem.line);
  editor.show(problems);
  $("warnings").replaceChildren(...problems.filter(({line}) => line === 0).map(({text, severity}) => element(
      "li", {className: {error: "warning error", warning: "warning", note: "note"}[severity], textContent: text})));
  document.body.classList.toggle("stale", !message.result);
  if (!message.result) {
    page.arrived = 0;
    return status(counted(message.problems.length, "problem"));
  }
  const {result} = message;
  document.body.classList.add("solved");
  result.deck = editor.text;
  page.stored = result;
  page.live = liveOf(result);
  if (!page.lineSet) state.line = Number($("line").value = result.z0);
  state.place = Math.min(message.shown, page.live.mhz.length - 1);
  $("frequency").max = page.live.mhz.length - 1;
  $("frequency-control").classList.toggle("fixed", page.live.mhz.length < 2);
  showAll();
  status(`${counted(result.antenna.segments, "segment")}, ${counted(result.frequencies, "frequency").replace("frequencys", "frequencies")}, ${
      message.seconds < 1 ? `${Math.round(1e3 * message.seconds)} ms` : `${message.seconds.toFixed(1)} s`}`);
}

function liveOf(stored) {
  const result = resultOf(stored);
  result.radius = unpack(stored.antenna.radius, Float32Array);
  return result;
}

// The pattern at another frequency, for the result that asked.
function takeSphere({sphere, of}) {
  if (of !== page.answered || !page.stored) return;
  page.stored.patterns = page.stored.patterns.filter((pattern) => pattern.at.length > 1 || pattern.at[0] !== sphere.at[0]);
  page.stored.patterns.push(sphere);
  page.live = liveOf(page.stored);
  showAll();
}

function showPlace(place) {
  if (!results.length) return;
  state.place = place;
  page.hertz = 1e6 * results[0].mhz[place];
  drawAll();
  const point = results[0].points[place];
  if (!results[0].gridPoints.includes(point)) send({do: "sphere", point, of: page.answered});
}

// The deck.

const editor = makeEditor($("editor"), {
  change(text, typed) {
    knobs?.show(text, typed);
    showFile();
    remember();
    if (typed) solveSoon();
    else solve();
  },
  cursor(at) {
    $("hint").replaceChildren(...hintOf(at));
    const tag = Object.entries(page.geometry?.tags ?? {}).find(([, line]) => line === at.line);
    markTag(tag ? Number(tag[0]) : null);
  },
});

let before = "";
const moves = {
  start() { before = editor.text; },
  move(change) { editor.move(change); },
  end() { editor.commit(before); },
};
const knobs = new Knobs($("knobs"), moves);

function markTag(tag) {
  if (!view || view.pickedTag === tag) return;
  view.pickedTag = tag;
  view.redraw();
}

const view = new View($("view"), $("tip"), {
  pick(tag) {
    const line = page.geometry?.tags[tag];
    editor.pick(line ?? 0, true);
    markTag(tag);
  },
  dragStart: moves.start,
  dragEnd: moves.end,
  // Each of the wires that end there; the text says what stands in the way.
  drag(ends, xyz, axes, step) {
    let changed = 0;
    for (const {line, end, place} of ends) {
      const scale = Math.hypot(place[0], place[4], place[8]);
      // From metres to the card's own numbers: place is a turn times a scale.
      const off = [0, 1, 2].map((i) => xyz[i] - place[4 * i + 3]);
      const wanted = [0, 1, 2].map((j) => off.reduce((sum, value, i) => sum + place[4 * i + j] * value, 0) / scale ** 2);
      const moved = [0, 1, 2].filter((j) => axes.some((axis) => Math.abs(place[4 * axis + j]) > 1e-9 * scale));
      const turned = moved.length > axes.length;
      const change = (j) => changeField(editor.text, line, 3 + 3 * end + j, wanted[j], step / scale * (turned ? 1e-3 : 1));
      // A turned wire moves along an axis only if all of its numbers do.
      if (turned && moved.some((j) => !change(j))) continue;
      for (const j of moved) {
        const changes = change(j);
        if (changes) changed++;
        if (changes) editor.move(changes);
      }
    }
    const names = axes.map((axis) => "xyz"[axis]);
    return changed ? axes.map((axis, i) => `${names[i]} = ${short(xyz[axis], 6)} m`).join(", ") :
        `${names.join(", ")} is a formula: edit it in the deck`;
  },
});

// Files and templates.

function showFile() {
  $("file-name").textContent = page.name || "untitled";
  $("unsaved").hidden = editor.text === page.saved;
  document.title = `${page.name || "untitled"} · thinwire`;
}

function openDeck(name, text, saved) {
  Object.assign(page, {name, saved, named: false, hertz: null, lineSet: false, geometry: null});
  $("band").value = "";
  view.zoom = 1;
  editor.open(text.replace(/\r\n?/g, "\n"));
  clearTimeout(typing);
  solve();
  showFile();
}

// Opens the deck that a link carries, and tells whether it does.
async function openLink(link) {
  if (!isLink(link)) return false;
  try {
    const {name, text} = await deckOf(link);
    openDeck(name, text, "");
    return true;
  } catch (error) {
    fail(error.message);
    return false;
  } finally {
    window.history.replaceState(null, "", location.pathname);  // it is opened once
  }
}

// A dialog of named things to choose from, by group.
function choose(groups, onChoice) {
  const list = () => {
    const wanted = $("filter").value.toLowerCase();
    $("choices").replaceChildren(...groups.map(([title, items]) => {
      const shown = items.filter(({name, about}) => `${name} ${about} ${title}`.toLowerCase().includes(wanted));
      return shown.length ? element("section", {}, element("h3", {textContent: title}), element("div", {className: "list"}, ...shown.map((item) => {
        const button = element("button", {type: "button"}, element("b", {textContent: item.name}), element("span", {textContent: item.about}));
        button.addEventListener("click", () => {
          $("chooser").close();
          onChoice(item);
        });
        return button;
      }))) : null;
    }).filter((section) => section));
  };
  $("filter").value = "";
  $("filter").oninput = list;
  $("filter").onkeydown = (event) => { if (event.key === "Enter") $("choices").querySelector("button")?.click(); };
  list();
  $("chooser").showModal();
}

function chooseFile(decks) {
  choose([[decks.length ? "Decks in this folder" : "There are no decks in this folder", decks.map((name) => ({name, about: ""}))]],
         ({name}) => send({do: "open", name}));
}

function chooseTemplate() {
  const groups = new Map(["Dipoles", "Verticals", "Loops", "Beams", "Arrays", "Long wires"].map((name) => [name, []]));
  for (const {name, group, title, text} of page.templates) {
    const [head, ...rest] = title.split(". ");
    groups.set(group, [...(groups.get(group) ?? []), {name: head.replace(/\.$/, ""), about: rest.join(". "), text, file: name}]);
  }
  choose([...groups], ({text, file}) => openDeck(file, text, ""));
}

function save() {
  const name = page.saved || page.named ? page.name : window.prompt("Save as", page.name || "antenna.nec");
  if (!name) return;
  Object.assign(page, {name, named: true});
  write(name, false);
  showFile();
}
function write(name, replace) {
  page.saving = editor.text;
  send({do: "save", name, text: page.saving, was: page.saved, replace});
}

// Pins, and measured data.

function pin() {
  if (!page.live) return;
  const name = window.prompt("Name of this result", `${(page.name || "result").replace(/\.\w+$/, "")} ${page.kept.length + 1}`);
  if (!name) return;
  page.kept.push({name, result: {...page.live, name}, stored: page.stored, deck: editor.text});
  showPins();
}
function keep(result) {
  page.kept.push({name: result.name, result});
  showPins();
}
function showPins() {
  $("pins").replaceChildren(...page.kept.map(({name}, k) => {
    const close = element("button", {type: "button", textContent: "×", ariaLabel: `Remove ${name}`});
    close.addEventListener("click", () => {
      page.kept.splice(k, 1);
      showPins();
    });
    return element("li", {}, element("i", {style: `background: ${colour(k + 1)}`}), name, close);
  }));
  if (page.live && !page.kept.length) page.live.name = page.name;
  showAll();
  remember();
}

// The state that the server keeps of the page, a second after the last change.
function remember() {
  clearTimeout(remember.timer);
  remember.timer = setTimeout(() => send({do: "keep", page: {
    deck: {name: page.name, text: editor.text, saved: page.saved},
    pins: page.kept.map(({name, stored, deck}) => ({name, stored, deck}))}}), 1000);
}

// The page's own state.

state.fontSize = 11;

function status(text, busy = false) {
  $("status").textContent = text;
  $("status").classList.toggle("busy", busy);
}
function fail(text) {
  $("failure").textContent = text;
  $("failure").hidden = false;
  clearTimeout(fail.timer);
  fail.timer = setTimeout(() => { $("failure").hidden = true; }, 12000);
}
$("failure").addEventListener("click", () => { $("failure").hidden = true; });

function setTheme(dark) {
  state.dark = dark;
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  $("theme").textContent = dark ? "Light" : "Dark";
  $("theme").setAttribute("aria-pressed", String(dark));
  view.redraw();
  drawAll();
}

// After a lost connection the page goes on with its own deck.
async function begin({hello, kept, templates, folder}) {
  page.templates = templates;
  page.folder = folder;
  if (page.begun) return solve();
  page.begun = true;
  const first = templates.find(({name}) => name === "dipole.nec") ?? templates[0];
  const {deck, pins = []} = kept.page ?? {};
  page.kept = pins.filter(({stored}) => stored).map(({name, stored, deck: text}) => ({name, stored, deck: text, result: {...liveOf(stored), name}}));
  if (await openLink(location.hash)) return;
  if (hello.text !== undefined) openDeck(hello.opened, hello.text, hello.saved);
  else if (deck) openDeck(deck.name, deck.text, deck.saved);
  else openDeck(first.name, first.text, "");
}

for (const [id, act] of Object.entries({new: chooseTemplate, open: () => send({do: "list"}), save, undo: editor.undo, redo: editor.redo, pin,
                                        theme: () => setTheme(!state.dark), fit: () => view.fit()})) {
  $(id).addEventListener("click", act);
}
$("chooser").addEventListener("click", (event) => { if (event.target === $("chooser")) $("chooser").close(); });
$("frequency").addEventListener("input", () => showPlace(Number($("frequency").value)));
$("band").addEventListener("change", () => {
  page.hertz = null;
  solve();
});
$("line").addEventListener("change", () => {
  const ohm = Number($("line").value);
  if (ohm > 0) Object.assign(state, {line: ohm});
  page.lineSet = true;
  drawAll();
});
$("mode").addEventListener("change", () => {
  view.mode = $("mode").value;
  view.redraw();
});
$("with-pattern").addEventListener("change", () => {
  view.withPattern = $("with-pattern").checked;
  view.redraw();
});
for (const radio of document.querySelectorAll("input[name=scale]")) {
  radio.addEventListener("change", () => {
    state.scale = radio.value;
    drawAll();
  });
}
for (const button of document.querySelectorAll("#tabs button")) {
  button.addEventListener("click", () => {
    document.body.dataset.tab = button.dataset.tab;
    view.redraw();
    drawStale();
  });
}
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "s") {
    event.preventDefault();
    save();
  }
});
window.addEventListener("hashchange", () => openLink(location.hash));
document.addEventListener("paste", (event) => {
  const text = event.clipboardData.getData("text");
  if (!isLink(text)) return;
  event.preventDefault();
  event.stopPropagation();
  openLink(text);
}, true);
window.addEventListener("beforeunload", (event) => { if (editor.text !== page.saved && page.named) event.preventDefault(); });
for (const id of Object.keys(DRAWN)) sight.observe($(id));

const send = connect(take, (open) => {
  page.connected = open;
  if (!open) status("not connected: is the server running?", true);
});
setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches);
page.view = view;
Object.assign(window, {  // for tests and the console
  editorText: () => editor.text,
  selectText(text) {
    const from = editor.text.indexOf(text);
    editor.view.dispatch({selection: {anchor: from, head: from + text.length}, scrollIntoView: true});
    editor.view.focus();
  },
});
export {page, editor, view, send, listeners, fail, keep, openDeck, knobs, $};
