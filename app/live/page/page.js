// SPDX-License-Identifier: MIT
// The live page: listens to the test, draws, and passes orders on. A replay gets every frame at once and plays them.
import {Plot, quantity, unitOf} from './plot.js';
import {Bars, Log, Machine, answerTo, element, level} from './parts.js';
import {Store} from './store.js';
import {Player} from './player.js';

const $ = (id) => document.getElementById(id);

// The token comes behind the # of the address, which no browser sends anywhere; it is taken out of sight at once.
function takeToken() {
  const given = location.hash.slice(1);
  try {
    if (given) sessionStorage.setItem('token', given);
    if (given) history.replaceState(null, '', location.pathname);
    return given || sessionStorage.getItem('token') || '';
  } catch {
    return given;
  }
}

const token = takeToken();
const plots = {
  position: new Plot($('position'), {time: true, unit: 'm', least: 1e-5}),
  tracking: new Plot($('tracking'), {time: true, unit: 'm', least: 1e-6}),
  late: new Plot($('late'), {time: true, unit: 's', log: [1e-6, 1e-2]}),
  loop: new Plot($('loop'), {unit: 'N', xUnit: 'm', least: 1e-5, yLeast: 1e-2}),
};
let hello = null, store, machine, bars, log, player = null;
let asked = 0, given = {name: '', at: 0};
let channel = 0, ended = null, dirty = false, connected = false, heard = 0, offset = Infinity, stopping = false;

const WHY_NO_HOLD = {
  'idle': 'Nothing moves yet.', 'ready': 'Nothing moves yet.', 'stopped': 'The test is over.',
  'ramp-in': 'The test has not begun: a hold would end it. Stop ends it too.',
  'ramp-out': 'The test is ending already.', 'tripped': 'The test is tripped: reset, arm and run come first.',
};
// After a trip a test begins again only step by step.
const NEXT = {tripped: 'Reset', idle: 'Arm', ready: 'Run'};
const KEYS = {
  'position-key': [['wanted', '--wanted'], ['command', '--command'], ['measured', '--measured']],
  'late-key': [['late by', '--measured'], ['duration', '--command']],
};
for (const [id, rows] of Object.entries(KEYS))
  for (const [word, colour] of rows) element($(id), 'span', `swatch ${colour.slice(2)}`, word);

function notify(text, kind) {
  $('notice').hidden = !text;
  $('notice').textContent = text;
  $('notice').dataset.kind = kind || '';
}

function greet(message) {
  hello = message;
  store = new Store(hello.channels.length);
  machine = new Machine($('machine'), hello.states);
  bars = new Bars($('bars'), hello);
  log = new Log($('log'), hello);
  for (const p of Object.values(plots)) p.clear();
  const most = 10 ** Math.ceil(Math.log10(3 * hello.period));
  plots.late.o.log = [1e-6, Math.max(most, 1e-4)];
  channel = Math.min(channel, hello.channels.length - 1);
  ended = null;
  stopping = false;
  offset = Infinity;
  $('title').textContent = hello.title || 'interfield';
  document.title = hello.title ? `${hello.title} · interfield` : 'interfield';
  $('about').textContent = hello.about;
  $('end').textContent = ` / ${Number(hello.end.toPrecision(4))} s`;
  $('orders').hidden = hello.replay;
  $('player').hidden = !hello.replay;
  const rights = token ? 'may hold and resume' : 'may watch and stop; hold needs the address with the token';
  $('rights').textContent = hello.replay ? '' : rights;
  if (hello.replay) player = new Player(hello, {begin: restart, take});
  offerChannels();
  notify('');
}

function restart() {
  store.clear();
  bars.clear();
  log.clear();
  dirty = true;
}

function offerChannels() {
  const box = $('channels');
  box.querySelectorAll('label').forEach((l) => l.remove());
  box.hidden = hello.channels.length < 2;
  hello.channels.forEach((c, k) => {
    const label = element(box, 'label'), button = element(label, 'input');
    button.type = 'radio';
    button.name = 'channel';
    button.checked = k === channel;
    button.addEventListener('change', () => choose(k));
    element(label, 'span', '', c.name);
  });
  bars.choose(channel);
  showUnits();
}

