// A slider for each symbol that is a number.

import {numberText, symbolsOf} from "./deck.js";

// on.start(), on.move(change), on.end(): a number of the deck changes as a slider moves.
export class Knobs {
  constructor(parent, on) {
    Object.assign(this, {parent, on, ranges: new Map(), rows: new Map(), symbols: []});
  }

  // The symbols of a deck; rows stay where names stay, so that a slider in the hand is not lost.
  // typed: whether the user wrote numbers, which sliders then have in their middle.
  show(text, typed) {
    const old = new Map(this.symbols.map(({name, value}) => [name, value]));
    this.symbols = symbolsOf(text);
    for (const {name, value} of this.symbols) {
      if (typed && old.get(name) !== value && !this.ranges.get(name)?.own) this.ranges.delete(name);
    }
    const names = this.symbols.map(({name}) => name);
    if (names.join() !== [...this.rows.keys()].join()) {
      this.rows = new Map(names.map((name) => [name, this.row(name)]));
      this.parent.replaceChildren(...[...this.rows.values()].map(({root}) => root));
    }
    for (const symbol of this.symbols) this.fill(symbol);
  }

  // Its range: half as much to half as much again, until the value leaves it.
  rangeOf({name, value}) {
    let range = this.ranges.get(name);
    if (!range || value < range[0] || value > range[1]) {
      const reach = Math.abs(value) / 2 || 1;
      const step = 10 ** Math.floor(Math.log10(reach / 10));
      range = [Math.floor((value - reach) / step) * step, Math.ceil((value + reach) / step) * step];
      this.ranges.set(name, range.map((end) => Number(end.toPrecision(6))));
    }
    return this.ranges.get(name);
  }
  static step([low, high]) { return 10 ** Math.floor(Math.log10((high - low) / 400)); }

  row(name) {
    const slider = element("input", {type: "range", id: `knob-${name}`});
    const ends = [0, 1].map((end) => element("input", {className: "end", ariaLabel: `${name}: ${end ? "greatest" : "least"}`, title: "End of the slider"}));
    const value = element("input", {type: "number", step: "any", ariaLabel: name}), unit = element("span");
    const find = () => this.symbols.find((symbol) => symbol.name === name);
    const set = (text) => {
      const {from, to} = find();
      this.on.move({from, to, insert: text});
    };
    const begin = () => {
      if (!this.moving) this.on.start();
      this.moving = true;
    };
    const end = () => {
      if (this.moving) this.on.end();
      this.moving = false;
    };
    slider.addEventListener("input", () => {
      begin();
      set(numberText(Number(slider.value), Knobs.step(this.rangeOf(find()))));
    });
    slider.addEventListener("change", end);
    value.addEventListener("change", () => {
      if (!Number.isFinite(value.valueAsNumber)) return this.fill(find());
      this.ranges.delete(name);
      begin();
      set(value.value);
      end();
    });
    ends.forEach((input, k) => input.addEventListener("change", () => {
      const range = [...this.rangeOf(find())], wanted = Number(input.value);
      range[k] = wanted;
      if (Number.isFinite(wanted) && range[0] < range[1]) this.ranges.set(name, Object.assign(range, {own: true}));
      this.fill(find());
    }));
    const root = element("div", {className: "knob"}, element("label", {htmlFor: slider.id, textContent: name}), ends[0], slider, ends[1],
                         element("span", {className: "value"}, value, unit));
    return {root, slider, ends, value, unit};
  }

  fill(symbol) {
    const row = this.rows.get(symbol.name), range = this.rangeOf(symbol);
    Object.assign(row.slider, {min: range[0], max: range[1], step: Knobs.step(range)});
    if (Number(row.slider.value) !== symbol.value) row.slider.value = symbol.value;
    if (document.activeElement !== row.value) row.value.value = symbol.value;
    row.unit.textContent = symbol.unit;
    row.ends.forEach((input, k) => { if (document.activeElement !== input) input.value = short(range[k], 4).replace("−", "-"); });
  }
}
