// The antenna in space, drawn on a canvas without other libraries: wires with their currents,
// the pattern around them, the ground; turned, zoomed, picked and dragged by the pointer.

const TAU = 2 * Math.PI;
const MAX_RIBBONS = 600, MAX_HANDLES = 200;  // segments with a curve of current; ends to drag
const REACH = 12;  // pixels from which something is picked

const REST_MS = 150;  // after which a picture that was moved is drawn finely
const PATTERN = 0.55;  // the pattern's radius over the antenna's size

const add = (a, b, factor = 1) => [a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]];
const STOPS = SCALE.map(([at, hex]) => [at, [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16))]);

// A colour of the report's scale, 0 to 1, made lighter or darker; of 64 by 32 steps each once.
const made = new Map();
function scaled(value, light = 1) {
  const key = 64 * Math.round(32 * light) + Math.round(63 * Math.min(1, Math.max(0, value)));
  if (!made.has(key)) made.set(key, colourOf((key % 64) / 63, Math.floor(key / 64) / 32));
  return made.get(key);
}
function colourOf(at, light) {
  const k = Math.max(1, STOPS.findIndex(([stop]) => stop >= at));
  const [low, from] = STOPS[k - 1], [high, to] = STOPS[k], part = (at - low) / (high - low);
  return `rgb(${from.map((c, i) => Math.round(Math.min(255, light * (c + part * (to[i] - c))))).join(" ")})`;
}

