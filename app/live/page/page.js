// SPDX-License-Identifier: MIT
// The live page: receives the frames of a test, draws them and sends orders. A replay receives all frames and plays them.
import {remember, remembered} from './catalogue.js';
import {Curves} from './curves.js';
import {Checks} from './checks.js';
import {Orders, UNREACHED, identity} from './orders.js';
import {Bars, Log, Machine, Rest, answerTo, element, level} from './parts.js';
import {Player} from './player.js';
import {Store} from './store.js';
import {quantity, together, unitOf} from './units.js';

const $ = (id) => document.getElementById(id);

// The token follows the # of the address, which browsers do not send; it is removed from the address immediately.
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
const orders = new Orders(token, (text, kind) => notify(text, kind));
const checks = new Checks($('checks'), orders);
const curves = new Curves(() => { dirty = true; }, () => notify(`The test has ended; these columns were not transmitted. ${again()}`, 'calm'));
const again = () => `To show all columns: interfield live ${ended.folder}`;
let hello = null, store, machine, bars, log, rest, player = null;
let asked = 0, given = {name: '', at: 0};
let specimen = 0, ended = null, dirty = false, connected = false, heard = 0, offset = Infinity;

// The orders after a trip, in this sequence.
const NEXT = {tripped: 'Reset', idle: 'Arm', ready: 'Run'};

function notify(text, kind) {
  $('notice').hidden = !text;
  $('notice').textContent = text;
  $('notice').dataset.kind = kind || '';
}

function greet(message) {
  hello = message;
  store = new Store(hello);
  machine = new Machine($('machine'), hello.states);
  bars = new Bars($('bars'), hello);
  log = new Log($('log'), hello);
  rest = new Rest($('rest'), hello);
  trip(null);
  orders.permits = permits;
  $('replay').hidden = !hello.replay;
  $('replay').textContent = `REPLAY of ${hello.started}`;
  specimen = Math.min(specimen, hello.specimens.length - 1);
  ended = null;
  orders.real = Boolean(hello.real);
  checks.open(hello.checklist || []);
  offset = Infinity;
  $('title').textContent = hello.title || 'interfield';
  document.title = hello.title ? `${hello.title} · interfield` : 'interfield';
  $('about').textContent = together(hello.about);
  $('end').textContent = ` / ${Number(hello.end.toPrecision(4))} s`;
  $('picture-open').hidden = !hello.picture;
  $('orders').hidden = hello.replay;
  $('player').hidden = !hello.replay;
  if (hello.replay) player = new Player(hello, {begin: restart, take});
  offerSpecimens();
  curves.open(hello, store, specimen);
  notify('');
}

// Whether the present state permits an order. A page without a connection knows no state: it may always stop.
function permits(name) {
  if (!connected || !store.last) return name === 'stop' || name === 'trip';
  return hello.states[store.last.state].orders.includes(name);
}

// The last trip with its value and limit, until the test is armed and runs again.
function trip(event) {
  const tripped = event && event.state !== undefined && hello.states[event.state].name === 'tripped' && event.fault;
  if (tripped) $('trip').textContent = `Trip at ${event.wall.toFixed(2)} s: ${event.why || hello.faults[event.fault]}`;
  if (tripped || !event || ['ramp-in', 'run'].includes((hello.states[event.state] || {}).name)) $('trip').hidden = !tripped;
}

function restart() {
  trip(null);
  store.clear();
  bars.clear();
  log.clear();
  dirty = true;
}

function offerSpecimens() {
  const box = $('specimens');
  box.querySelectorAll('label').forEach((l) => l.remove());
  box.hidden = hello.specimens.length < 2;
  hello.specimens.forEach((c, k) => {
    const label = element(box, 'label'), button = element(label, 'input');
    button.type = 'radio';
    button.name = 'specimen';
    button.checked = k === specimen;
    button.addEventListener('change', () => choose(k));
    element(label, 'span', '', c.name);
  });
  bars.choose(specimen);
}

function choose(k) {
  if (!hello || k >= hello.specimens.length) return;
  specimen = k;
  $('specimens').querySelectorAll('input').forEach((b, i) => { b.checked = i === k; });
  bars.choose(k);
  curves.look(k);
}