function showUnits() {
  const c = hello.channels[channel];
  plots.position.o.unit = plots.tracking.o.unit = plots.loop.o.xUnit = unitOf('m', c);
  plots.loop.o.unit = unitOf('N', c);
}

function choose(k) {
  if (!hello || k >= hello.channels.length) return;
  channel = k;
  $('channels').querySelectorAll('input').forEach((b, i) => { b.checked = i === k; });
  plots.position.clear();
  plots.tracking.clear();
  plots.loop.clear();
  bars.choose(k);
  showUnits();
  dirty = true;
}

// One frame becomes part of what is shown.
function take(frame) {
  store.add(frame);
  frame.channels.forEach((c, k) => bars.add(k, c.shares, c.peaks));
  frame.events.forEach((e) => {
    log.add(e);
    if (e.answer && hello.orders[e.order] === given.name && Date.now() - given.at < 5000)
      notify(`${given.name}${answerTo(hello, e)}`, hello.answers[e.answer].refused ? 'bad' : 'calm');
  });
  dirty = true;
}

// What a test in idle waits for, with value, limits and time, as the terminal says it.
function waitingFor(frame) {
  const kind = hello.waitNames[frame.wait], channel = hello.channels[frame.waitChannel];
  const amount = value => quantity(value, unitOf('m', channel));
  let facts = '';
  if (kind === 'OUTSIDE')
    facts = `: ${amount(frame.waitValue)}${channel ? `, stroke ${amount(channel.low)} to ${amount(channel.high)}` : ''}`;
  const most = channel ? hello.armSpread * (channel.high - channel.low) : 0;
  if (kind === 'NOT_AT_REST') facts = `: ${amount(frame.waitValue)}${channel ? `, at most ${amount(most)}` : ''}`;
  if (kind === 'COMMUNICATION') facts = `: ${frame.waitValue} ticks`;
  const patient = kind === 'ORDER' || kind === 'MASTER';
  const seconds = patient ? '' : ` (${frame.waited.toFixed(0)} s of ${hello.armTimeout.toFixed(0)} s)`;
  const name = channel ? `${channel.name}: ` : '';
  return `waiting: ${name}${hello.waits[frame.wait]}${facts}; nothing is commanded${seconds}`;
}

function showState() {
  const frame = store.last, name = frame ? hello.states[frame.state].name : 'waiting';
  const lost = !hello.replay && !connected && !ended, word = lost ? 'offline' : name;
  document.body.dataset.state = lost ? 'lost' : name;
  if ($('state').textContent !== word) $('state').textContent = word; // said aloud only when it changes
  const fault = frame && frame.fault && frame.state !== 3 ? hello.faults[frame.fault] : '';
  const meaning = !frame ? '' : name === 'idle' && frame.wait ? waitingFor(frame) : hello.states[frame.state].text;
  $('state-text').textContent = lost ? 'no connection: what is below is old' : fault || meaning;
  if (!frame) return;
  machine.show(lost ? -1 : frame.state);
  $('time').textContent = frame.time.toFixed(frame.time < 100 ? 2 : 1);
  $('progress').value = hello.end > 0 ? Math.min(1, frame.time / hello.end) : 0;
  const rests = name === 'idle' || name === 'tripped';
  $('hold-word').textContent = name === 'hold' ? 'Resume' : 'Hold';
  $('stop-word').textContent = rests ? 'Quit' : stopping && !lost && name !== 'stopped' ? 'Trip now' : 'Stop';
  bar($('hold'), whyNotAtAll(lost) || WHY_NO_HOLD[name] || (name === 'hold' ? hello.no_resume : ''));
  bar($('stop'), ended ? 'The test is over.' : '');
  bar($('next'), whyNotAtAll(lost));
  $('next').hidden = !NEXT[name] || lost || Boolean(ended);
  if (NEXT[name]) $('next').textContent = NEXT[name];
}

function whyNotAtAll(lost) {
  if (ended) return 'The test is over.';
  if (lost) return 'There is no connection to the test.';
  return token ? '' : 'This needs the address with the token, which the terminal shows.';
}

