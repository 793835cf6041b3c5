// SPDX-License-Identifier: MIT
// The checklist of a real rig: a box for each line, and the confirmation of a second person. Only the holder of control ticks a box.
import {element} from './parts.js';

export class Checks {
  constructor(box, orders, notify) {
    this.box = box;
    this.orders = orders;
    this.notify = notify;
    this.lines = [];
  }

  async send(path, headers) {
    try {
      const reply = await fetch(path, {method: 'POST', headers: {...this.orders.headers(), ...headers}});
      if (!reply.ok) this.notify(`checklist: ${await reply.text()}`, 'bad');
    } catch {
      this.notify('The checklist did not reach the test.', 'bad');
    }
  }

  open(texts) {
    this.box.querySelectorAll('label, button').forEach((old) => old.remove());
    this.lines = texts.map((text, k) => {
      const label = element(this.box, 'label'), tick = element(label, 'input');
      tick.type = 'checkbox';
      tick.addEventListener('change', () => this.send(`${tick.checked ? 'check' : 'uncheck'}/${k + 1}`));
      return {tick, words: element(label, 'span', '', text), text};
    });
    this.second = element(this.box, 'button', 'quiet', 'Confirm as second person');
    this.second.type = 'button';
    this.second.addEventListener('click', () => {
      const name = prompt('Name of the second person');
      if (name && name.trim()) this.send('confirm', {'X-Interfield-Name': encodeURIComponent(name.trim())});
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
    this.second.hidden = !state.second;
    this.second.disabled = !this.orders.token || !complete || state.confirmed !== null;
    this.second.textContent = state.confirmed !== null ? `Confirmed: ${state.confirmed}` : 'Confirm as second person';
  }
}