// Adds one frame to the display.
function take(frame) {
  if (frame.control !== undefined) {
    orders.who = frame.control;
    orders.holder = frame.holder;
  }
  checks.show(frame.clearance);
  store.add(frame);
  frame.specimens.forEach((c, k) => bars.add(k, c.shares, c.peaks));
  frame.events.forEach((e) => {
    log.add(e);
    trip(e);
    if (e.answer && hello.answers[e.answer].text.startsWith('automatic:')) notify(`stop ${answerTo(hello, e)}`, 'bad');
    else if (e.answer && hello.orders[e.order] === given.name && Date.now() - given.at < 5000)
      notify(`${given.name}${answerTo(hello, e)}`, hello.answers[e.answer].refused ? 'bad' : 'calm');
  });
  dirty = true;
}

// The condition for which a test in idle waits, with value, limits and time, as in the terminal.
function waitingFor(frame) {
  const kind = hello.waitNames[frame.wait], specimen = hello.specimens[frame.waitOwner];
  const amount = value => quantity(value, unitOf('m', specimen));
  let facts = '';
  if (kind === 'OUTSIDE')
    facts = `: ${amount(frame.waitValue)}${specimen ? `, stroke ${amount(specimen.low)} to ${amount(specimen.high)}` : ''}`;
  const most = specimen ? hello.armSpread * (specimen.high - specimen.low) : 0;
  if (kind === 'NOT_AT_REST') facts = `: ${amount(frame.waitValue)}${specimen ? `, at most ${amount(most)}` : ''}`;
  if (kind === 'COMMUNICATION') facts = `: ${frame.waitValue} ticks`;
  const patient = kind === 'ORDER' || kind === 'MASTER';
  const seconds = patient ? '' : ` (${frame.waited.toFixed(0)} s of ${hello.armTimeout.toFixed(0)} s)`;
  const name = specimen ? `${specimen.name}: ` : '';
  return `waiting: ${name}${hello.waits[frame.wait]}${facts}; no command is sent${seconds}`;
}

// The rate of simulated time in a run, if it differs from 1, and the age of the answers of a distant rig.
function rateOf(frame) {
  if (hello.states[frame.state].name !== 'run') return '';
  const slow = frame.rate < 0.9995, known = slow && frame.rate > 0 && hello.lambda > 0;
  const lambda = known ? ` (lambda ${Number((hello.lambda / frame.rate).toPrecision(3))})` : '';
  const rate = slow ? `, rate ${Number(frame.rate.toPrecision(3))}${lambda}` : '';
  return rate + (frame.age >= 0 ? `, answers ${quantity(frame.age, 's')} old` : '');
}

function showState() {
  const frame = store.last, name = frame ? hello.states[frame.state].name : 'waiting';
  const lost = !hello.replay && !connected && !ended, word = lost ? 'offline' : name;
  document.body.dataset.state = lost ? 'lost' : name;
  if ($('state').textContent !== word) $('state').textContent = word; // screen readers announce changes
  const fault = frame && frame.fault && frame.state !== 3 ? frame.why || hello.faults[frame.fault] : '';
  const meaning = !frame ? '' : name === 'idle' && frame.wait ? waitingFor(frame)
    : hello.states[frame.state].text + rateOf(frame);
  $('state-text').textContent = lost ? 'no connection: the values below are outdated' : fault || meaning;
  if (!frame) return;
  machine.show(lost ? -1 : frame.state);
  $('time').textContent = frame.time.toFixed(frame.time < 100 ? 2 : 1);
  $('progress').value = hello.end > 0 ? Math.min(1, frame.time / hello.end) : 0;
  const rests = (name === 'idle' || name === 'tripped') && !lost;
  $('hold-word').textContent = name === 'hold' ? 'Resume' : 'Hold';
  $('hold').hidden = Boolean(ended) || lost || !permits(heldWord());
  $('stop-word').textContent = rests && orders.holds() ? 'Quit' : 'Stop';
  bar($('hold'), whyNotAtAll(lost) || (name === 'hold' ? hello.no_resume : ''));
  bar($('stop'), ended ? 'The test has ended.' : permits(stopWord()) ? '' : 'Nothing moves in this state; who has control may quit.');
  bar($('next'), whyNotAtAll(lost));
  const others = ended || lost ? [] : hello.states[frame.state].orders.filter((word) => word !== stopWord());
  orders.offer($('others'), others, (NEXT[name] || '').toLowerCase(), whyNotAtAll(lost));
  $('next').hidden = !NEXT[name] || lost || Boolean(ended) || !permits(NEXT[name].toLowerCase());
  if (NEXT[name]) $('next').textContent = NEXT[name];
}

