// SPDX-License-Identifier: MIT
// The data of a test. Frames bring rows: times, lateness and the values of every specimen. Requested columns arrive separately,
// with the numbers of their rows. Old rows are removed when there are too many.

const MOST = 40000;

// Columns that are not in the record, by their numbers.
export const LATE = -1, DURATION = -2;

export class Store {
  constructor(hello) {
    this.hello = hello;
    this.more = new Map(); // number of a column -> {row: of its first value, values}
    this.place = new Map(); // number of a column -> [specimen, which of its values]
    hello.specimens.forEach((c, k) => c.columns.forEach((column, v) => { if (column >= 0) this.place.set(column, [k, v]); }));
    this.clear();
  }

  // Requested columns remain: their rows have numbers.
  clear() {
    this.first = 0; // number of the first row
    this.began = 0; // index of the row at which simulated time last started
    this.t = [];
    this.s = [];
    this.late = [];
    this.duration = [];
    this.seen = this.hello.specimens.map((c) => c.columns.map(() => []));
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
    frame.specimens.forEach((c, k) => c.seen.forEach((values, v) => this.seen[k][v].push(...values)));
    this.last = frame;
    if (this.t.length > MOST) this.forget(MOST / 4);
  }

  forget(rows) {
    for (const column of [this.t, this.s, this.late, this.duration, ...this.seen.flat()]) column.splice(0, rows);
    this.first += rows;
    this.began = Math.max(0, this.began - rows);
  }

  // Values of a column from a row on. They may arrive before their frame, or twice.
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

  // The last value: requested columns arrive a little later than their frames, or earlier.
  newest(number) {
    const {y, shift} = this.column(number);
    return y[Math.min(this.t.length - 1 + shift, y.length - 1)] ?? null;
  }

  // The first row at or after an instant of wall-clock time, or of simulated time since its last start.
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
