// SPDX-License-Identifier: MIT
// Plots: curves over time or over each other on a canvas, axes with titles and units, a cursor, a part to zoom into.
// Curves are drawn; every text is an element of the page, with the font and size of the page.
// A curve is {x, xShift, y, shift, from, to, colour, width, dash}: columns, and the range of rows that is drawn. Of row i,
// x[i + xShift] and y[i + shift] are drawn; null where there is none. kind: thin (faint), points, band (band {y, shift} is its half width) or
// bars (horizontal, from x to end); rising: x never decreases.
import {decadesFor, marksFor} from './units.js';

const xAt = (c, i) => c.x[i + c.xShift] ?? NaN;
const valueAt = (c, i) => c.y[i + c.shift] ?? NaN;

function extent(c, read) {
  let low = Infinity, high = -Infinity;
  for (let i = c.from; i < c.to; i++) {
    const v = read(c, i);
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

// A range that contains zero, grows at once and shrinks only if less than half of it is used, so that axes change rarely.
class Range {
  constructor() {
    this.clear(1e-6);
  }

  clear(least) {
    this.least = least;
    this.ends = [0, 0];
  }

  fit(low, high) {
    const near = Math.min(low, 0), far = Math.max(high, 0), span = far - near;
    if (!Number.isFinite(span)) return this.shown();
    const [a, b] = this.ends, pad = 0.15 * span;
    if (near < a || far > b) this.ends = [near < a ? near - pad : a, far > b ? far + pad : b];
    else if (span < 0.5 * (b - a)) this.ends = [near && near - pad, far && far + pad];
    return this.shown();
  }

  shown() {
    const [a, b] = this.ends, missing = Math.max(0, this.least - (b - a)) / 2;
    return [a - missing, b + missing];
  }
}

const titled = (text, unit) => (unit ? `${text} [${unit}]`.trim() : text);
const around = (low, high, least) => {
  const middle = (low + high) / 2, half = Math.max(0.55 * (high - low), least / 2, 1e-9 * Math.abs(middle));
  return Number.isFinite(half) ? [middle - half, middle + half] : [-least, least];
};

// The share of a range at which a value is, and the value at a share; both ends of a logarithmic range are above zero.
const shareOf = ([low, high], v, log) => (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low));
const between = ([low, high], share, log) => (log ? low * (high / low) ** share : low + share * (high - low));

// Texts of a plot: elements that every drawing uses again.
class Labels {
  constructor(box) {
    this.box = box;
    this.used = 0;
    this.rows = [];
  }

  begin() {
    this.used = 0;
  }

  put(kind, text, x, y) {
    if (this.used === this.rows.length) {
      const e = document.createElement('span');
      this.box.append(e);
      this.rows.push({e});
    }
    const row = this.rows[this.used++], turn = kind === 'title-y' ? ' rotate(180deg)' : ''; // written from bottom to top
    const place = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)${turn}`;
    if (row.kind !== kind) row.e.className = row.kind = kind;
    if (row.text !== text) row.e.textContent = row.text = text;
    if (row.place !== place) row.e.style.transform = row.place = place;
    if (row.off) row.e.hidden = row.off = false;
  }

  end() {
    for (const row of this.rows.slice(this.used)) if (!row.off) row.e.hidden = row.off = true;
  }
}

export class Plot {
  // options: label (for screen readers), time (x is time), logX, log (y, for drawTime its [low, high]), limited (limits have
  // names), below (the title of x is in a row of its own), open (another plot below has the numbers of x), rows (names in
  // place of numbers of y).
  // on: {hover(plot), zoom(plot, [x0, x1], [y0, y1]), reset()}
  constructor(box, options, on) {
    this.o = options;
    this.canvas = document.createElement('canvas');
    if (options.id) this.canvas.id = options.id;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', options.label);
    const texts = document.createElement('div');
    texts.className = 'labels';
    texts.setAttribute('aria-hidden', 'true');
    box.append(this.canvas, texts);
    this.labels = new Labels(texts);
    this.paper = this.canvas.getContext('2d');
    this.xRange = new Range();
    this.yRange = new Range();
    this.pointer = this.drag = null; // px in the canvas
    this.sharpness = 0; // pixels of the canvas per px; 0: those of the screen
    this.listen(on);
  }

  // Sets the smallest ranges of the axes and resets the axes.
  clear(least, xLeast) {
    this.yRange.clear(least);
    this.xRange.clear(xLeast);
  }

  listen(on) {
    const at = (e) => {
      const box = this.canvas.getBoundingClientRect();
      return [e.clientX - box.left, e.clientY - box.top];
    };
    this.canvas.addEventListener('pointerdown', (e) => {
      if (e.button !== 0) return;
      this.canvas.setPointerCapture(e.pointerId);
      this.drag = this.pointer = at(e);
      on.hover(this);
    });
    this.canvas.addEventListener('pointermove', (e) => {
      this.pointer = at(e);
      on.hover(this);
    });
    this.canvas.addEventListener('pointerup', (e) => {
      const [from, to] = [this.drag, at(e)];
      this.drag = null;
      const part = from && this.xs && this.part(from, to);
      if (part) on.zoom(this, ...part);
      on.hover(this);
    });
    const leave = () => {
      this.pointer = this.drag = null;
      on.hover(null);
    };
    this.canvas.addEventListener('pointerleave', leave);
    this.canvas.addEventListener('pointercancel', leave);
    this.canvas.addEventListener('dblclick', () => on.reset());
  }

  // The dragged rectangle; null: too small to be intended.
  part([x0, y0], [x1, y1]) {
    const least = 8; // px
    if (Math.abs(x1 - x0) < least || (!this.o.time && Math.abs(y1 - y0) < least)) return null;
    const a = this.area, clamp = (v, low, high) => Math.min(Math.max(v, low), high);
    const share = (v, from, to) => (clamp(v, Math.min(from, to), Math.max(from, to)) - from) / (to - from);
    const xs = [x0, x1].map((v) => between(this.xs, share(v, a.left, a.right), this.o.logX)).sort((u, v) => u - v);
    const ys = [y0, y1].map((v) => between(this.ys, share(v, a.bottom, a.top), this.o.log)).sort((u, v) => u - v);
    return xs[1] > xs[0] ? [xs, ys] : null;
  }

  // The resolution of the canvas is that of the screen.
  begin() {
    const scale = this.sharpness || window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
    const width = Math.round(box.width * scale), height = Math.round(box.height * scale);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.paper.setTransform(scale, 0, 0, scale, 0, 0);
    this.paper.clearRect(0, 0, box.width, box.height);
    this.style = getComputedStyle(this.canvas);
    this.size = parseFloat(this.style.fontSize);
    this.paper.font = `${this.style.fontSize} ${this.style.fontFamily}`;
    const em = this.size, right = this.o.limited ? 3.4 * em : 1.3 * em; // space for the names of limits
    this.below = this.o.below || !this.o.time || box.width < 70 * em; // the title of x is in a separate row
    const named = Math.max(0, ...(this.o.rows || []).map((words) => this.paper.measureText(words).width));
    this.area = {left: named ? Math.min(named + em, 0.5 * box.width) : 5.4 * em, top: 0.8 * em, right: box.width - right,
      bottom: box.height - (this.o.open ? 0.8 : this.below ? 3.2 : 2) * em};
    this.labels.begin();
    return box.width > 60 && box.height > 60;
  }

  colour(name) {
    return this.style.getPropertyValue(name).trim();
  }

  toX(v) {
    const a = this.area;
    return a.left + shareOf(this.xs, v, this.o.logX) * (a.right - a.left);
  }

  toY(v) {
    const a = this.area, share = shareOf(this.ys, this.o.log ? Math.max(v, this.ys[0]) : v, this.o.log);
    return a.bottom - Math.min(Math.max(share, -1), 2) * (a.bottom - a.top);
  }

  rule(x0, y0, x1, y1, colour, width, dash) {
    const p = this.paper;
    p.strokeStyle = this.colour(colour);
    p.lineWidth = width || 1;
    p.setLineDash(dash || []);
    p.beginPath();
    p.moveTo(x0, y0);
    p.lineTo(x1, y1);
    p.stroke();
    p.setLineDash([]);
  }

  axisY(title) {
    const a = this.area, room = Math.max(1, Math.floor((a.bottom - a.top) / (1.9 * this.size)));
    const named = this.o.rows && this.o.rows.map((words, k) => [k, words]);
    const {marks, unit} = named ? {marks: named, unit: ''} : (this.o.log ? decadesFor : marksFor)(...this.ys, room, title.unit);
    for (const [v, text] of marks) {
      const y = Math.round(this.toY(v)) + 0.5;
      this.rule(a.left, y, a.right, y, v === 0 ? '--axis' : '--grid');
      this.labels.put('mark-y', text, a.left - 0.5 * this.size, y);
    }
    if (named) return;
    const words = titled(title.text, unit), fits = this.paper.measureText(words).width < a.bottom - a.top + this.size;
    this.labels.put('title-y', fits ? words : unit || title.text, 0, (a.top + a.bottom) / 2);
  }

  // The title is below the numbers, or at the end of their row; a number that would overlap it is omitted.
  axisX(title) {
    const a = this.area, p = this.paper, y = a.bottom + 1.2 * this.size, end = this.canvas.clientWidth;
    const count = Math.max(2, Math.floor((a.right - a.left) / (4.2 * this.size)));
    const {marks, unit} = (this.o.logX ? decadesFor : marksFor)(...this.xs, count, title.unit);
    const words = titled(title.text, unit), room = this.below ? end : end - p.measureText(words).width - 1.4 * this.size;
    for (const [v, text] of marks) {
      const x = this.toX(v), half = 0.5 * p.measureText(text).width;
      this.rule(Math.round(x) + 0.5, a.top, Math.round(x) + 0.5, a.bottom, v === 0 && !this.o.time ? '--axis' : '--grid');
      if (x + half < room && !this.o.open) this.labels.put('mark-x', text, x, y);
    }
    if (this.o.open) return;
    if (this.below) this.labels.put('mark-x title', words, (a.left + a.right) / 2, y + 1.25 * this.size);
    else this.labels.put('title-x', words, end, y);
  }

  // Lines of the limits inside the range; their names are next to the plot.
  limits(list) {
    const a = this.area;
    for (const l of list || []) {
      if (!(l.at >= this.ys[0] && l.at <= this.ys[1])) continue;
      const y = this.toY(l.at);
      this.rule(a.left, y, a.right, y, l.colour || '--bad', 1.5, [8, 4]);
      this.labels.put(`limit-mark ${l.colour ? 'calm' : ''}`.trim(), l.text, a.right + 0.4 * this.size, y);
    }
  }

  path(c, from, to) {
    const p = this.paper;
    let pen = false;
    p.beginPath();
    for (let i = from; i < to; i++) {
      const x = this.toX(xAt(c, i)), y = this.toY(valueAt(c, i));
      const there = !Number.isNaN(x + y);
      if (there && pen) p.lineTo(x, y);
      else if (there) p.moveTo(x, y);
      pen = there;
    }
    p.stroke();
  }

  shade(c) {
    const p = this.paper, step = Math.max(1, Math.floor((c.to - c.from) / (2 * (this.area.right - this.area.left))));
    const edge = [];
    for (let i = c.from; i < c.to; i += step) {
      const x = this.toX(xAt(c, i)), v = valueAt(c, i), half = c.band.y[i + c.band.shift] ?? NaN;
      if (!Number.isNaN(x + v + half)) edge.push([x, this.toY(v - half), this.toY(v + half)]);
    }
    p.fillStyle = this.colour(c.colour);
    p.globalAlpha = 0.2;
    p.beginPath();
    edge.forEach(([x, low]) => p.lineTo(x, low));
    edge.reverse().forEach(([x, , high]) => p.lineTo(x, high));
    p.fill();
    p.globalAlpha = 1;
  }

  // Of a dense curve only the lowest and the highest point of each pixel are drawn.
  dense(c) {
    const p = this.paper;
    p.beginPath();
    for (let i = c.from; i < c.to;) {
      const x = Math.round(this.toX(xAt(c, i)));
      let low = Infinity, high = -Infinity;
      for (; i < c.to && Math.round(this.toX(xAt(c, i))) === x; i++) {
        const v = valueAt(c, i);
        if (v < low) low = v;
        if (v > high) high = v;
      }
      if (low > high) continue;
      p.lineTo(x, this.toY(low));
      if (high > low) p.lineTo(x, this.toY(high));
    }
    p.stroke();
  }

  each(c, draw) {
    for (let i = c.from; i < c.to; i++) {
      const x = this.toX(xAt(c, i)), y = this.toY(valueAt(c, i));
      if (!Number.isNaN(x + y)) draw(x, y, i);
    }
  }

  paint(c) {
    const p = this.paper, long = c.to - c.from > 3 * (this.area.right - this.area.left);
    if (c.band) this.shade(c);
    p.globalAlpha = c.kind === 'thin' ? 0.5 : 1;
    p.strokeStyle = p.fillStyle = this.colour(c.colour);
    p.lineWidth = c.width || 1.6;
    p.setLineDash(c.dash || []);
    if (c.kind === 'points') {
      const radius = c.to - c.from > 100 ? 1.6 : 2.6;
      p.beginPath();
      this.each(c, (x, y) => {
        p.moveTo(x + radius, y);
        p.arc(x, y, radius, 0, 2 * Math.PI);
      });
      p.fill();
    } else if (c.kind === 'bars') {
      const half = Math.abs(this.toY(0.3) - this.toY(0));
      this.each(c, (x, y, i) => p.fillRect(x, y - half, this.toX(c.end[i]) - x, 2 * half));
    } else if (long && c.rising) this.dense(c);
    else if (c.kind !== 'band') this.path(c, c.from, c.to);
    p.globalAlpha = 1;
  }

  inside(draw) {
    const a = this.area, p = this.paper;
    p.save();
    p.beginPath();
    p.rect(a.left, a.top - 2, a.right - a.left + 2, a.bottom - a.top + 4);
    p.clip();
    p.lineJoin = 'round';
    draw();
    p.restore();
  }

  dot(x, y, colour) {
    const p = this.paper;
    p.beginPath();
    p.arc(x, y, 4.5, 0, 2 * Math.PI);
    p.fillStyle = this.colour(colour);
    p.strokeStyle = this.colour('--panel');
    p.lineWidth = 1.5;
    p.fill();
    p.stroke();
  }

  selection() {
    if (!this.drag || !this.pointer) return;
    const a = this.area, p = this.paper, [x0, y0] = this.drag, [x1, y1] = this.pointer;
    const top = this.o.time ? a.top : Math.min(y0, y1), high = this.o.time ? a.bottom - a.top : Math.abs(y1 - y0);
    p.globalAlpha = 0.2;
    p.fillStyle = this.colour('--measured');
    p.fillRect(Math.min(x0, x1), top, Math.abs(x1 - x0), high);
    p.globalAlpha = 1;
  }

  // titles: {x: {text, unit}, y: {text, unit}}; limits: [{at, text, colour}]; cursor: a row, or -1; exact: the range of the
  // axis is that of the curves
  drawTime(curves, window, {titles, limits, cursor, exact}) {
    let low = Infinity, high = -Infinity;
    for (const c of curves) {
      const [l, h] = extent(c, (d, i) => (xAt(d, i) >= window[0] && xAt(d, i) <= window[1] ? valueAt(d, i) : NaN));
      low = Math.min(low, l);
      high = Math.max(high, h);
    }
    const ys = this.o.log || (exact ? around(low, high, this.yRange.least) : this.yRange.fit(low, high));
    this.draw(curves, {xs: window, ys, titles, limits, rows: curves.map(() => cursor)});
  }

  // Curves on axes with these ranges; rows: that at the cursor of each curve, or -1.
  draw(curves, {xs, ys, titles, limits, rows}) {
    if (!this.begin()) return;
    Object.assign(this, {xs, ys});
    this.axisX(titles.x);
    this.axisY(titles.y);
    this.inside(() => curves.forEach((c) => this.paint(c)));
    this.limits(limits);
    this.cursor(curves, rows);
    this.selection();
    this.labels.end();
  }

  cursor(curves, rows) {
    const a = this.area, first = rows.findIndex((row) => row >= 0), x = first >= 0 ? this.toX(xAt(curves[first], rows[first])) : NaN;
    if (!(x >= a.left - 1 && x <= a.right + 1)) return;
    this.rule(Math.round(x) + 0.5, a.top, Math.round(x) + 0.5, a.bottom, '--faint', 1);
    curves.forEach((c, k) => {
      const y = rows[k] >= 0 ? this.toY(valueAt(c, rows[k])) : NaN;
      if (!Number.isNaN(y)) this.dot(this.toX(xAt(c, rows[k])), y, c.colour);
    });
  }

  // The whole loop in a faint colour, the rows from `fresh` on in a strong one, and the present point.
  drawLoop(c, fresh, {titles, cursor, part}) {
    if (!this.begin()) return;
    const p = this.paper;
    this.xs = part ? part[0] : this.xRange.fit(...extent(c, xAt));
    this.ys = part ? part[1] : this.yRange.fit(...extent(c, valueAt));
    this.axisX(titles.x);
    this.axisY(titles.y);
    this.inside(() => {
      p.strokeStyle = this.colour('--measured');
      p.lineWidth = 1;
      p.globalAlpha = 0.45;
      this.path(c, c.from, c.to);
      p.lineWidth = 2;
      p.globalAlpha = 1;
      this.path(c, Math.max(c.from, fresh), c.to);
      const row = cursor >= 0 ? cursor : c.to - 1, v = row >= 0 ? valueAt(c, row) : NaN;
      if (!Number.isNaN(v)) this.dot(this.toX(xAt(c, row)), this.toY(v), cursor >= 0 ? '--ink' : '--measured');
    });
    this.loop = c;
    this.selection();
    this.labels.end();
  }

  // The row of the loop that is nearest to the pointer; -1: none is near.
  nearest() {
    const c = this.loop, [px, py] = this.pointer, reach = 40; // px
    let best = -1, least = reach ** 2;
    for (let i = c ? c.from : 0; c && i < c.to; i++) {
      const d = (this.toX(xAt(c, i)) - px) ** 2 + (this.toY(valueAt(c, i)) - py) ** 2;
      if (d < least) [best, least] = [i, d];
    }
    return best;
  }
}
