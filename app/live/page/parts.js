// SPDX-License-Identifier: MIT
// The parts of the page other than plots: the diagram of states, the bars of limits, the forces on hold, the list of events.
import {quantity, together, unitOf} from './units.js';

const SVG = 'http://www.w3.org/2000/svg';

function shape(parent, name, attributes, text) {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text) e.textContent = text;
  parent.append(e);
  return e;
}

export function element(parent, name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  parent.append(e);
  return e;
}

// The position of each state, and the transitions: [from, to, order or event, position of its label].
const PLACES = {
  'idle': [50, 24], 'ready': [165, 24], 'ramp-in': [280, 24],
  'tripped': [50, 95], 'hold': [165, 95], 'run': [280, 95],
  'stopped': [165, 166], 'ramp-out': [280, 166],
};
const WAYS = [
  ['M90 24H123', 'arm', 106, 18], ['M205 24H238', 'run', 221, 18], ['M280 40V77', '', 0, 0],
  ['M240 88H207', 'hold', 222, 82], ['M205 102H238', 'resume', 222, 118], ['M280 111V148', 'end', 266, 134],
  ['M185 111L248 149', '', 0, 0], ['M240 166H207', '', 0, 0], ['M50 79V42', 'reset', 68, 63],
  ['M50 150V113', '', 0, 0],
];

export class Machine {
  constructor(svg, states) {
    svg.replaceChildren();
    const size = {viewBox: '0 0 8 8', refX: 7, refY: 4, markerWidth: 7, markerHeight: 7};
    const tips = shape(shape(svg, 'defs', {}), 'marker', {id: 'tip', orient: 'auto', ...size});
    shape(tips, 'path', {d: 'M0 0L8 4L0 8z', class: 'tip'});
    for (const [path, word, x, y] of WAYS) {
      shape(svg, 'path', {d: path, class: 'way', 'marker-end': 'url(#tip)'});
      if (word) shape(svg, 'text', {x, y, class: 'way-word'}, word);
    }
    shape(svg, 'text', {x: 50, y: 162, class: 'way-word'}, 'trip or fault,');
    shape(svg, 'text', {x: 50, y: 175, class: 'way-word'}, 'from any state');
    this.nodes = states.map((s) => {
      const [x, y] = PLACES[s.name] || [50, 166], group = shape(svg, 'g', {class: 'node', 'data-state': s.name});
      if (!PLACES[s.name]) group.setAttribute('visibility', 'hidden'); // return: before a test, and rare
      shape(group, 'title', {}, s.text);
      shape(group, 'rect', {x: x - 40, y: y - 16, width: 80, height: 32, rx: 7});
      shape(group, 'text', {x, y: y + 5}, s.name);
      return group;
    });
  }
  show(state) {
    this.nodes.forEach((n, k) => n.classList.toggle('lit', k === state));
  }
}

// One bar for each limit of a specimen: the present fraction, the largest so far, and both as numbers.
export class Bars {
  constructor(box, hello) {
    this.box = box;
    this.hello = hello;
    this.clear();
  }

  clear() {
    const count = this.hello.bars.length;
    this.now = this.hello.specimens.map(() => new Array(count).fill(0));
    this.peak = this.hello.specimens.map(() => new Array(count).fill(0));
    this.choose(this.specimen || 0);
  }

  choose(specimen) {
    this.specimen = specimen;
    this.box.replaceChildren();
    this.rows = [];
    if (!this.hello.limited) {
      element(this.box, 'p', 'note', 'The result does not contain the limits of this test.');
      return;
    }
    this.hello.bars.forEach((bar, k) => {
      const limit = this.hello.specimens[specimen].limits[k];
      if (!limit) return;
      const row = element(this.box, 'div', 'limit');
      element(element(row, 'span', 'limit-name', bar.name), 'small', '', ` of ${quantity(limit, unitOf(bar.unit, this.hello.specimens[specimen]))}`);
      const value = element(row, 'span', 'limit-value', '0 %'), track = element(row, 'div', 'track');
      const fill = element(track, 'div', 'fill'), mark = element(track, 'div', 'mark');
      this.rows.push({k, row, fill, mark, value});
    });
  }

  // A short peak stays visible for about a second. peaks: the largest since the start of the test.
  add(specimen, shares, peaks) {
    shares.forEach((share, k) => {
      this.now[specimen][k] = Math.max(share || 0, 0.9 * this.now[specimen][k]);
      this.peak[specimen][k] = Math.max(this.peak[specimen][k], peaks[k] || 0);
    });
  }