// The rights of this page.
function showRights() {
  const text = ended ? 'The test has ended; no orders are possible.' : connected ? orders.rights() : 'No connection: the page cannot know what is permitted.';
  $('take').hidden = Boolean(ended) || !connected || !token || orders.holds();
  if ($('rights').textContent !== text) $('rights').textContent = text;
}

function whyNotAtAll(lost) {
  if (ended) return 'The test has ended.';
  if (lost) return 'No connection to the test.';
  return orders.whyNot();
}

// A disabled button shows the reason.
function bar(button, why) {
  button.disabled = Boolean(why);
  button.title = why;
}

function showLimits() {
  const worst = bars.worst();
  bars.draw();
  $('worst').textContent = hello.limited ? `${Math.round(100 * worst.share)} %` : '–';
  $('worst').dataset.level = level(worst.share);
  const c = hello.specimens[worst.specimen], limit = quantity(c.limits[worst.bar], unitOf(hello.bars[worst.bar].unit, c));
  $('worst-text').textContent = worst.share > 0 ? `${c.name} ${hello.bars[worst.bar].name}, of ${limit}` : '';
}

// Whether the target of the shown specimen has changed in the last second: a target has no noise.
function moves() {
  const target = store.seen[specimen][0], first = store.row(store.last.wall - 1, store.t), recent = target.slice(first);
  return recent.some((v) => v !== null && v !== recent[0]);
}

// Delay and amplitude of the actuator from its indicators, while it moves: afterwards they are those of a motion that is over.
function showFollowing() {
  const c = store.last && store.last.specimens[specimen];
  const known = c && c.amplitude && moves();
  $('following').textContent = known
    ? `${c.delay < 0 ? 'ahead by' : 'delay'} ${quantity(Math.abs(c.delay), 's')}, amplitude ${c.amplitude.toFixed(3)}` : '';
}

function showClock() {
  const f = store.last, box = $('clock');
  if (!f) return;
  const rows = [
    ['ticks', f.tick.toLocaleString('en').replaceAll(',', ' ')], ['late', f.late], ['missed', f.skipped],
    ['not recorded', f.dropped], ['largest lateness', quantity(f.latest, 's')], ['longest tick', quantity(f.longest, 's')],
  ];
  box.replaceChildren();
  for (const [word, value] of rows) {
    const row = element(box, 'div');
    element(row, 'dt', '', word);
    element(row, 'dd', '', value);
  }
}

function draw() {
  requestAnimationFrame(draw);
  if (player) player.advance();
  if (!dirty || !hello) return;
  dirty = false;
  showState();
  showRights();
  showLimits();
  rest.show(store.last);
  showFollowing();
  showClock();
  curves.draw();
}

// Frames contain the time of the sender. The smallest difference from the time here is the offset of the clocks; the rest is delay.
function measureDelay(frame) {
  const difference = Date.now() - frame.now;
  offset = Math.min(offset, difference);
  return (difference - offset) / 1000;
}

