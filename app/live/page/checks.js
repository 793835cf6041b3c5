// SPDX-License-Identifier: MIT
// The checklist of a real rig: a box for each line, and the confirmation of a second person. Only the holder of control ticks a box.
import {element} from './parts.js';

export class Checks {
  constructor(box, orders) {
    this.box = box;
    this.orders = orders;
    this.lines = [];
  }

  send(path, headers) {
    this.orders.post(path, 'checklist', 'The checklist did not reach the test.', headers);
  }

  open(texts) {
    this.box.querySelectorAll('label, form').forEach((old) => old.remove());
    this.lines = texts.map((text, k) => {
      const label = element(this.box, 'label'), tick = element(label, 'input');
      tick.type = 'checkbox';
      tick.addEventListener('change', () => this.send(`${tick.checked ? 'check' : 'uncheck'}/${k + 1}`));
      return {tick, words: element(label, 'span', '', text), text};
    });
    this.form = element(this.box, 'form', 'note');
    this.name = element(this.form, 'input');
    this.name.type = 'text';
    this.name.setAttribute('aria-label', 'name of the second person');
    this.name.placeholder = 'second person';
    this.second = element(this.form, 'button', 'quiet', 'Confirm');
    this.second.type = 'submit';
    this.form.addEventListener('submit', (e) => {
      e.preventDefault();
      const name = this.name.value.trim();
      if (name) this.send('confirm', {'X-Interfield-Name': encodeURIComponent(name)});
    });
  }

  // state: {asked, done: [name or null], second, confirmed}
  show(state) {
    this.box.hidden = !state || !state.asked;
    if (this.box.hidden) return;
    this.lines.forEach(({tick, words, text}, k) => {
      const name = state.done[k];
      tick.checked = name !== null; // as the test has it
      tick.disabled = !this.orders.holds();
      const shown = name ? `${text} (${name})` : text;
      if (words.textContent !== shown) words.textContent = shown;
    });
    const complete = state.done.every((name) => name !== null);
    this.form.hidden = !state.second;
    this.name.hidden = state.confirmed !== null;
    this.second.disabled = !this.orders.token || !complete || state.confirmed !== null;
    const word = state.confirmed !== null ? `Confirmed: ${state.confirmed}` : 'Confirm';
    if (this.second.textContent !== word) this.second.textContent = word;
  }
}
