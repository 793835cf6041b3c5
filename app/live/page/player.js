// SPDX-License-Identifier: MIT
// Plays the frames of a finished test: play, pause, speed, any moment.

const $ = (id) => document.getElementById(id);

export class Player {
  // to: {begin(): clears the display, take(frame): adds one frame}
  constructor(hello, to) {
    this.to = to;
    this.frames = [];
    this.shown = 0;
    this.at = 0;
    this.playing = false;
    this.before = performance.now();
    $('play').onclick = () => this.toggle();
    $('scrub').oninput = () => this.seek(Number($('scrub').value));
  }

  add(frame) {
    this.frames.push(frame);
  }

  length() {
    return this.frames.length ? this.frames[this.frames.length - 1].wall : 0;
  }

  // All frames have arrived: starts.
  ready() {
    $('scrub').max = this.length();
    this.at = 0;
    this.play(true);
  }

  play(on) {
    this.playing = on;
    this.before = performance.now();
    $('play-word').textContent = on ? 'Pause' : 'Play';
  }

  toggle() {
    if (!this.playing && this.at >= this.length()) this.seek(0);
    this.play(!this.playing);
  }

  go(seconds) {
    this.seek(this.at + seconds);
  }

  seek(moment) {
    this.at = Math.min(Math.max(moment, 0), this.length());
    this.show();
  }

  // A moment before the present one starts again from the first frame, because frames only add.
  show() {
    if (this.shown && this.frames[this.shown - 1].wall > this.at) {
      this.shown = 0;
      this.to.begin();
    }
    while (this.shown < this.frames.length && (this.shown === 0 || this.frames[this.shown].wall <= this.at))
      this.to.take(this.frames[this.shown++]);
    $('scrub').value = this.at;
  }

  advance() {
    const now = performance.now(), passed = (now - this.before) / 1000;
    this.before = now;
    if (!this.playing) return;
    this.seek(this.at + passed * Number($('speed').value));
    if (this.at >= this.length()) this.play(false);
  }
}