function listen() {
  const source = new EventSource(`events?client=${identity}`);
  source.addEventListener('hello', (e) => {
    greet(JSON.parse(e.data));
    connected = true;
    heard = Date.now();
  });
  source.addEventListener('past', (e) => JSON.parse(e.data).events.forEach((event) => {
    log.add(event);
    trip(event);
  }));
  source.addEventListener('message', (e) => {
    const frame = JSON.parse(e.data);
    heard = Date.now();
    if (player) {
      player.add(frame);
      return;
    }
    const delay = measureDelay(frame);
    $('link').textContent = delay > 2 ? `connected, ${delay.toFixed(1)} s delayed` : 'connected';
    take(frame);
  });
  source.addEventListener('engine', (e) => {
    const alarm = JSON.parse(e.data);
    $('engine').hidden = !alarm.stopped;
    $('engine').textContent = `Engine ${alarm.text}. Orders have no effect. Use the emergency stop.`;
  });
  source.addEventListener('end', (e) => {
    ended = JSON.parse(e.data);
    source.close();
    if (player) {
      player.ready();
      curves.limit(player.length());
    } else {
      curves.end();
      curves.limit(store.t[store.t.length - 1] || 0);
      notify(`The test has ended: ${ended.outcome}. ${again()}`, 'calm');
    }
    $('link').textContent = player ? 'replay' : 'the test has ended';
    dirty = true;
  });
  source.addEventListener('error', () => {
    if (ended) return;
    lose(player ? 'The server of this replay does not answer.' : UNREACHED);
    // A browser stops after some errors; this page tries again.
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
  lose(UNREACHED);
  const again = setInterval(() => {
    if (Date.now() - heard > 1000) return;
    clearInterval(again);
    connected = true;
    notify('');
  }, 200);
}, 500);

function order(name) {
  given = {name, at: Date.now()};
  return orders.send(name);
}

const heldWord = () => ($('hold-word').textContent === 'Resume' ? 'resume' : 'hold');

const stopWord = () => $('stop-word').textContent.toLowerCase();

function holdOrResume() {
  if (player) player.toggle();
  else if ($('hold').hidden) notify(orders.notPermitted(heldWord()), 'calm');
  else if (!$('hold').disabled) order(heldWord());
  else notify(`${$('hold-word').textContent}: ${$('hold').title}`, 'calm');
}

function stop() {
  if (player || ended) return;
  order(stopWord());
  $('stop').focus();
  dirty = true;
}

// A key is pressed by mistake more easily than a button: the first press asks for confirmation.
function stopByKey() {
  const patience = 5000; // ms
  if (player || ended) return;
  if (Date.now() - asked < patience) {
    asked = 0;
    notify('');
    stop();
    return;
  }
  asked = Date.now();
  const question = `${$('stop-word').textContent}? Press s again to confirm. The button acts immediately.`;
  notify(question, 'calm');
  setTimeout(() => { if ($('notice').textContent === question) notify(''); }, patience);
}

// Dark or light as the system, until the user chooses.
const systemDark = matchMedia('(prefers-color-scheme: dark)');
function setTheme() {
  const theme = remembered('theme') || (systemDark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = theme;
  $('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  dirty = true;
}

function swapTheme() {
  remember('theme', document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
  setTheme();
}

const help = () => ($('help').open ? $('help').close() : $('help').showModal());

// Space orders hold wherever the focus is, except on controls that use it. Enter presses the focused control.
function key(e) {
  if (e.ctrlKey || e.altKey || e.metaKey || e.repeat) return;
  const own = e.target.closest && e.target.closest('select, input, dialog');
  if (e.key === 'Escape' && $('chooser').open) $('chooser').close();
  else if (e.target.type === 'search' || e.target.type === 'text') return; // words are typed there
  else if (e.key === '?') help();
  else if ($('help').open) return;
  else if (e.key === ' ' && !own && !player && orders.needsConfirmation(heldWord())) notify('resume: keep the button pressed for a second', 'calm');
  else if (e.key === ' ' && !own) holdOrResume();
  else if (e.key === 's') stopByKey();
  else if ((e.key === '-' || e.key === '+') && !player && !ended && !own) order(e.key === '-' ? 'slower' : 'faster');
  else if (e.key === 't') swapTheme();
  else if (e.key === 'z') curves.whole();
  else if (e.key >= '1' && e.key <= '9') choose(Number(e.key) - 1);
  else if (player && !own && e.key === 'ArrowLeft') player.go(-1);
  else if (player && !own && e.key === 'ArrowRight') player.go(1);
  else return;
  e.preventDefault();
}

document.addEventListener('keydown', key);
// A button that has the focus acts when the space bar is released, which would be a second order.
document.addEventListener('keyup', (e) => {
  if (e.key === ' ' && e.target.closest && e.target.closest('button') && !e.target.closest('dialog')) e.preventDefault();
});
orders.button($('hold'), heldWord, holdOrResume);
$('stop').addEventListener('click', stop);
const nextWord = () => $('next').textContent.toLowerCase();
orders.button($('next'), nextWord, () => order(nextWord()));
$('take').addEventListener('click', () => orders.begin($('naming')));
orders.naming($('naming'));
$('theme').addEventListener('click', swapTheme);
$('help-open').addEventListener('click', help);
$('picture-open').addEventListener('click', () => {
  if (!$('picture').src) $('picture').src = 'structure.svg';
  $('picture').hidden = !$('picture').hidden;
  $('picture-open').setAttribute('aria-pressed', String(!$('picture').hidden));
});
$('whole').addEventListener('click', () => curves.whole());
$('chooser-close').addEventListener('click', () => $('chooser').close());
for (const id of ['window', 'axis']) {
  const kept = remembered(id);
  if ([...$(id).options].some((o) => o.value === kept)) $(id).value = kept;
  $(id).addEventListener('change', () => {
    remember(id, $(id).value);
    curves.whole();
  });
}
addEventListener('resize', () => { dirty = true; });
systemDark.addEventListener('change', setTheme);
setTheme();
listen();
draw();
