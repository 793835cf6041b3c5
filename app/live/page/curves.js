// SPDX-License-Identifier: MIT
// All panels with curves: one time window, one cursor, one zoom, and the columns that the server sends.
import {Catalogue, MOST_CURVES} from './catalogue.js';
import {Panel} from './panels.js';
import {Plot} from './plot.js';
import {DURATION, LATE} from './store.js';
import {quantity} from './units.js';

const $ = (id) => document.getElementById(id);
const SEEN = {target: 0, command: 1, measured: 2, force: 3, tracking: 4}; // values of a specimen in a frame
const BAR = {force: 3, tracking: 5}; // their limits among the bars

const ofSpecimen = (...words) => (catalogue, k) =>
  words.map((w) => catalogue.hello.specimens[k].columns[SEEN[w]]).filter((n) => n >= 0);

function ofStructure(catalogue, k) {
  const [first] = catalogue.presets();
  return first ? catalogue.preset(first[0]) : ofSpecimen('measured')(catalogue, k);
}

// Estimates of the parameters of a specimen, or of all specimens if it has none; and its standard deviations.
function ofFilter(catalogue, k) {
  const all = catalogue.columns.filter((c) => c.group === 'identified' && c.words === 'identified');
  const own = all.filter((c) => c.owner.startsWith(`${catalogue.hello.specimens[k].name}.`));
  return (own.length ? own : all).slice(0, MOST_CURVES).map((c) => c.number);
}

function deviationOf(catalogue, number) {
  const c = catalogue.get(number);
  const found = c && c.words === 'identified' && catalogue.columns.find((d) => d.owner === c.owner && d.words === 'standard deviation');
  return found ? found.number : null;
}

const RATIO = 'loop energy ratio';
// Levels of the ratio of energies (docs/guide/monitor.md).
const LEVELS = [[0.5, 'caution'], [0.85, 'act'], [1, 'hold']];
const ofMonitor = (catalogue) => catalogue.columns.filter((c) => c.name === RATIO).map((c) => c.number);

// Forces of the reaction walls of a specimen, or of all specimens if it has none; with the force of its actuator.
const WALLS = ['wall force', 'second wall force'];
function ofWalls(catalogue, k) {
  const all = catalogue.columns.filter((c) => WALLS.includes(c.words));
  const own = all.filter((c) => c.owner === catalogue.hello.specimens[k].name);
  const shown = (own.length ? own : all).map((c) => c.number);
  return (own.length ? shown.concat(ofSpecimen('force')(catalogue, k)) : shown).slice(0, MOST_CURVES);
}

// The smallest range of an axis, by its unit, so that noise at rest does not fill the plot.
const LEAST = {'m': 2e-5, 'rad': 2e-5, 'm/s': 1e-4, 'm/s2': 1e-3, 'N': 2, 'N m': 2, 'J': 1e-3};
// The first content of the panels, and the smallest range of panels that have one.
const KINDS = [
  {id: 'position', standard: ofSpecimen('target', 'command', 'measured')},
  {id: 'structure', standard: ofStructure},
  {id: 'tracking', standard: ofSpecimen('tracking'), least: {m: 2e-6}},
  {id: 'late', standard: () => [LATE, DURATION]},
  {id: 'loop', standard: ofSpecimen('measured', 'force'), pair: true, least: {N: 2e-2}},
  {id: 'learning', standard: ofFilter, optional: true, band: deviationOf},
  {id: 'stability', standard: ofMonitor, optional: true, least: {'': 0.1}},
  {id: 'walls', standard: ofWalls, optional: true},
];

export class Curves {
  // changed(): something must be drawn; missing(): the server no longer sends chosen columns
  constructor(changed, missing) {
    this.changed = changed;
    this.missing = missing;
    this.plots = {};
    this.panels = {};
    this.hovered = this.zoom = this.part = null; // zoom: a window of time; part: of the loop
    this.source = null;
    const on = {
      hover: (plot) => {
        this.hovered = plot;
        changed();
      },
      zoom: (plot, xs, ys) => this.zoomTo(plot, xs, ys), reset: () => this.whole(),
    };
    for (const kind of KINDS) {
      const label = `${$(`${kind.id}-title`).textContent}: curves`;
      const options = {id: kind.id, label, time: !kind.pair, limited: !kind.pair};
      this.plots[kind.id] = new Plot($(`${kind.id}-plot`), options, on);
      this.panels[kind.id] = new Panel(kind, (panel) => this.chosen(panel));
    }
  }

