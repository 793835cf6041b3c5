// SPDX-License-Identifier: MIT
// What the page knows of a test: columns of samples, taken from frames. Old samples go when there are too many.

const MOST = 40000;

export class Store {
  constructor(channels) {
    this.count = channels;
    this.clear();
  }

  clear() {
    this.t = [];
    this.late = [];
    this.duration = [];
    this.seen = Array.from({length: this.count}, () => Array.from({length: 5}, () => []));
    this.last = null;
  }

  columns() {
    return [this.t, this.late, this.duration, ...this.seen.flat()];
  }

  add(frame) {
    this.t.push(...frame.t);
    this.late.push(...frame.l);
    this.duration.push(...frame.d);
    frame.channels.forEach((c, k) => c.seen.forEach((values, v) => this.seen[k][v].push(...values)));
    this.last = frame;
    if (this.t.length > MOST)
      for (const column of this.columns()) column.splice(0, MOST / 4);
  }

  // The first row at or after a time.
  row(time) {
    let low = 0, high = this.t.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.t[middle] < time) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