// A button that cannot act says why.
function bar(button, why) {
  button.disabled = Boolean(why);
  button.title = why;
}

function showLimits() {
  const worst = bars.worst();
  bars.draw();
  $('worst').textContent = hello.limited ? `${Math.round(100 * worst.share)} %` : '–';
  $('worst').dataset.level = level(worst.share);
  const name = `${hello.channels[worst.channel].name} ${hello.bars[worst.bar].name}`;
  $('worst-text').textContent = worst.share > 0 ? name : '';
}

// What the indicators say of the actuator.
function showFollowing() {
  const c = store.last && store.last.channels[channel];
  const known = c && c.amplitude;
  $('following').textContent = known ? `delay ${quantity(c.delay, 's')}, amplitude ${c.amplitude.toFixed(3)}` : '';
}

function showClock() {
  const f = store.last, box = $('clock');
  if (!f) return;
  const rows = [
    ['ticks', f.tick.toLocaleString('en').replaceAll(',', ' ')], ['late', f.late],
    ['latest', quantity(f.latest, 's')], ['longest', quantity(f.longest, 's')], ['period', quantity(hello.period, 's')],
    ['skipped, dropped', `${f.skipped}, ${f.dropped}`],
  ];
  box.replaceChildren();
  for (const [word, value] of rows) {
    element(box, 'dt', '', word);
    element(box, 'dd', '', value);
  }
}

function span() {
  const wanted = Number($('window').value), now = store.last ? store.last.wall : 0;
  const width = wanted || Math.max(now - (store.t[0] || 0), 1);
  return [Math.max(now, width) - width, Math.max(now, width)];
}

function showPlots() {
  const s = store.seen[channel], x = store.t, limits = hello.channels[channel].limits, time = span();
  const from = Math.max(0, store.row(time[0]) - 1), to = x.length;
  const curve = (y, colour, more) => ({x, y, from, to, colour, ...more});
  plots.position.drawTime([curve(s[0], '--wanted', {width: 4}), curve(s[1], '--command', {dash: [5, 3]}),
    curve(s[2], '--measured')], time, stroke(limits[0]));
  plots.tracking.drawTime([curve(s[4], '--measured')], time, stroke(limits[5]));
  plots.late.drawTime([curve(store.duration, '--command'), curve(store.late, '--measured')], time,
    [{at: hello.period, text: 'one tick', colour: '--near'}]);
  plots.loop.drawLoop({x: s[2], y: s[3], from, to}, store.row((store.last ? store.last.wall : 0) - 2));
}

function stroke(limit) {
  return hello.limited && limit ? [{at: limit, text: 'limit'}, {at: -limit, text: 'limit'}] : [];
}

function draw() {
  requestAnimationFrame(draw);
  if (player) player.advance();
  if (!dirty || !hello) return;
  dirty = false;
  showState();
  showLimits();
  showFollowing();
  showClock();
  showPlots();
}

// Frames carry the sender's clock: the smallest difference to ours is taken for that of the clocks, more is delay.
function measureDelay(frame) {
  const difference = Date.now() - frame.now;
  offset = Math.min(offset, difference);
  return (difference - offset) / 1000;
}

function listen() {
  const source = new EventSource('events');
  source.addEventListener('hello', (e) => {
    greet(JSON.parse(e.data));
    connected = true;
    heard = Date.now();
  });
  source.addEventListener('past', (e) => JSON.parse(e.data).events.forEach((event) => log.add(event)));
  source.addEventListener('message', (e) => {
    const frame = JSON.parse(e.data);
    heard = Date.now();
    if (player) {
      player.add(frame);
      return;
    }
    const delay = measureDelay(frame);
    $('link').textContent = delay > 2 ? `connected, but ${delay.toFixed(1)} s behind` : 'connected';
    take(frame);
  });
  source.addEventListener('end', (e) => {
    ended = JSON.parse(e.data);
    source.close();
    if (player) player.ready();
    else notify(`The test is over: ${ended.outcome}. To see it again: interfield live ${ended.folder}`, 'calm');
    $('link').textContent = player ? 'replay' : 'the test is over';
    dirty = true;
  });
  source.addEventListener('error', () => {
    if (ended) return;
    lose('Connection lost: this page does not show the test any more. It keeps trying.');
    // A browser gives up after some errors; this page does not.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 1000);
  });
}