  open(hello, store, specimen) {
    Object.assign(this, {hello, store, catalogue: new Catalogue(hello), subscribed: '', over: false, lasts: Infinity});
    this.look(specimen);
  }

  look(specimen) {
    for (const p of Object.values(this.panels)) p.open(this.catalogue, specimen);
    for (const {kind} of Object.values(this.panels))
      if (kind.optional) $(`${kind.id}-panel`).hidden = !kind.standard(this.catalogue, specimen).length;
    $('more').hidden = KINDS.every((kind) => !kind.optional || $(`${kind.id}-panel`).hidden);
    for (const p of Object.values(this.panels)) this.rest(p);
    this.whole();
    this.chosen();
  }

  // The axes of a panel before any motion.
  rest(panel) {
    const {kind, axis, numbers} = panel, least = (unit) => (kind.least || {})[unit] || LEAST[unit] || 1e-6;
    this.plots[kind.id].clear(least(axis.unit), kind.pair ? least(this.catalogue.get(numbers[0]).unit) : 0);
  }

  zoomTo(plot, xs, ys) {
    if (plot === this.plots.loop) this.part = [xs, ys];
    else this.zoom = xs;
    $('whole').disabled = false;
    this.changed();
  }

  whole() {
    this.zoom = this.part = null;
    $('whole').disabled = true;
    this.changed();
  }

  // The server sends the values of every specimen, and those of other columns that are shown.
  chosen(panel) {
    const shown = new Set(Object.values(this.panels).flatMap((p) => [...p.numbers, ...p.bands()])), {period} = this.hello;
    const numbers = [...shown].filter((n) => n >= 0 && !this.store.place.has(n)).sort((a, b) => a - b);
    const clock = this.panels.late.numbers.every((n) => n === LATE || n === DURATION);
    this.plots.late.o.log = clock ? [1e-6, Math.max(10 ** Math.ceil(Math.log10(3 * period)), 1e-4)] : null;
    if (panel) this.rest(panel);
    if (panel && panel.kind.pair) this.part = null;
    this.changed();
    if (this.over && numbers.some((n) => !this.store.more.has(n))) this.missing();
    if (!this.over && numbers.join() !== this.subscribed) this.subscribe(numbers);
    this.subscribed = numbers.join();
  }

  // The server of a test ends with the test.
  end() {
    this.over = true;
  }

  // A window longer than a finished test (s of wall-clock time) would be partly empty.
  limit(seconds) {
    this.lasts = Math.max(seconds, 1);
    this.changed();
  }

