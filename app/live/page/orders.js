// SPDX-License-Identifier: MIT
// Orders of this browser: who it is, whether it has control, the buttons of a state, and the confirmation of motion.
import {remember, remembered} from './catalogue.js';
import {element} from './parts.js';

// These cause motion or pressure: on a real rig their buttons are held for a second. It is a confirmation, no hold-to-run.
const CONFIRMED = ['arm', 'run', 'resume', 'return', 'unload', 'low', 'high'];
const CONFIRM = 1000; // ms
export const UNREACHED = 'This page cannot reach the test. Use the emergency stop, or Ctrl-C at its terminal.';
// Orders with a button, a key or a meaning of their own.
const ELSEWHERE = ['hold', 'resume', 'stop', 'slower', 'faster', 'checkpoint', 'update-off', 'update-on'];

// The identity of this browser for the test, drawn once.
function draw() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
}

function kept(key, make) {
  try {
    const old = sessionStorage.getItem(key);
    if (old) return old;
    const value = make();
    sessionStorage.setItem(key, value);
    return value;
  } catch {
    return make();
  }
}

export const identity = kept('identity', draw);

export class Orders {
  constructor(token, notify) {
    this.token = token;
    this.notify = notify;
    this.key = `number ${token}`; // another run counts its browsers anew
    this.number = Number(kept(this.key, () => '-1'));
    this.real = false;
    this.holder = -2; // number of the holder; 0: the terminal
    this.who = '';
    this.permits = () => false; // whether the present state permits an order
  }

  notPermitted(name) { return `${name}: this state does not permit the order.`; }

  holds() { return this.number > 0 && this.holder === this.number; }

  headers() {
    const name = remembered('name') || '';
    return {'X-Interfield-Client': identity, ...(this.token ? {'X-Interfield-Token': this.token} : {}),
      ...(name ? {'X-Interfield-Name': encodeURIComponent(name)} : {})};
  }

  // The text of the answer; null, after a notice, if it is refused (name) or the test was not reached (lost).
  async post(path, name, lost, headers) {
    try {
      const reply = await fetch(path, {method: 'POST', headers: {...this.headers(), ...headers}}), text = await reply.text();
      if (!reply.ok) this.notify(`${name}: ${text}`, 'bad');
      return reply.ok ? text : null;
    } catch {
      this.notify(lost, 'bad');
      return null;
    }
  }

  send(name) {
    if (this.permits(name)) return this.post(`order/${name}`, name, UNREACHED);
    this.notify(this.notPermitted(name), 'calm');
    return null;
  }

  // With the token and, on a real rig, a name. form: asks for it; the page continues meanwhile.
  begin(form) {
    if (!this.real && remembered('name')) {
      this.take();
      return;
    }
    const input = form.querySelector('input');
    input.value = remembered('name') || '';
    form.hidden = false;
    input.focus();
  }

  naming(form) {
    const input = form.querySelector('input');
    form.addEventListener('submit', (e) => {
      e.preventDefault();
      if (this.real && !input.value.trim()) {
        this.notify('Control of a real rig needs a name.', 'calm');
        return;
      }
      form.hidden = true;
      remember('name', input.value.trim());
      this.take();
    });
    form.querySelector('button[type=button]').addEventListener('click', () => { form.hidden = true; });
    input.addEventListener('keydown', (e) => { if (e.key === 'Escape') form.hidden = true; });
  }

  async take() {
    const text = await this.post('control', 'control', 'The request for control did not reach the test.');
    if (text === null) return;
    this.number = Number(text);
    try {
      sessionStorage.setItem(this.key, text);
    } catch { /* until the page is loaded again */ }
  }

  // What this browser may do.
  rights() {
    if (!this.token) return 'You are a viewer: you may stop and trip. Other orders need the address shown in the terminal.';
    if (this.holds()) return 'You have control: all orders of the state are permitted.';
    return `You are a viewer: you may stop and trip. Control: ${this.who || 'the terminal'}.`;
  }

  whyNot() {
    if (!this.token) return 'This order needs the address with the token, which is shown in the terminal.';
    return this.holds() ? '' : `This order needs control, which ${this.who || 'the terminal'} has.`;
  }

  needsConfirmation(name) { return this.real && CONFIRMED.includes(name); }

  // A click, or a press of a second by pointer or Enter where motion is confirmed. word: the order of the button now. The press
  // confirms the word it began with; its release or the repetition of Enter is not a click on the next word (resume, then hold).
  button(button, word, act) {
    let timer = 0, acted = false;
    const end = () => {
      clearTimeout(timer);
      timer = 0;
      delete button.dataset.held;
    };
    const release = () => {
      end();
      setTimeout(() => { acted = false; }); // the click comes first
    };
    const begin = () => {
      const name = word();
      acted = false;
      if (button.disabled || timer || !this.needsConfirmation(name)) return;
      button.dataset.held = 'yes';
      timer = setTimeout(() => {
        end();
        acted = true;
        if (!button.disabled && word() === name) act();
      }, CONFIRM);
    };
    button.addEventListener('pointerdown', (e) => { if (e.button === 0) begin(); });
    for (const kind of ['pointerup', 'pointerleave', 'pointercancel', 'blur']) button.addEventListener(kind, release);
    button.addEventListener('keydown', (e) => { if (e.key === 'Enter' && !e.repeat) begin(); });
    button.addEventListener('keyup', (e) => { if (e.key === 'Enter') release(); });
    button.addEventListener('click', () => {
      if (acted) return;
      if (!this.needsConfirmation(word())) act();
      else if (!timer) this.notify(`${word()}: keep the button pressed for a second`, 'calm');
    });
  }

  // Buttons for the other words of a state; they are made anew only when the words change.
  offer(box, words, next, why) {
    const names = words.filter((name) => !ELSEWHERE.includes(name) && name !== next), text = names.join(' ');
    if (box.dataset.words !== text) {
      box.dataset.words = text;
      box.replaceChildren();
      for (const name of names) {
        const one = element(box, 'button', 'quiet', name);
        one.type = 'button';
        one.dataset.order = name;
        this.button(one, () => name, () => this.send(name));
      }
    }
    for (const one of box.children) {
      one.disabled = Boolean(why) && one.dataset.order !== 'trip';
      one.title = one.disabled ? why : this.needsConfirmation(one.dataset.order) ? 'Keep pressed for a second.' : '';
    }
  }
}
