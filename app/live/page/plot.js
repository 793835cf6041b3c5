// SPDX-License-Identifier: MIT
// Plots on a canvas: curves over time or over each other, with axes in units that people use. A curve is
// {x, y, from, to}: columns and the range of rows that is drawn.

const UNITS = {
  m: [[1, 'm'], [1e-3, 'mm'], [1e-6, 'µm']],
  N: [[1e6, 'MN'], [1e3, 'kN'], [1, 'N']],
  s: [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs']],
  rad: [[1, 'rad'], [1e-3, 'mrad'], [1e-6, 'µrad']],
  'N m': [[1e6, 'MN m'], [1e3, 'kN m'], [1, 'N m']],
  J: [[1e6, 'MJ'], [1e3, 'kJ'], [1, 'J']],
};

// The largest unit in which `size` is at least 1, or the smallest there is: [factor, name].
export function unitFor(unit, size) {
  const rows = UNITS[unit];
  if (!rows) return [1, unit];
  return rows.find(([factor]) => size >= 0.9995 * factor) || rows[rows.length - 1];
}

// The unit of a channel that turns instead of moving.
const TURNED = {m: 'rad', 'm/s': 'rad/s', 'm/s²': 'rad/s²', N: 'N m', 'N/s': 'N m/s'};
export function unitOf(unit, channel) {
  return (channel.turns && TURNED[unit]) || unit;
}

export function quantity(value, unit) {
  if (!Number.isFinite(value)) return '–';
  const [factor, name] = unitFor(unit, Math.abs(value));
  return `${Number((value / factor).toPrecision(3))} ${name}`;
}

// 1, 2 or 5 times a power of ten, so that about `count` steps fit.
function stepFor(span, count) {
  const raw = span / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw)), lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