function lose(text) {
  connected = false;
  dirty = true;
  $('link').textContent = 'connection lost';
  document.body.dataset.state = 'lost';
  if (!hello) $('state').textContent = 'offline';
  notify(text, 'bad');
}

// A connection can be open and silent.
setInterval(() => {
  if (!connected || ended || Date.now() - heard < 3000) return;
  lose('Nothing was heard from the test for 3 s: what is shown is old.');
  const again = setInterval(() => {
    if (Date.now() - heard > 1000) return;
    clearInterval(again);
    connected = true;
    notify('');
  }, 200);
}, 500);

async function order(name) {
  given = {name, at: Date.now()};
  try {
    const reply = await fetch(`order/${name}`, {method: 'POST', headers: token ? {'X-Interfield-Token': token} : {}});
    if (!reply.ok) notify(`${name}: ${await reply.text()}`, 'bad');
  } catch {
    notify(`"${name}" did not reach the test. Use the emergency stop.`, 'bad');
  }
}

function holdOrResume() {
  if (player) player.toggle();
  else if (!$('hold').disabled) order($('hold-word').textContent === 'Resume' ? 'resume' : 'hold');
  else notify(`${$('hold-word').textContent}: ${$('hold').title}`, 'calm');
}

function stop() {
  if (player || ended) return;
  const trips = $('stop-word').textContent === 'Trip now';
  order(trips ? 'trip' : 'stop');
  stopping = true;
  $('stop').focus();
  dirty = true;
}

// A letter is typed by mistake more easily than a button is pressed: the first one asks. A trip is never asked about.
function stopByKey() {
  const patience = 5000; // ms
  if (player || ended) return;
  if ($('stop-word').textContent === 'Trip now' || Date.now() - asked < patience) {
    asked = 0;
    notify('');
    stop();
    return;
  }
  asked = Date.now();
  const question = `${$('stop-word').textContent}? Press s once more. The button acts at once.`;
  notify(question, 'calm');
  setTimeout(() => { if ($('notice').textContent === question) notify(''); }, patience);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  $('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  try {
    localStorage.setItem('theme', theme);
  } catch { /* it then lasts as long as the page */ }
  dirty = true;
}

function firstTheme() {
  let kept = null;
  try {
    kept = localStorage.getItem('theme');
  } catch { /* none is kept */ }
  return kept || (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

const swapTheme = () => setTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
const help = () => ($('help').open ? $('help').close() : $('help').showModal());

// Space is hold wherever the focus is, but for controls that need it themselves; Enter presses what has the focus.
function key(e) {
  if (e.ctrlKey || e.altKey || e.metaKey || e.repeat) return;
  const own = e.target.closest && e.target.closest('select, input, .quiet, dialog');
  if (e.key === '?') help();
  else if ($('help').open) return;
  else if (e.key === ' ' && !own) holdOrResume();
  else if (e.key === 's') stopByKey();
  else if (e.key === 't') swapTheme();
  else if (e.key >= '1' && e.key <= '9') choose(Number(e.key) - 1);
  else if (player && !own && e.key === 'ArrowLeft') player.go(-1);
  else if (player && !own && e.key === 'ArrowRight') player.go(1);
  else return;
  e.preventDefault();
}

document.addEventListener('keydown', key);
// A button that is pressed with the space bar acts when it is let go: that would be a second order.
document.addEventListener('keyup', (e) => {
  if (e.key === ' ' && e.target.closest && e.target.closest('.orders, .player button')) e.preventDefault();
});
$('hold').addEventListener('click', holdOrResume);
$('stop').addEventListener('click', stop);
$('next').addEventListener('click', () => order($('next').textContent.toLowerCase()));
$('theme').addEventListener('click', swapTheme);
$('help-open').addEventListener('click', help);
$('window').addEventListener('change', () => { dirty = true; });
addEventListener('resize', () => { dirty = true; });
setTheme(firstTheme());
listen();
draw();