// on.pick(tag, segment), on.drag(points, xyz, step) with what is left of a drag in progress
// (returns the text of the new value), on.dragStart(), on.dragEnd().
export class View {
  constructor(canvas, tip, on) {
    Object.assign(this, {canvas, tip, on, azimuth: -0.9, elevation: 0.42, zoom: 1, turned: [0, 0, 0],
                         mode: "magnitude", withPattern: true, phase: 0, pickedTag: null, hover: null, result: null});
    this.context = canvas.getContext("2d");
    this.back = document.createElement("canvas");
    new ResizeObserver(() => this.redraw()).observe(canvas);
    this.pointers = new Map();
    for (const [name, handler] of [["pointerdown", this.down], ["pointermove", this.move], ["pointerup", this.up],
                                   ["pointercancel", this.up], ["pointerleave", this.leave], ["dblclick", this.fit]]) {
      canvas.addEventListener(name, handler.bind(this));
    }
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoomBy(Math.exp(-0.0015 * event.deltaY));
    }, {passive: false});
    canvas.addEventListener("keydown", (event) => {
      const turn = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
      if (turn) this.turn(30 * turn[0], -30 * turn[1]);
      else if (event.key === "+" || event.key === "-") this.zoomBy(event.key === "+" ? 1.2 : 1 / 1.2);
      else return;
      event.preventDefault();
    });
  }

  // Shows a result's structure and its currents and pattern at these indices; `wires`: ends that
  // can be dragged.
  show(result, point, geometry) {
    const s = result.structure, old = this.size;
    Object.assign(this, {result, point, geometry, s});
    const row = Math.max(0, s.currents.at.indexOf(nearestPoint(result, s.currents.at, result.place.get(point))));
    this.ampere = s.currents.ampere.subarray(row * s.drawn, (row + 1) * s.drawn);
    this.degree = s.currents.degree.subarray(row * s.drawn, (row + 1) * s.drawn);
    this.most = greatest(this.ampere) || 1;
    const at = nearestPoint(result, result.gridPoints, result.place.get(point));
    this.grid = at === null ? null : result.grids.find((grid) => grid.at === at);
    this.surface = this.grid ? this.surfaceOf(this.grid) : null;
    this.surfaceKey = null;
    this.shown = performance.now();
    // While an end is dragged the picture stands still.
    if (!this.dragging) {
      this.middle = s.low.map((low, i) => (low + s.high[i]) / 2);
      this.size = Math.hypot(...s.size) || 1;
      if (old && Math.abs(Math.log(this.size / old)) > 1.2) this.zoom = 1;
    }
    this.redraw();
  }

  handles() {
    const found = new Map();
    for (const [line, of, ...xyz] of (this.geometry?.wires ?? []).slice(0, MAX_HANDLES)) {
      const place = this.geometry.places[of];
      for (const end of [0, 1]) {
        const own = xyz.slice(3 * end, 3 * end + 3);
        const p = [0, 4, 8].map((row) => own.reduce((sum, value, i) => sum + place[row + i] * value, place[row + 3]));
        const key = p.map((value) => (Math.abs(value) < 1e-9 ? 0 : value).toPrecision(6)).join();
        if (!found.has(key)) found.set(key, {xyz: p, of: []});
        // Of a wire and its image that meet, the wire.
        const ends = found.get(key).of;
        if (!ends.some((other) => other.line === line && other.end === end)) ends.push({line, end, place});
      }
    }
    return [...found.values()];
  }

  // The camera.

  turn(dx, dy) {
    this.azimuth -= 0.008 * dx;
    this.elevation = Math.min(1.57, Math.max(-1.57, this.elevation + 0.008 * dy));
    this.redraw();
  }
  zoomBy(factor) {
    this.zoom = Math.min(50, Math.max(0.1, this.zoom * factor));
    this.redraw();
  }
  fit() {
    Object.assign(this, {zoom: 1, turned: [0, 0, 0]});
    this.redraw();
  }
  look() {
    const [ca, sa, ce, se] = [Math.cos(this.azimuth), Math.sin(this.azimuth), Math.cos(this.elevation), Math.sin(this.elevation)];
    this.right = [-sa, ca, 0];
    this.up_ = [-se * ca, -se * sa, ce];
    this.toward = [ce * ca, ce * sa, se];
    const {clientWidth: w, clientHeight: h} = this.canvas;
    const around = this.surface && this.withPattern ? 1.16 : 1.08;
    this.scale = this.zoom * 0.92 * Math.min(w, h) / (around * this.size);
    this.centre = add(this.middle, this.turned);
    this.distance = 3.2 * this.size;
  }
  // Pixels of a point, and its depth, more being nearer.
  project([x, y, z]) {
    const c = this.centre, r = this.right, u = this.up_, t = this.toward;
    const [dx, dy, dz] = [x - c[0], y - c[1], z - c[2]];
    const depth = dx * t[0] + dy * t[1] + dz * t[2];
    const k = this.scale * this.distance / Math.max(0.05 * this.distance, this.distance - depth);
    return [this.canvas.clientWidth / 2 + k * (dx * r[0] + dy * r[1]),
            this.canvas.clientHeight / 2 - k * (dx * u[0] + dy * u[1] + dz * u[2]), depth, k];
  }

  // Drawing, once a frame at most.

  redraw() {
    if (this.asked || !this.result) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }

  draw() {
    const {canvas, context: c} = this, ratio = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!w || !h || !this.result) return;
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    this.look();
    const css = getComputedStyle(document.documentElement);
    this.colours = Object.fromEntries(["text", "faint", "line", "grid", "card", "port", "load", "soil", "link"].map(
        (name) => [name, css.getPropertyValue(`--${name}`).trim()]));
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    c.lineCap = c.lineJoin = "round";
    if (this.s.ground) this.drawGround();
    if (this.surface && this.withPattern) this.drawSurface(ratio);
    this.drawWires();
    this.drawMarks();
    this.drawFrame();
    if (this.mode === "animate") {
      this.phase = (performance.now() / 2400) % 1 * TAU;
      this.redraw();
    }
  }

  path(points) {
    const c = this.context;
    c.beginPath();
    points.forEach((p, i) => i ? c.lineTo(p[0], p[1]) : c.moveTo(p[0], p[1]));
  }

  drawGround() {
    const c = this.context, reach = 0.5 * this.size * (this.withPattern && this.surface ? 1.5 : 1.2);
    const lines = 8, [mx, my] = this.middle;
    const corner = (x, y) => this.project([mx + x * reach, my + y * reach, 0]);
    this.path([corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)]);
    c.fillStyle = this.colours.soil;
    c.globalAlpha = 0.12;
    c.fill();
    c.globalAlpha = 0.3;
    c.strokeStyle = this.colours.soil;
    c.lineWidth = 1;
    for (let i = 0; i <= lines; i++) {
      const at = -1 + 2 * i / lines;
      this.path([corner(at, -1), corner(at, 1)]);
      c.stroke();
      this.path([corner(-1, at), corner(1, at)]);
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  // The pattern's points, around the middle (over ground on it), the strongest as far as 0.55 of the size.
  surfaceOf(grid) {
    const gains = grid.gains(), peak = greatest(gains), points = [];
    for (const [t, theta] of grid.theta.entries()) {
      const st = Math.sin(theta * TAU / 360), ct = Math.cos(theta * TAU / 360);
      for (const [p, phi] of grid.phi.entries()) {
        const below = gains[t * grid.phi.length + p] - peak, r = radius(below, state.scale);
        points.push([r * st * Math.cos(phi * TAU / 360), r * st * Math.sin(phi * TAU / 360), r * ct, below]);
      }
    }
    return {points, gains};
  }

  drawSurface(ratio) {
    const c = this.context, {canvas, back} = this;
    // Of a picture that changes every second angle; all of them once it stands still.
    const seen = [this.azimuth, this.elevation, this.scale, canvas.width, canvas.height, ...this.centre].join();
    if (this.seen && this.seen !== seen) this.shown = performance.now();
    this.seen = seen;
    const still = performance.now() - this.shown > REST_MS, stride = still ? 1 : 2;
    if (!still && !this.resting) this.resting = setTimeout(() => {
      this.resting = 0;
      this.redraw();
    }, REST_MS + 20);
    if (this.surfaceKey !== seen + stride) {
      this.surfaceKey = seen + stride;
      if (back.width !== canvas.width || back.height !== canvas.height) [back.width, back.height] = [canvas.width, canvas.height];
      const b = back.getContext("2d");
      b.setTransform(ratio, 0, 0, ratio, 0, 0);
      b.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
      this.origin = [this.middle[0], this.middle[1], this.s.ground ? 0 : this.middle[2]];
      this.fillSurface(b, stride);
    }
    c.save();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.globalAlpha = 0.42;
    c.drawImage(back, 0, 0);
    c.restore();
  }

  // Quadrangles that face the viewer, the nearest last, lit by their angle to him.
  fillSurface(b, stride) {
    const {points} = this.surface, size = PATTERN * this.size, all = [this.grid.theta.length, this.grid.phi.length];
    const [rows, columns] = all.map((count) => [...Array(count).keys()].filter((i) => i % stride === 0 || i === count - 1));
    const at = new Map(), quads = [];
    const corner = (t, p) => {
      const k = rows[t] * all[1] + columns[p];
      if (!at.has(k)) at.set(k, [...this.project(add(this.origin, points[k], size)), points[k]]);
      return at.get(k);
    };
    const open = this.s.ground && this.elevation < 0;  // seen from below, from within
    for (let t = 0; t + 1 < rows.length; t++) {
      for (let p = 0; p + 1 < columns.length; p++) {
        const q = [corner(t, p), corner(t, p + 1), corner(t + 1, p + 1), corner(t + 1, p)];
        const area = (q[2][0] - q[0][0]) * (q[3][1] - q[1][1]) - (q[2][1] - q[0][1]) * (q[3][0] - q[1][0]);
        if (area > 0 || open) quads.push([q[0][2] + q[2][2], q, area]);
      }
    }
    quads.sort((x, y) => x[0] - y[0]);
    b.lineWidth = 0.8;
    for (const [, [q0, q1, q2, q3], area] of quads) {
      const [u, v] = [add(q2[4], q0[4], -1), add(q3[4], q1[4], -1)];
      const whole = Math.hypot(u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]) * (size * q0[3]) ** 2;
      b.fillStyle = b.strokeStyle = scaled(1 + (q0[4][3] + q2[4][3]) / 80, 0.72 + 0.36 * Math.min(1, Math.abs(area) / (whole || 1)));
      b.beginPath();
      b.moveTo(q0[0], q0[1]);
      b.lineTo(q1[0], q1[1]);
      b.lineTo(q2[0], q2[1]);
      b.lineTo(q3[0], q3[1]);
      b.closePath();
      b.fill();
      b.stroke();
    }
  }

  segmentEnds(i) {
    const e = this.s.ends;
    return [[e[6 * i], e[6 * i + 1], e[6 * i + 2]], [e[6 * i + 3], e[6 * i + 4], e[6 * i + 5]]];
  }

  drawWires() {
    const c = this.context, {s} = this, drawn = [];
    this.ends = [];
    for (let i = 0; i < s.drawn; i++) {
      const [a, b] = this.segmentEnds(i).map((end) => this.project(end));
      this.ends.push([a, b]);
      drawn.push([a[2] + b[2], i]);
    }
    drawn.sort((a, b) => a[0] - b[0]);
    if (s.drawn <= MAX_RIBBONS) this.drawRibbons();
    for (const [, i] of drawn) {
      const [a, b] = this.ends[i], part = this.ampere[i] / this.most;
      const radius = this.result.radius ? this.result.radius[i] : 0;
      const picked = s.tags[i] === this.pickedTag;
      c.lineWidth = Math.min(14, Math.max(s.drawn > 2000 ? 1.2 : 3, 2 * radius * a[3])) + (picked ? 2 : 0);
      if (picked) {
        c.strokeStyle = this.colours.link;
        c.globalAlpha = 0.35;
        c.lineWidth += 5;
        this.path([a, b]);
        c.stroke();
        c.globalAlpha = 1;
        c.lineWidth -= 5;
      }
      c.strokeStyle = this.mode === "phase" ? `hsl(${(this.degree[i] + 360) % 360} 70% ${35 + 25 * part}%)` :
          this.mode === "animate" ? scaled(0.5 + 0.5 * part * Math.cos(this.phase + this.degree[i] * TAU / 360)) : scaled(part);
      this.path([a, b]);
      c.stroke();
    }
  }

  // The current as a curve beside its wire: the magnitude, or the value at this phase.
  drawRibbons() {
    const c = this.context, height = 0.1 * Math.min(this.canvas.clientWidth, this.canvas.clientHeight) * Math.min(1.5, this.zoom);
    c.fillStyle = c.strokeStyle = this.colours.link;
    c.lineWidth = 1.3;
    for (let i = 0; i < this.s.drawn;) {
      const tops = [], feet = [], first = i;
      for (; i < this.s.drawn && this.s.tags[i] === this.s.tags[first] && (i === first || this.joined(i - 1, i)); i++) {
        const [a, b] = this.ends[i], length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
        const angle = this.mode === "animate" ? Math.cos(this.phase + this.degree[i] * TAU / 360) : 1;
        const off = height * this.ampere[i] / this.most * angle;
        const middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
        tops.push([middle[0] + off * (b[1] - a[1]) / length, middle[1] - off * (b[0] - a[0]) / length]);
        feet.push(a, b);
      }
      this.path([feet[0], ...tops, feet.at(-1), ...feet.reverse()]);
      c.globalAlpha = 0.13;
      c.fill();
      this.path([feet.at(-1), ...tops, feet[0]]);
      c.globalAlpha = 0.55;
      c.stroke();
    }
    c.globalAlpha = 1;
  }
  joined(i, k) {
    const e = this.s.ends;
    return Math.hypot(e[6 * i + 3] - e[6 * k], e[6 * i + 4] - e[6 * k + 1], e[6 * i + 5] - e[6 * k + 2]) < 1e-5 * this.size;
  }

  drawMarks() {
    const c = this.context, {s} = this;
    c.lineWidth = 2;
    c.setLineDash([5, 5]);
    c.strokeStyle = this.colours.faint;
    for (const line of s.lines) {
      this.path(line.ends.map((end) => this.project(end)));
      c.stroke();
    }
    c.setLineDash([]);
    const mark = (xyz, fill, size, square) => {
      const [x, y] = this.project(xyz);
      c.beginPath();
      if (square) c.rect(x - size, y - size, 2 * size, 2 * size);
      else c.arc(x, y, size, 0, TAU);
      c.fillStyle = fill;
      c.fill();
      c.strokeStyle = this.colours.card;
      c.stroke();
    };
    for (const load of s.loads) mark(load.xyz, this.colours.load, 4.5, true);
    for (const port of s.ports) mark(port.xyz, this.colours.port, s.ports.length > 12 ? 3.5 : 6);
    c.lineWidth = 1.5;
    for (const handle of this.handles()) {
      const [x, y] = this.project(handle.xyz), here = this.hover?.handle && same(this.hover.handle.xyz, handle.xyz);
      c.beginPath();
      c.arc(x, y, here ? 7 : 3.2, 0, TAU);
      c.fillStyle = here ? this.colours.link : this.colours.card;
      c.globalAlpha = here ? 1 : 0.9;
      c.fill();
      c.strokeStyle = here ? this.colours.card : this.colours.faint;
      c.stroke();
      c.globalAlpha = 1;
    }
    if (this.dragging?.axis !== undefined && this.dragging.axis !== null) {
      const along = [0, 0, 0];
      along[this.dragging.axis] = this.size;
      this.path([this.project(add(this.dragging.from, along, -2)), this.project(add(this.dragging.from, along, 2))]);
      c.strokeStyle = this.colours.link;
      c.setLineDash([2, 6]);
      c.stroke();
      c.setLineDash([]);
    }
  }

  // Axes, and a length to compare with.
  drawFrame() {
    const c = this.context, h = this.canvas.clientHeight, w = this.canvas.clientWidth, origin = [34, h - 34];
    c.font = "11px system-ui, sans-serif";
    c.lineWidth = 1.5;
    c.textAlign = "center";
    c.textBaseline = "middle";
    ["x", "y", "z"].forEach((name, i) => {
      const [dx, dy] = [24 * this.right[i], -24 * this.up_[i]];
      c.strokeStyle = c.fillStyle = this.colours.faint;
      this.path([origin, [origin[0] + dx, origin[1] + dy]]);
      c.stroke();
      c.fillText(name, origin[0] + 1.38 * dx, origin[1] + 1.38 * dy);
    });
    const wanted = 90 / this.scale, power = 10 ** Math.floor(Math.log10(wanted));
    const length = [5, 2, 1].map((k) => k * power).find((value) => value <= wanted);
    const px = length * this.scale, right = w - 20;
    this.path([[right - px, h - 20], [right, h - 20]]);
    c.stroke();
    c.textAlign = "right";
    c.fillText(length < 0.1 ? `${Number((1e3 * length).toPrecision(2))} mm` : `${Number(length.toPrecision(2))} m`, right, h - 31);
  }

  // The pointer.

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  // What is at a place: the end of a wire, a segment, or nothing.
  at([x, y], reach = REACH) {
    let best = null, least = reach;
    for (const handle of this.handles()) {
      const [px, py] = this.project(handle.xyz), off = Math.hypot(px - x, py - y) - 3;
      if (off < least) [best, least] = [{handle}, off];
    }
    if (best) return best;
    least = reach - 3;
    this.ends?.forEach(([a, b], i) => {
      const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
      const along = Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / (dx * dx + dy * dy || 1)));
      const off = Math.hypot(a[0] + along * dx - x, a[1] + along * dy - y);
      if (off < least) [best, least] = [{segment: i}, off];
    });
    return best;
  }

  down(event) {
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.focus({preventScroll: true});
    const place = this.place(event);
    this.pointers.set(event.pointerId, place);
    if (this.pointers.size > 1 || !this.result) return;
    this.start = place;
    this.moved = false;
    const found = this.at(place, event.pointerType === "touch" ? 22 : REACH);
    if (found?.handle && event.button === 0) {
      this.dragging = {...found.handle, from: found.handle.xyz, start: place, axis: null};
      this.on.dragStart();
    }
  }

  move(event) {
    const place = this.place(event), before = this.pointers.get(event.pointerId);
    if (!before) return this.hoverAt(place);
    const [dx, dy] = [place[0] - before[0], place[1] - before[1]];
    if (Math.hypot(place[0] - this.start?.[0], place[1] - this.start?.[1]) > 4) this.moved = true;
    if (this.pointers.size > 1) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const gap = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      this.zoomBy(gap(place) / gap(before));
    } else if (this.dragging) {
      this.drag(place, event.shiftKey);
    } else if (event.shiftKey || event.buttons & 6) {
      this.turned = add(add(this.turned, this.right, -dx / this.scale), this.up_, dy / this.scale);
      this.redraw();
    } else if (this.moved) {
      this.turn(dx, dy);
    }
    this.pointers.set(event.pointerId, place);
  }

  // Moves an end along the axis that the pointer follows best; with Shift freely across the view.
  drag(place, free) {
    const d = this.dragging, k = this.project(d.from)[3];
    const [dx, dy] = [place[0] - d.start[0], place[1] - d.start[1]];
    if (Math.hypot(dx, dy) < 4 && !this.moved) return;
    const step = 10 ** Math.floor(Math.log10(1.5 / k));
    if (free) {
      d.axis = null;
      const to = add(add(d.from, this.right, dx / k), this.up_, -dy / k);
      this.tell(place, this.on.drag(d.of, to.map((value) => Math.round(value / step) * step), [0, 1, 2], step));
      return;
    }
    const screen = [0, 1, 2].map((i) => [this.right[i], -this.up_[i]]);
    const along = screen.map(([sx, sy]) => Math.abs(sx * dx + sy * dy) / (Math.hypot(sx, sy) > 0.15 ? Math.hypot(sx, sy) : Infinity));
    if (d.axis === null || Math.hypot(dx, dy) < 12) d.axis = along.indexOf(Math.max(...along));
    const [sx, sy] = screen[d.axis], to = [...d.from];
    to[d.axis] += (sx * dx + sy * dy) / (k * (sx * sx + sy * sy));
    to[d.axis] = Math.round(to[d.axis] / step) * step;
    this.tell(place, this.on.drag(d.of, to, [d.axis], step));
    this.redraw();
  }

  up(event) {
    const had = this.pointers.delete(event.pointerId);
    if (this.dragging) {
      this.dragging = null;
      this.on.dragEnd();
      this.tell();
    } else if (had && !this.moved && this.pointers.size === 0 && event.type === "pointerup") {
      const found = this.at(this.place(event), event.pointerType === "touch" ? 22 : REACH);
      const i = found?.segment;
      if (i !== undefined) this.on.pick(this.s.tags[i], this.s.numbers[i]);
      else this.on.pick(null);
      if (event.pointerType === "touch") this.hoverAt(this.place(event));
    }
  }
  leave() {
    this.hover = null;
    this.tell();
    this.redraw();
  }

  hoverAt(place) {
    if (!this.result || !this.ends) return;
    const found = this.at(place);
    this.canvas.style.cursor = found ? "pointer" : "grab";
    const key = JSON.stringify(found?.handle?.xyz ?? found?.segment ?? null);
    if (key !== this.hoverKey) {
      this.hoverKey = key;
      this.hover = found;
      this.redraw();
    }
    this.tell(place, found?.handle ? `${found.handle.xyz.map((v) => short(v)).join(", ")} m: drag` :
        found ? this.segmentText(found.segment) : this.gainText(place));
  }
  segmentText(i) {
    const {s} = this, mark = [...s.ports, ...s.loads].find(({xyz}) => same(xyz, this.segmentEnds(i)[0].map(
        (value, k) => (value + this.segmentEnds(i)[1][k]) / 2), 1e-4 * this.size));
    return `tag ${s.tags[i]}, segment ${s.numbers[i]}: ${short(1000 * this.ampere[i])} mA, ${fixed(this.degree[i], 1)}°${mark ? `; ${mark.text}` : ""}`;
  }
  // The gain of the pattern's nearest point that faces the viewer.
  gainText([x, y]) {
    if (!this.surface || !this.withPattern || !this.origin) return "";
    let best = -1, deepest = -Infinity;
    this.surface.points.forEach((p, i) => {
      const [px, py, depth] = this.project(add(this.origin, p, PATTERN * this.size));
      if (Math.hypot(px - x, py - y) < 9 && depth > deepest) [best, deepest] = [i, depth];
    });
    if (best < 0) return "";
    const n = this.grid.phi.length;
    return `${fixed(this.surface.gains[best], 2)} dBi at θ ${this.grid.theta[Math.floor(best / n)]}°, φ ${this.grid.phi[best % n]}°`;
  }
  tell([x, y] = [0, 0], text = "") {
    this.tip.hidden = !text;
    this.tip.textContent = text;
    this.tip.style.left = `${Math.min(x + 14, this.canvas.clientWidth - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${y > 60 ? y - 34 : y + 18}px`;
  }
}

function same(a, b, within = 1e-9) { return a.every((value, i) => Math.abs(value - b[i]) <= within); }
