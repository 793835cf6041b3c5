// SPDX-License-Identifier: MIT
// What the page knows of a test. Frames bring rows: times, lateness, and what every channel did. Columns that somebody
// asked for come beside them and carry the numbers of their rows. Old rows go when there are too many.

const MOST = 40000;

// Columns that no record has, by their numbers.
export const LATE = -1, DURATION = -2;

export class Store {
  constructor(hello) {
    this.hello = hello;
    this.more = new Map(); // number of a column -> {row: of its first value, values}
    this.place = new Map(); // number of a column -> [channel, which of its values]
    hello.channels.forEach((c, k) => c.columns.forEach((column, v) => { if (column >= 0) this.place.set(column, [k, v]); }));
    this.clear();
  }

  // The columns that were asked for stay: their rows have numbers.
  clear() {
    this.first = 0; // number of the first row
    this.began = 0; // where simulated time began anew, among the rows that are here
    this.t = [];
    this.s = [];
    this.late = [];
    this.duration = [];
    this.seen = this.hello.channels.map((c) => c.columns.map(() => []));
    this.last = null;
  }

  add(frame) {
    if (!this.t.length) this.first = frame.row;
    let before = this.s.length ? this.s[this.s.length - 1] : -Infinity;
    frame.s.forEach((s, i) => {
      if (s < before) this.began = this.t.length + i;
      before = s;
    });
    this.t.push(...frame.t);
    this.s.push(...frame.s);
    this.late.push(...frame.l);
    this.duration.push(...frame.d);
    frame.channels.forEach((c, k) => c.seen.forEach((values, v) => this.seen[k][v].push(...values)));
    this.last = frame;
    if (this.t.length > MOST) this.forget(MOST / 4);
  }

  forget(rows) {
    for (const column of [this.t, this.s, this.late, this.duration, ...this.seen.flat()]) column.splice(0, rows);
    this.first += rows;
    this.began = Math.max(0, this.began - rows);
  }

  // Values of a column from a row on. They may come before their frame does, or once more.
  fill(column, row, values) {
    const m = this.more.get(column) || {row, values: []};
    this.more.set(column, m);
    if (row < m.row || row > m.row + m.values.length) Object.assign(m, {row, values: []}); // rows are missing between
    for (let i = 0; i < values.length; i++) m.values[row - m.row + i] = values[i];
    if (m.values.length > 2 * MOST) m.row += m.values.splice(0, MOST).length;
  }

  // {y, shift}: the value of row i is y[i + shift].
  column(number) {
    if (number === LATE) return {y: this.late, shift: 0};
    if (number === DURATION) return {y: this.duration, shift: 0};
    const [k, v] = this.place.get(number) || [-1, 0], m = this.more.get(number);
    if (k >= 0) return {y: this.seen[k][v], shift: 0};
    return m ? {y: m.values, shift: this.first - m.row} : {y: [], shift: 0};
  }

  value(number, row) {
    const {y, shift} = this.column(number);
    return y[row + shift] ?? null;
  }

  // The last value that is here: columns that were asked for come a little later than their frames, or earlier.
  newest(number) {
    const {y, shift} = this.column(number);
    return y[Math.min(this.t.length - 1 + shift, y.length - 1)] ?? null;
  }

  // The first row at or after a moment of the clock; of simulated time, since that last began.
  row(moment, x) {
    let low = x === this.s ? this.began : 0, high = this.t.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (x[middle] < moment) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