function extent(values, from, to) {
  let low = Infinity, high = -Infinity;
  for (let i = from; i < to; i++) {
    const v = values[i];
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return [low, high];
}

// A range that grows at once and shrinks only when less than half of it is used: axes stay calm.
class Range {
  constructor(least) {
    this.least = least;
    this.clear();
  }
  clear() {
    this.half = this.least;
    this.middle = 0;
  }
  // Symmetric about zero, which is where specimens start.
  fit(low, high) {
    const need = 1.1 * Math.max(Math.abs(low), Math.abs(high), this.least);
    if (Number.isFinite(need) && (need > this.half || need < 0.5 * this.half)) this.half = need;
    return [-this.half, this.half];
  }
}

export class Plot {
  // options: unit, xUnit ('s' of time when time is set), time, log, least (smallest half range)
  constructor(canvas, options) {
    this.canvas = canvas;
    this.o = options;
    this.x = new Range(options.least || 1e-6);
    this.y = new Range(options.yLeast || options.least || 1e-6);
    this.paper = canvas.getContext('2d');
  }

  clear() {
    this.x.clear();
    this.y.clear();
  }

  // Pixels of the canvas follow those of the screen.
  begin() {
    const scale = window.devicePixelRatio || 1, box = this.canvas.getBoundingClientRect();
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
    const left = 5.8 * this.size, bottom = (this.o.time ? 1.6 : 2.7) * this.size;
    this.area = {left, top: 0.7 * this.size, right: box.width - this.size, bottom: box.height - bottom};
    return box.width > 60 && box.height > 60;
  }

  colour(name) {
    return this.style.getPropertyValue(name).trim();
  }

  toX(v) {
    const a = this.area;
    return a.left + (v - this.xs[0]) / (this.xs[1] - this.xs[0]) * (a.right - a.left);
  }

  toY(v) {
    const a = this.area, f = this.o.log ? Math.log10 : (u) => u;
    const share = (f(v) - f(this.ys[0])) / (f(this.ys[1]) - f(this.ys[0]));
    return a.bottom - Math.min(Math.max(share, -0.02), 1.02) * (a.bottom - a.top);
  }

  gridY() {
    const a = this.area, p = this.paper, [factor, name] = unitFor(this.o.unit, this.o.log ? this.ys[0] : this.ys[1]);
    p.textAlign = 'right';
    const mark = (v, text) => {
      const y = Math.round(this.toY(v)) + 0.5;
      p.strokeStyle = this.colour(v === 0 ? '--axis' : '--grid');
      p.beginPath();
      p.moveTo(a.left, y);
      p.lineTo(a.right, y);
      p.stroke();
      p.fillStyle = this.colour('--faint');
      p.fillText(text, a.left - 0.5 * this.size, y);
    };
    if (this.o.log) {
      for (let v = this.ys[0]; v <= 1.001 * this.ys[1]; v *= 10) mark(v, quantity(v, this.o.unit));
      return;
    }
    const half = this.ys[1] / factor;
    let step = stepFor(2 * half, (a.bottom - a.top) / (2.4 * this.size));
    while (step > half) step /= 2; // a low panel still tells its scale
    const most = Math.floor(this.ys[1] / factor / step);
    for (let i = -most; i <= most; i++)
      mark(i * step * factor, `${Number((i * step).toPrecision(6))}${i === most ? ` ${name}` : ''}`);
  }

  gridX() {
    const a = this.area, p = this.paper;
    const [factor, name] = this.o.time ? [1, 's'] : unitFor(this.o.xUnit, this.xs[1]);
    const step = stepFor((this.xs[1] - this.xs[0]) / factor, (a.right - a.left) / (6 * this.size));
    p.textAlign = 'center';
    const last = Math.floor(this.xs[1] / factor / step);
    for (let i = Math.ceil(this.xs[0] / factor / step - 1e-9); i <= last; i++) {
      const x = Math.round(this.toX(i * step * factor)) + 0.5;
      p.strokeStyle = this.colour(i === 0 && !this.o.time ? '--axis' : '--grid');
      p.beginPath();
      p.moveTo(x, a.top);
      p.lineTo(x, a.bottom);
      p.stroke();
      p.fillStyle = this.colour('--faint');
      const unit = this.o.time && i === last ? ` ${name}` : '';
      const text = `${Number((i * step).toPrecision(6))}${unit}`, half = 0.5 * p.measureText(text).width;
      p.fillText(text, Math.min(x, a.right + this.size - half), a.bottom + 0.9 * this.size);
    }
    if (!this.o.time) p.fillText(name, 0.5 * (a.left + a.right), a.bottom + 2.1 * this.size);
  }

  // A line at a value that must not be passed, when it is in sight.
  line(v, colour, text) {
    const a = this.area, p = this.paper;
    if (!(v >= this.ys[0] && v <= this.ys[1])) return;
    p.strokeStyle = p.fillStyle = this.colour(colour);
    p.lineWidth = 1.5;
    p.setLineDash([6, 4]);
    p.beginPath();
    p.moveTo(a.left, this.toY(v));
    p.lineTo(a.right, this.toY(v));
    p.stroke();
    p.setLineDash([]);
    p.textAlign = 'left';
    p.lineWidth = 4;
    p.strokeStyle = this.colour('--panel');
    p.strokeText(text, a.left + 6, this.toY(v) - 0.7 * this.size); // legible upon curves
    p.fillText(text, a.left + 6, this.toY(v) - 0.7 * this.size);
    p.lineWidth = 1;
  }

  path(c, from, to) {
    const p = this.paper;
    p.beginPath();
    for (let i = from; i < to; i++) {
      const v = this.o.log ? Math.max(c.y[i], this.ys[0]) : c.y[i];
      if (c.y[i] === null || c.x[i] === null) continue;
      p.lineTo(this.toX(c.x[i]), this.toY(v));
    }
    p.stroke();
  }

  // Two points a pixel, the lowest and the highest there, are all that can be seen of a dense curve.
  dense(c) {
    const p = this.paper;
    p.beginPath();
    for (let i = c.from; i < c.to;) {
      const x = Math.round(this.toX(c.x[i]));
      let low = Infinity, high = -Infinity;
      for (; i < c.to && Math.round(this.toX(c.x[i])) === x; i++) {
        low = Math.min(low, c.y[i]);
        high = Math.max(high, c.y[i]);
      }
      p.lineTo(x, this.toY(low));
      if (high > low) p.lineTo(x, this.toY(high));
    }
    p.stroke();
  }

  inside(draw) {
    const a = this.area, p = this.paper;
    p.save();
    p.beginPath();
    p.rect(a.left, a.top - 2, a.right - a.left + 4, a.bottom - a.top + 4);
    p.clip();
    p.lineJoin = 'round';
    draw();
    p.restore();
  }

  // curves: [{x, y, from, to, colour, width, dash}]; limits: [{at, text, colour}]
  drawTime(curves, window, limits) {
    if (!this.begin()) return;
    this.xs = window;
    let low = 0, high = 0;
    for (const c of curves) {
      const [l, h] = extent(c.y, c.from, c.to);
      low = Math.min(low, l);
      high = Math.max(high, h);
    }
    this.ys = this.o.log ? this.o.log : this.y.fit(low, high);
    this.paper.textBaseline = 'middle';
    this.paper.lineWidth = 1;
    this.gridX();
    this.gridY();
    this.inside(() => {
      for (const c of curves) {
        this.paper.strokeStyle = this.colour(c.colour);
        this.paper.lineWidth = c.width || 1.5;
        this.paper.setLineDash(c.dash || []);
        if (c.to - c.from > 3 * (this.area.right - this.area.left)) this.dense(c);
        else this.path(c, c.from, c.to);
      }
    });
    for (const l of limits || []) this.line(l.at, l.colour || '--bad', l.text);
  }

  // The whole loop faintly, what happened from row `fresh` on clearly, and where it is now.
  drawLoop(c, fresh) {
    if (!this.begin()) return;
    const p = this.paper, [xl, xh] = extent(c.x, c.from, c.to), [yl, yh] = extent(c.y, c.from, c.to);
    this.xs = this.x.fit(xl, xh);
    this.ys = this.y.fit(yl, yh);
    p.textBaseline = 'middle';
    p.lineWidth = 1;
    this.gridX();
    this.gridY();
    this.inside(() => {
      p.strokeStyle = p.fillStyle = this.colour('--measured');
      p.lineWidth = 1;
      p.globalAlpha = 0.4;
      this.path(c, c.from, c.to);
      p.lineWidth = 2;
      p.globalAlpha = 1;
      this.path(c, Math.max(c.from, fresh), c.to);
      if (c.to > c.from) {
        p.beginPath();
        p.arc(this.toX(c.x[c.to - 1]), this.toY(c.y[c.to - 1]), 5, 0, 2 * Math.PI);
        p.fill();
      }
    });
  }
}