  worst() {
    let found = {share: 0, specimen: 0, bar: 0};
    this.now.forEach((row, specimen) => row.forEach((share, bar) => {
      if (share > found.share) found = {share, specimen, bar};
    }));
    return found;
  }

  draw() {
    for (const {k, row, fill, mark, value} of this.rows) {
      const now = this.now[this.specimen][k], peak = this.peak[this.specimen][k];
      row.dataset.level = level(now);
      fill.style.width = `${Math.min(100, 100 * now)}%`;
      mark.style.left = `${Math.min(100, 100 * peak)}%`;
      value.textContent = `${Math.round(100 * now)} % (${Math.round(100 * peak)} %)`;
    }
  }
}

export function level(share) {
  return share >= 0.9 ? 'bad' : share >= 0.75 ? 'near' : 'fine';
}

const percent = (share, digits) => `${digits === undefined ? Number((100 * share).toPrecision(3)) : (100 * share).toFixed(digits)} %`;
const MOST_FORCES = 3;

// Forces while simulated time is stopped on hold: those that have relaxed most, with the bound of the case.
export class Rest {
  constructor(list, hello) {
    this.list = list;
    this.hello = hello;
    this.list.hidden = true;
  }
  show(frame) {
    const found = (frame ? frame.specimens : []).map((c, k) => ({...c.rest, specimen: this.hello.specimens[k]}))
      .filter((c) => Number.isFinite(c.relaxation)).sort((a, b) => b.relaxation - a.relaxation);
    this.list.hidden = !found.length;
    this.list.replaceChildren();
    for (const c of found.slice(0, MOST_FORCES)) this.add(c);
    if (found.length > MOST_FORCES) element(this.list, 'li', 'note', `${found.length - MOST_FORCES} more with less relaxation`);
  }
  add({specimen, began, now, relaxation, noise}) {
    const row = element(this.list, 'li'), unit = unitOf('N', specimen), bound = this.hello.holdRelaxation;
    const within = bound ? relaxation === 0 : noise > 0 && Math.abs(now - began) <= 3 * noise; // a bound is judged less the noise
    const forces = `force ${quantity(began, unit)} at the beginning of the hold, ${quantity(now, unit)} now; `;
    element(row, 'span', '', `${specimen.name}: ${together(forces)}`);
    const words = within && noise > 1e-5 * Math.abs(began) ? `relaxation below the noise of the load cell (${quantity(noise, unit)})` : `relaxation ${percent(relaxation, 1)}`;
    element(row, 'b', '', together(words)).dataset.level = bound ? level(relaxation / bound) : 'fine';
    element(row, 'span', '', !bound ? ', no bound' : together(`, ${relaxation > bound ? 'above the bound of' : 'bound'} ${percent(bound)}`));
  }
}

const MOST_EVENTS = 5000;

// " refused: reason", or the effect of an order if it differs from its name.
export function answerTo(hello, event) {
  const answer = hello.answers[event.answer];
  return `${answer.refused ? ' refused' : ''}: ${event.text || answer.text}`;
}

// Events, the newest first.
export class Log {
  constructor(list, hello) {
    this.list = list;
    this.hello = hello;
    this.clear();
  }
  clear() {
    this.list.replaceChildren();
    this.fault = 0;
  }
  add(event) {
    const {orders, states, faults} = this.hello, state = states[event.state];
    const refused = Boolean(event.answer) && this.hello.answers[event.answer].refused;
    const row = document.createElement('li'), fault = event.fault && event.fault !== this.fault;
    if (event.fault !== undefined) this.fault = event.fault;
    row.className = fault ? 'fault' : refused ? 'refused' : '';
    element(row, 'time', '', `${event.wall.toFixed(2)} s`);
    const text = element(row, 'div');
    element(text, 'b', '', state ? state.name : `order ${orders[event.order]}`);
    if (event.answer) element(text, 'span', '', answerTo(this.hello, event));
    if (fault) element(text, 'span', '', `: ${event.why || faults[event.fault]}`);
    else if (state) element(text, 'span', 'note', ` ${state.text}`);
    this.list.prepend(row);
    while (this.list.children.length > MOST_EVENTS) this.list.lastChild.remove();
  }
}
