// The editor: CodeMirror with the deck's colours, hints, completion and problems.

import {Decoration, EditorState, EditorView, MatchDecorator, StateEffect, StateField, ViewPlugin, Annotation,
        Transaction, WidgetType, basicSetup, undo, redo, isolateHistory} from "./vendor/codemirror/index.js";
import {CARDS, cardOf, symbolNames} from "./deck.js";

const fromPage = Annotation.define();  // changes that a knob or the view made

// Colours. A comment is a whole line, or what follows ! or '.
const COLOURS = new MatchDecorator({
  regexp: /^\s*C[ME]\b.*|^\s*[#!'].*|[!'].*$|(^\s*[A-Za-z][A-Za-z0-9])(?=\s|,|\d|$)|(?<![\w.])[+-]?(?:\d+\.?\d*|\.\d+)(?:[eEdD][+-]?\d+)?(?:mm|cm|in|ft|m|pF|nF|uF|pH|nH|uH|mH)?\b|[A-Za-z_]\w*/gm,
  decoration: ([text, card]) => Decoration.mark({class: card ? "deck-card" : /^\s*C[ME]\b|^\s*[#!']/.test(text) ?
      "deck-comment" : /^[+-]?[\d.]/.test(text) ? "deck-number" : "deck-symbol"}),
});
const colours = ViewPlugin.fromClass(class {
  constructor(view) { this.decorations = COLOURS.createDeco(view); }
  update(update) { this.decorations = COLOURS.updateDeco(update, this.decorations); }
}, {decorations: (plugin) => plugin.decorations});

// Problems: the field underlined, the text below its line.
class Message extends WidgetType {
  constructor(problem) { super(); this.problem = problem; }
  eq(other) { return other.problem.text === this.problem.text && other.problem.severity === this.problem.severity; }
  toDOM() {
    return element("div", {className: `problem ${this.problem.severity}`, role: "status",
                           textContent: this.problem.text.replace(/^[A-Z]{2} field \d+ \((.*?)\)/, "$1")});
  }
}
const setProblems = StateEffect.define();
const problems = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setProblems)) marks = problemMarks(transaction.state.doc, effect.value);
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function problemMarks(doc, list) {
  const marks = [];
  for (const problem of list) {
    if (problem.line < 1 || problem.line > doc.lines) continue;
    const line = doc.line(problem.line), card = cardOf(line.text);
    let place = card?.fields[problem.field - 1];
    const quoted = !place && /'([^']+)'/.exec(problem.text), at = quoted ? line.text.indexOf(quoted[1]) : -1;
    if (at >= 0) place = {from: at, to: at + quoted[1].length};
    // A missing field is shown at the card's end.
    const [from, to] = place ? [place.from, place.to] : problem.field && card ? [Math.max(0, card.end - 1), card.end] :
        [card?.at ?? 0, card?.end ?? line.length];
    if (to > from) marks.push(Decoration.mark({class: `mark-${problem.severity}`}).range(line.from + from, line.from + to));
    marks.push(Decoration.widget({widget: new Message(problem), block: true, side: 1}).range(line.to));
  }
  return Decoration.set(marks, true);
}

// The wire that the view has picked.
const setPicked = StateEffect.define();
const picked = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setPicked)) continue;
      marks = effect.value < 1 || effect.value > transaction.state.doc.lines ? Decoration.none :
          Decoration.set([Decoration.line({class: "picked"}).range(transaction.state.doc.line(effect.value).from)]);
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

// Cards at the start of a line, symbols elsewhere.
function complete(context) {
  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (!word && !context.explicit) return null;
  const line = context.state.doc.lineAt(context.pos), from = word?.from ?? context.pos;
  const atStart = line.text.slice(0, from - line.from).trim() === "";
  const options = atStart ? Object.entries(CARDS).map(([label, [detail]]) => ({label, detail, type: "keyword", apply: `${label} `})) :
      symbolNames(context.state.doc.toString()).map((label) => ({label, detail: "symbol", type: "variable"}));
  return options.length ? {from, options, validFor: /^\w*$/} : null;
}

// The card and the field at the cursor, as text and number of the field (0: the card itself).
function fieldAt(state) {
  const {head} = state.selection.main, line = state.doc.lineAt(head), card = cardOf(line.text);
  if (!card) return {line: line.number, card: null, field: 0};
  const column = head - line.from;
  const inside = card.fields.findIndex(({to}) => column <= to);
  const field = column <= card.at + 2 ? 0 : inside < 0 ? card.fields.length + 1 : inside + 1;
  return {line: line.number, card: card.card, field};
}

// on.change(text, byUser), on.cursor({line, card, field}).
export function makeEditor(parent, on) {
  const view = new EditorView({parent, state: stateOf("")});

  function stateOf(text) {
    return EditorState.create({doc: text, extensions: [
      basicSetup, colours, problems, picked,
      EditorState.languageData.of(() => [{autocomplete: complete}]),
      EditorView.contentAttributes.of({"aria-label": "Deck", spellcheck: "false", autocapitalize: "characters"}),
      EditorView.updateListener.of((update) => {
        const why = update.transactions.map((t) => t.annotation(fromPage)).find((page) => page);
        if (update.docChanged && why !== "commit") on.change(update.state.doc.toString(), why !== "move");
        if (update.docChanged || update.selectionSet) on.cursor(fieldAt(update.state));
      }),
    ]});
  }

  return {
    view,
    get text() { return view.state.doc.toString(); },
    // Another deck, without the one before in undo.
    open(text) {
      view.setState(stateOf(text));
      on.change(text, true);
      on.cursor(fieldAt(view.state));
    },
    // A change while a knob moves, which undo does not know before commit().
    move(changes) {
      view.dispatch({changes, annotations: [fromPage.of("move"), Transaction.addToHistory.of(false)]});
    },
    // Makes all moves since the text was this one step of undo.
    commit(before) {
      const after = view.state.doc.toString();
      if (after === before) return;
      let from = 0, tail = 0;
      while (before[from] === after[from]) from++;
      const most = Math.min(before.length, after.length) - from;
      while (tail < most && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
      const old = before.slice(from, before.length - tail), made = after.slice(from, after.length - tail);
      const silent = fromPage.of("commit");
      view.dispatch({changes: {from, to: from + made.length, insert: old}, annotations: [silent, Transaction.addToHistory.of(false)]});
      view.dispatch({changes: {from, to: from + old.length, insert: made}, annotations: [silent, isolateHistory.of("full")]});
    },
    replace(text) { view.dispatch({changes: {from: 0, to: view.state.doc.length, insert: text}, annotations: isolateHistory.of("full")}); },
    show(list) { view.dispatch({effects: setProblems.of(list)}); },
    pick(line, move) {
      const effects = [setPicked.of(line)];
      if (move && line >= 1 && line <= view.state.doc.lines) {
        const {from} = view.state.doc.line(line);
        effects.push(EditorView.scrollIntoView(from, {y: "center"}));
        view.dispatch({selection: {anchor: from}});
      }
      view.dispatch({effects});
    },
    undo: () => undo(view), redo: () => redo(view),
  };
}

// "GW wire: tag segments x1 ..." with the field at the cursor marked.
export function hintOf({card, field}) {
  const known = card && CARDS[card];
  if (!known) return [element("span", {className: "faint", textContent: card ? `${card}: no card that is known` : "Ctrl-Space completes cards and symbols"})];
  const names = known.slice(1);
  return [element("b", {textContent: card}), element("span", {className: "faint", textContent: ` ${known[0]} `}),
          ...names.map((name, i) => element("span", {className: i + 1 === field ? "field here" : "field", textContent: name}))];
}
