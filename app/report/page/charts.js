// SPDX-License-Identifier: MIT
// The charts of a page: each figure of the class chart contains its data. Charts over the same axis share zoom and cursor.
import {Plot} from './plot.js';
import {quantity, stepFor} from './units.js';

const NONE = 65535; // not a number
const DASH = {dashed: [6, 4], dotted: [2, 4]};

// Numbers are whole steps, two bytes each; those of a logarithmic axis are powers of ten.
function unpack({from, step, data}, log) {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)), values = [];
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    const k = bytes[i] + 256 * bytes[i + 1], v = from + step * k;
    values.push(k === NONE ? NaN : log ? 10 ** v : v);
  }
  return values;
}

// "force [kN]" is {text: 'force', unit: 'kN'}.
function title(label) {
  const [, text, unit] = label.match(/^(.*?)(?: ?\[([^\]]*)\])?$/);
  return {text, unit: unit || ''};
}

function curveOf(data, axes) {
  const x = unpack(data.x, axes.x.log), y = unpack(data.y, axes.y.log), end = data.end && unpack(data.end, (data.kind === 'bars' ? axes.x : axes.y).log);
  const thin = data.kind === 'thin', colour = thin ? '--faint' : `--k${data.colour}`;
  const curve = {...data, x, y, end, xShift: 0, shift: 0, from: 0, to: x.length, colour, dash: DASH[data.line], width: thin ? 0.7 : 1.5};
  if (data.kind === 'band') {
    curve.y = y.map((v, i) => (v + end[i]) / 2);
    curve.band = {y: y.map((v, i) => Math.abs(end[i] - v) / 2), shift: 0};
  }
  return curve;
}

function extremes(lists) {
  let low = Infinity, high = -Infinity;
  for (const list of lists)
    for (const v of list) {
      if (v < low) low = v;
      if (v > high) high = v;
    }
  return low <= high ? [low, high] : [-1, 1];
}

// Ends on marks; the range of a time that ends just before a mark ends on it (exact).
function whole([low, high], axis, exact) {
  if (axis.log) return [10 ** Math.floor(Math.log10(low) + 1e-9), 10 ** Math.ceil(Math.log10(high) - 1e-9)];
  const least = 1e-9 * Math.max(Math.abs(low), Math.abs(high)) || 1;
  if (high - low < least) return [low - least, high + least];
  const step = stepFor(high - low, 10), end = step * Math.ceil(high / step - 1e-9);
  return exact ? [low, end - high < 0.01 * (high - low) ? end : high] : [step * Math.floor(low / step + 1e-9), end];
}

// The row of a rising curve nearest to x; -1: outside.
function rowAt(c, x) {
  let low = 0, high = c.x.length - 1;
  if (!(x >= c.x[0] && x <= c.x[high])) return -1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (c.x[middle] <= x) low = middle;
    else high = middle;
  }
  return x - c.x[low] < c.x[high] - x ? low : high;
}

class Chart {
  constructor(figure, page) {
    const data = JSON.parse(figure.querySelector('script').textContent), {x, y} = data;
    this.data = data;
    this.curves = data.curves.map((c) => curveOf(c, data));
    for (const c of this.curves) // a target in the colour of its measured motion
      if (c.dash && this.curves.some((d) => d !== c && d.colour === c.colour && !d.dash)) c.colour = '--ink';
    this.rising = this.curves.every((c) => c.rising);
    this.axis = this.rising && !x.log ? x.label : null; // shared
    this.titles = {x: title(x.label), y: title(y.label)};
    this.whole = this.ranges();
    this.part = null;
    this.caption(figure);
    const box = element(figure, 'div', 'plot');
    box.style.height = `${data.height + (data.open ? 18 : 44)}px`;
    const options = {label: `${data.title || y.label}: curves`, logX: x.log, log: y.log, below: true, open: data.open, rows: data.rows};
    this.plot = new Plot(box, options, {hover: (over) => page.hover(this, over), zoom: (plot, xs, ys) => page.zoom(this, xs, ys), reset: () => page.zoom(this)});
    this.tip = element(box, 'div', 'tip');
    this.tip.hidden = true;
  }

  ranges() {
    const {x, y} = this.data, all = (key, kind) => this.curves.flatMap((c) => (c.kind === kind ? [c[key], c.end] : [c[key]]));
    const bands = this.curves.filter((c) => c.band).flatMap((c) => [c.y.map((v, i) => v - c.band.y[i]), c.y.map((v, i) => v + c.band.y[i])]);
    const xs = x.to > x.from ? [x.from, x.to] : extremes(all('x', 'bars'));
    const ys = y.to > y.from ? [y.from, y.to] : whole(extremes([...all('y'), ...bands]), y);
    return [x.to > x.from && !this.rising ? xs : whole(xs, x, this.rising), ys];
  }

