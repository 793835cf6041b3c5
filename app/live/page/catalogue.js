// SPDX-License-Identifier: MIT
// The columns of a test: names, possible choices, the first choice, and the choice that the browser stores.
import {DURATION, LATE} from './store.js';

export const MOST_CURVES = 8;
const PRESET_CURVES = 6;

// Groups in the order of the lists; other groups come before the last two. Codes are not drawn as curves.
const TITLES = {
  'displacement': 'Displacement', 'velocity': 'Velocity', 'acceleration': 'Acceleration',
  'absolute-velocity': 'Absolute velocity', 'absolute-acceleration': 'Absolute acceleration',
  'storey-drift': 'Storey drift', 'ground': 'Ground motion', 'base-shear': 'Base shear', 'energy': 'Energy',
  'element': 'Elements', 'specimen': 'Specimens', 'rig': 'Rig', 'actuator': 'Actuators', 'indicator': 'Indicators',
  'clock': 'Clock',
};
// Quantities of the structure: [name, title, columns].
const group = (name) => [name, TITLES[name], (c) => c.group === name];
const STRUCTURE = [
  ...['displacement', 'storey-drift', 'absolute-acceleration', 'acceleration', 'velocity', 'absolute-velocity', 'ground',
    'base-shear', 'energy'].map(group),
  ['element force', 'Element forces', (c) => c.group === 'element' && c.words.startsWith('force')],
  ['element deformation', 'Element deformations', (c) => c.group === 'element' && c.words.startsWith('deformation')],
];
const CODES = new Set(['time', 'test', 'master']);

export const titleOf = (name) => TITLES[name] || name[0].toUpperCase() + name.slice(1).replaceAll('-', ' ');

export function remember(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch { /* the choice then lasts until the page is closed */ }
}

export function remembered(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

export class Catalogue {
  constructor(hello) {
    this.hello = hello;
    const clock = (name, number) => ({name, number, unit: 's', group: 'clock', owner: '', words: name});
    this.columns = [clock('lateness', LATE), clock('duration of a tick', DURATION)];
    hello.columns.forEach((c, number) => {
      if (CODES.has(c.group) || (c.group === 'clock' && c.unit !== 's')) return;
      const words = c.owner && c.name.startsWith(`${c.owner} `) ? c.name.slice(c.owner.length + 1) : c.name;
      this.columns.push({...c, number, words});
    });
    this.byNumber = new Map(this.columns.map((c) => [c.number, c]));
  }

  get(number) {
    return this.byNumber.get(number);
  }

  groups() {
    const known = Object.keys(TITLES), found = [...new Set(this.columns.map((c) => c.group))];
    const rank = (g) => (known.includes(g) ? known.indexOf(g) : known.length - 2.5);
    return found.sort((a, b) => rank(a) - rank(b));
  }

  inGroup(name) {
    return this.columns.filter((c) => c.group === name);
  }

  // The available quantities of the structure: [[name, title]].
  presets() {
    return STRUCTURE.filter(([, , belongs]) => this.columns.some(belongs));
  }

  // Columns with the same unit; if there are many, an evenly spaced selection.
  preset(name) {
    const all = this.columns.filter(STRUCTURE.find((row) => row[0] === name)[2]);
    const same = all.filter((c) => c.unit === all[0].unit), count = Math.min(same.length, PRESET_CURVES);
    const step = count > 1 ? (same.length - 1) / (count - 1) : 0;
    return Array.from({length: count}, (_, k) => same[Math.round(k * step)].number);
  }

  // A column as it is stored. A column of the shown specimen represents that of any specimen.
  key(number, specimen) {
    const c = this.get(number), own = c.owner && c.owner === this.hello.specimens[specimen].name;
    return `${c.group}|${own ? '*' : c.owner}|${c.words}`;
  }

  find(key, specimen) {
    const found = this.columns.find((c) => key === this.key(c.number, specimen) || key === `${c.group}|${c.owner}|${c.words}`);
    return found ? found.number : null;
  }

  // The common words of the names in a panel are the title of its axis; the other words are in the legend.
  axis(numbers) {
    const list = numbers.map((n) => this.get(n)), same = (what) => list.every((c) => c[what] === list[0][what]);
    if (!list.length) return {text: 'no column selected', unit: '', names: []};
    const groupTitle = titleOf(list[0].group).toLowerCase(), one = list.length === 1;
    const text = list[0].group === 'clock' ? 'time' : one || same('words') ? list[0].words : same('group') && list[0].group !== 'rig' ? groupTitle
      : list[0].unit === 'm' ? 'position' : list[0].unit === 'rad' ? 'rotation' : groupTitle;
    const names = list.map((c) => (one ? c.name : same('words') && c.owner ? c.owner : same('owner') ? c.words : c.name));
    return {text, unit: list[0].unit, names};
  }
}
