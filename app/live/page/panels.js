// SPDX-License-Identifier: MIT
// Panels with curves: the columns of each, its legend with the values at the cursor, and the list of columns.
import {MOST_CURVES, remember, remembered, titleOf} from './catalogue.js';
import {element} from './parts.js';
import {quantity} from './units.js';

const $ = (id) => document.getElementById(id);
const COLOURS = 8;

// Curves of a specimen have the same style everywhere: the target is dashed and above the measured curve.
const LOOKS = {
  target: {colour: '--ink', dash: [5, 7], width: 1.5, look: 'target', rank: 2},
  command: {colour: '--command', width: 1.6, look: 'command', rank: 0},
  measured: {colour: '--measured', width: 3.4, look: 'measured', rank: 1},
};

export class Panel {
  // kind: {id, standard(catalogue, specimen): numbers, pair: one column over another}
  constructor(kind, changed) {
    this.kind = kind;
    this.changed = changed;
    this.numbers = [];
    this.key = $(`${kind.id}-key`);
    const button = $(`${kind.id}-choose`);
    if (button) button.addEventListener('click', () => this.choose());
    const preset = $(`${kind.id}-preset`);
    if (preset) preset.addEventListener('change', () => {
      if (preset.value) this.set(this.catalogue.preset(preset.value));
    });
  }

  // The stored choice, as far as this test has its columns; otherwise the first content.
  open(catalogue, specimen) {
    this.catalogue = catalogue;
    this.specimen = specimen;
    const kept = (remembered(`columns ${this.kind.id}`) || []).map((key) => catalogue.find(key, specimen));
    const whole = kept.length && (!this.kind.pair || (kept.length === 2 && kept.every((n) => n !== null)));
    const found = kept.filter((n) => n !== null), units = new Set(found.map((n) => catalogue.get(n).unit));
    const usable = whole && found.length && (this.kind.pair || units.size === 1);
    this.show(usable ? found : this.kind.standard(catalogue, specimen));
    this.offerPresets();
  }

  set(numbers) {
    remember(`columns ${this.kind.id}`, numbers.map((n) => this.catalogue.key(n, this.specimen)));
    this.show(numbers);
    this.showPreset();
    this.changed(this);
  }

  reset() {
    try {
      localStorage.removeItem(`columns ${this.kind.id}`);
    } catch { /* nothing was stored */ }
    this.show(this.kind.standard(this.catalogue, this.specimen));
    this.showPreset();
    this.changed(this);
  }

  show(numbers) {
    const {hello} = this.catalogue, [target, command, measured] = hello.specimens[this.specimen].columns;
    this.numbers = numbers;
    this.axis = this.catalogue.axis(this.kind.pair ? numbers.slice(1) : numbers);
    this.looks = numbers.map((n, k) => {
      if (numbers.length > 1 || n === target)
        for (const [word, number] of Object.entries({target, command, measured})) if (n === number) return LOOKS[word];
      return {colour: `--curve${k % COLOURS}`, look: `curve${k % COLOURS}`, rank: 1};
    });
    this.makeKey();
  }

  makeKey() {
    this.key.replaceChildren();
    this.values = this.numbers.map((n, k) => {
      const entry = element(this.key, 'span', 'entry');
      if (!this.kind.pair) element(entry, 'i', `swatch ${this.looks[k].look}`);
      element(entry, 'span', '', this.kind.pair ? this.catalogue.get(n).name : this.axis.names[k]);
      return element(entry, 'b', 'value', '–');
    });
  }

  // The legend shows the values of a row, or the newest values.
  read(store, row) {
    const last = row < 0 || row === store.t.length - 1;
    this.numbers.forEach((n, k) => {
      const text = quantity(last ? store.newest(n) : store.value(n, row), this.catalogue.get(n).unit);
      if (this.values[k].textContent !== text) this.values[k].textContent = text;
    });
  }

  // Columns of the half widths of bands around the curves; for the monitor its level and what it has done.
  bands() {
    const said = ['loop level', 'loop lead', 'work of damping'];
    const level = this.kind.id === 'stability' ? this.catalogue.columns.filter((c) => said.includes(c.words)).map((c) => c.number) : [];
    return this.kind.band ? this.numbers.map((n) => this.kind.band(this.catalogue, n)).filter((n) => n !== null) : level;
  }