  subscribe(numbers) {
    if (this.source) this.source.close();
    this.source = null;
    if (!numbers.length) return;
    const source = this.source = new EventSource(`columns?c=${numbers.join()}`);
    source.addEventListener('message', (e) => {
      const batch = JSON.parse(e.data);
      numbers.forEach((n, k) => this.store.fill(n, batch.row, batch.v[k]));
      this.changed();
    });
    source.addEventListener('end', () => source.close());
    source.addEventListener('error', () => {
      if (this.over) source.close();
      if (this.over || source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
      setTimeout(() => { if (source === this.source) this.subscribe(numbers); }, 1000);
    });
  }

  window(x, first) {
    const wanted = Number($('window').value), now = x.length ? x[x.length - 1] : 0;
    const width = Math.min(wanted || Math.max(now - (x.length ? x[first] : 0), 1), this.lasts);
    return this.zoom || [Math.max(now, width) - width, Math.max(now, width)];
  }

  // The row at the pointer; -1: the pointer is not over a plot.
  cursorRow(x) {
    const p = this.hovered;
    if (!p || !p.pointer || !p.xs || !x.length) return -1;
    if (p === this.plots.loop) return p.nearest();
    const share = (p.pointer[0] - p.area.left) / (p.area.right - p.area.left);
    if (share < 0 || share > 1) return -1;
    const moment = p.xs[0] + share * (p.xs[1] - p.xs[0]), row = Math.min(this.store.row(moment, x), x.length - 1);
    return row > 0 && moment - x[row - 1] < x[row] - moment ? row - 1 : row;
  }

  // Limit lines of the columns of a panel.
  limitsOf(panel) {
    const {hello, store, plots} = this, found = [];
    if (panel.kind.id === 'late' && plots.late.o.log) return [{at: hello.period, text: 'period', colour: '--near'}];
    if (panel.numbers.some((n) => this.catalogue.get(n).name === RATIO))
      return LEVELS.map(([at, text]) => ({at, text, colour: '--near'}));
    for (const n of hello.limited ? panel.numbers : []) {
      const [k, v] = store.place.get(n) || [-1, 0], c = hello.specimens[k];
      const bar = v === SEEN.force ? BAR.force : BAR.tracking;
      const ends = !c ? [] : v <= SEEN.measured ? [c.low, c.high] : [-c.limits[bar], c.limits[bar]];
      for (const at of ends) if (at && !found.some((l) => l.at === at)) found.push({at, text: 'limit'});
    }
    return found;
  }

  draw() {
    const {store} = this, simulated = $('axis').value === 'simulated', x = simulated ? store.s : store.t;
    const first = simulated ? store.began : 0, time = this.window(x, first), width = time[1] - time[0];
    const row = this.cursorRow(x), start = (moment) => Math.max(first, store.row(moment, x) - 1);
    const from = start(time[0]), to = this.zoom ? Math.min(x.length, store.row(time[1], x) + 1) : x.length;
    // Dashes begin at the same sample as long as possible, so that they move with their curve.
    const anchor = start(Math.floor(time[0] / width) * width);
    const axis = {text: simulated ? 'simulated time' : 'wall-clock time', unit: 's'};
    for (const [id, panel] of Object.entries(this.panels)) {
      panel.read(store, row);
      if (panel.kind.pair) continue;
      const curves = panel.curves(store, x, from, to);
      for (const c of curves) if (c.dash) c.from = anchor;
      this.plots[id].drawTime(curves, time, {titles: {x: axis, y: panel.axis}, limits: this.limitsOf(panel), cursor: row,
        exact: Boolean(this.zoom)});
    }
    this.drawLoop(from, to, row);
    this.readout(row);
    this.showLevel();
  }

  drawLoop(from, to, row) {
    const {store, catalogue, zoom} = this, [across, up] = this.panels.loop.numbers;
    const h = store.column(across), v = store.column(up), fresh = zoom ? from : store.row((store.last ? store.last.wall : 0) - 2, store.t);
    const title = (n) => ({text: catalogue.get(n).words, unit: catalogue.get(n).unit});
    this.plots.loop.drawLoop({x: h.y, xShift: h.shift, y: v.y, shift: v.shift, from, to}, fresh,
      {titles: {x: title(across), y: title(up)}, cursor: row, part: this.part});
  }

  // The largest level that the monitor has reached, and what it has done about it.
  showLevel() {
    const column = this.hello.columns.findIndex((c) => c.name === 'loop level');
    const level = column >= 0 ? this.store.newest(column) : null;
    const done = (words, text) => this.catalogue.columns.filter((c) => c.words === words && this.store.newest(c.number) > 0)
      .map((c) => `; ${c.owner}: ${text} ${quantity(this.store.newest(c.number), c.unit)}`).join('');
    const text = level === null ? '' : `level reached: ${level > 0 ? LEVELS[level - 1][1] : 'none'}` +
      done('loop lead', 'lead') + done('work of damping', 'work of damping');
    if ($('level').textContent !== text) $('level').textContent = text;
  }

  readout(row) {
    const {store, zoom} = this, s = (v) => v.toFixed(3);
    const at = row >= 0 ? `at ${s(store.t[row])} s, simulated ${s(store.s[row])} s` : 'newest values';
    const text = zoom && row < 0 ? `zoomed, ${s(zoom[0])} to ${s(zoom[1])} s` : at;
    if ($('readout').textContent !== text) $('readout').textContent = text;
  }
}