  caption(figure) {
    const text = element(figure, 'figcaption');
    figure.prepend(text);
    if (this.data.title) element(text, 'b', '', this.data.title);
    for (const c of this.curves)
      if (c.name) element(text, 'span', `key ${c.line || ''} ${c.kind || ''}`, c.name).style.setProperty('--curve', `var(${c.colour})`);
    this.back = element(text, 'button', '', 'whole');
    this.back.type = 'button';
    this.back.onclick = () => this.plot.canvas.dispatchEvent(new Event('dblclick'));
  }

  // In a part of the horizontal axis the vertical one fits what is seen.
  seen(xs) {
    if (this.part || !xs) return this.part || this.whole;
    const inside = this.curves.map((c) => c.y.filter((v, i) => c.x[i] >= xs[0] && c.x[i] <= xs[1]));
    return [xs, this.data.y.log || !inside.some((list) => list.length) ? this.whole[1] : whole(extremes(inside), this.data.y)];
  }

  draw(xs, x) {
    const [across, up] = this.seen(this.axis ? xs : null);
    const rows = this.nearest || this.curves.map((c) => (x !== null && c.rising ? rowAt(c, x) : -1));
    this.back.hidden = across === this.whole[0] && up === this.whole[1];
    this.plot.draw(this.curves, {xs: across, ys: up, titles: this.titles, rows});
  }

  // The value of x at the pointer; of a chart that does not rise the nearest point.
  point() {
    const {plot} = this, a = plot.area, [px, py] = plot.pointer;
    this.nearest = null;
    if (this.rising) {
      const share = (px - a.left) / (a.right - a.left), [low, high] = plot.xs;
      return share < 0 || share > 1 ? null : this.data.x.log ? low * (high / low) ** share : low + share * (high - low);
    }
    let least = 40 ** 2; // px
    this.curves.forEach((c, k) => {
      if (c.kind !== 'bars' && c.kind !== 'band') plot.each(c, (x, y, i) => {
        const d = (x - px) ** 2 + (y - py) ** 2;
        if (d >= least) return;
        least = d;
        this.nearest = this.curves.map((_, m) => (m === k ? i : -1));
      });
    });
    return null;
  }

  // The values at the cursor, beside the pointer.
  show(x) {
    const {tip, plot, titles} = this, rows = this.nearest || this.curves.map((c) => (x === null ? -1 : rowAt(c, x)));
    const at = rows.findIndex((row) => row >= 0);
    tip.hidden = at < 0;
    if (at < 0) return;
    tip.replaceChildren();
    element(tip, 'div', '', `${titles.x.text} ${quantity(this.curves[at].x[rows[at]], titles.x.unit)}`);
    this.curves.forEach((c, k) => {
      if (rows[k] < 0 || (c.kind === 'thin' && !this.nearest)) return;
      const line = element(tip, 'div', 'key', `${c.name ? `${c.name} ` : ''}${quantity(c.y[rows[k]], titles.y.unit)}`);
      line.style.setProperty('--curve', `var(${c.colour})`);
    });
    const left = plot.pointer[0] > plot.canvas.clientWidth / 2;
    tip.style.left = `${plot.pointer[0] + (left ? -14 - tip.offsetWidth : 14)}px`;
  }
}

function element(parent, name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className.trim();
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
}

const page = {
  windows: new Map(), // of shared axes that are zoomed
  over: null,
  due: false,

  zoom(chart, xs, ys) {
    if (chart.axis && xs) this.windows.set(chart.axis, xs);
    else if (chart.axis) this.windows.delete(chart.axis);
    else chart.part = xs ? [xs, ys] : null;
    this.draw();
  },

  hover(chart, over) {
    if (this.over && this.over !== chart) this.over.nearest = null;
    this.over = over ? chart : null;
    if (!over) chart.nearest = null;
    chart.tip.hidden = !over;
    this.draw();
  },

  draw() {
    if (!this.due) requestAnimationFrame(() => this.drawNow());
    this.due = true;
  },

  drawNow() {
    this.due = false;
    const at = this.over && this.over.plot.xs ? this.over.point() : null;
    for (const c of charts) c.draw(this.windows.get(c.axis), c === this.over || (c.axis && this.over && c.axis === this.over.axis) ? at : null);
    if (this.over) this.over.show(at);
  },

  // On paper a plot has a width of its own and is sharper than on a screen.
  print(on) {
    document.documentElement.classList.toggle('printing', on);
    for (const c of charts) c.plot.sharpness = on ? 4 : 0;
    this.drawNow();
  },
};

const charts = [...document.querySelectorAll('figure.chart')].map((figure) => new Chart(figure, page));
const sizes = new ResizeObserver(() => page.draw());
for (const c of charts) sizes.observe(c.plot.canvas);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => page.draw());
matchMedia('print').addEventListener('change', (e) => page.print(e.matches));
addEventListener('beforeprint', () => page.print(true));
addEventListener('afterprint', () => page.print(false));
page.drawNow();