  // Curves in the order in which they are drawn.
  curves(store, x, from, to) {
    const list = this.numbers.map((n, k) => ({x, xShift: 0, from, to, rising: true, ...store.column(n), ...this.looks[k]}));
    if (this.kind.band)
      list.forEach((c, k) => {
        const half = this.kind.band(this.catalogue, this.numbers[k]);
        if (half !== null) c.band = store.column(half);
      });
    return list.sort((a, b) => a.rank - b.rank);
  }

  offerPresets() {
    const list = $(`${this.kind.id}-preset`);
    if (!list) return;
    list.replaceChildren();
    for (const [group, title] of this.catalogue.presets()) element(list, 'option', '', title).value = group;
    element(list, 'option', '', 'User selection').value = '';
    this.showPreset();
  }

  showPreset() {
    const list = $(`${this.kind.id}-preset`);
    if (!list) return;
    const same = (a, b) => a.length === b.length && a.every((n, i) => n === b[i]);
    const found = this.catalogue.presets().find(([g]) => same(this.catalogue.preset(g), this.numbers));
    list.value = found ? found[0] : '';
  }

  choose() {
    const dialog = $('chooser');
    $('chooser-title').textContent = `Columns: ${$(`${this.kind.id}-title`).textContent}`;
    $('chooser-find').value = '';
    $('chooser-find').hidden = Boolean(this.kind.pair);
    $('chooser-hint').textContent = this.kind.pair ? 'Select two columns.'
      : `A panel shows at most ${MOST_CURVES} curves of one unit; a column with another unit starts a new selection.`;
    $('chooser-standard').onclick = () => {
      this.reset();
      this.list();
    };
    $('chooser-find').oninput = () => this.list();
    this.list();
    dialog.show();
    (this.kind.pair ? $('chooser-list').querySelector('select') : $('chooser-find')).focus();
  }

  list() {
    const box = $('chooser-list');
    box.replaceChildren();
    if (this.kind.pair) this.listPair(box);
    else this.listGroups(box);
  }

  listPair(box) {
    ['horizontal', 'vertical'].forEach((word, k) => {
      const label = element(box, 'label', 'pair', word), list = element(label, 'select');
      for (const group of this.catalogue.groups()) {
        const part = element(list, 'optgroup');
        part.label = titleOf(group);
        for (const c of this.catalogue.inGroup(group)) element(part, 'option', '', c.name).value = c.number;
      }
      list.value = this.numbers[k];
      list.addEventListener('change', () => {
        const numbers = [...this.numbers];
        numbers[k] = Number(list.value);
        this.set(numbers);
      });
    });
  }

  listGroups(box) {
    const words = $('chooser-find').value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const group of this.catalogue.groups()) {
      const found = this.catalogue.inGroup(group).filter((c) => words.every((w) => `${c.name} ${titleOf(group)}`.toLowerCase().includes(w)));
      if (!found.length) continue;
      const fold = element(box, 'details'), chosen = found.filter((c) => this.numbers.includes(c.number)).length;
      element(fold, 'summary', '', `${titleOf(group)} (${chosen ? `${chosen} of ` : ''}${found.length})`);
      fold.open = chosen > 0 || words.length > 0;
      for (const c of found) this.offer(fold, c);
    }
    if (!box.children.length) element(box, 'p', 'note', 'No column matches.');
  }

  offer(fold, c) {
    const label = element(fold, 'label'), tick = element(label, 'input');
    tick.type = 'checkbox';
    tick.checked = this.numbers.includes(c.number);
    tick.dataset.column = c.name;
    element(label, 'span', '', c.unit ? `${c.name} [${c.unit}]` : c.name);
    tick.addEventListener('change', () => {
      const others = this.numbers.filter((n) => n !== c.number && this.catalogue.get(n).unit === c.unit);
      if (tick.checked) this.set([...others, c.number].slice(-MOST_CURVES));
      else this.set(this.numbers.filter((n) => n !== c.number));
      this.tickAll(fold.parentElement);
    });
  }

  tickAll(box) {
    const names = new Set(this.numbers.map((n) => this.catalogue.get(n).name));
    for (const tick of box.querySelectorAll('input')) tick.checked = names.has(tick.dataset.column);
  }
}
