// SPDX-License-Identifier: MIT
// Numbers for display: a value in a unit that suits its size, and the marks of an axis.

// Units with multiples: [factor, name], the largest first.
const thousands = (unit, ...prefixes) => prefixes.map(([factor, prefix]) => [factor, prefix + unit]);
const UP = [[1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm']], DOWN = [[1, ''], [1e-3, 'm'], [1e-6, 'µ']];
const UNITS = {
  'm': thousands('m', ...DOWN), 's': thousands('s', ...DOWN), 'rad': thousands('rad', ...DOWN),
  'm/s': thousands('m/s', [1, ''], [1e-3, 'm']), 'rad/s': thousands('rad/s', [1, ''], [1e-3, 'm']),
  'N': thousands('N', ...UP), 'N m': thousands('N m', ...UP), 'J': thousands('J', ...UP),
  'N/s': thousands('N/s', ...UP), 'm/s2': thousands('m/s²', [1, ''], [1e-3, 'm']),
  'rad/s2': thousands('rad/s²', [1, ''], [1e-3, 'm']),
};

const powerOfTen = (power) => `10${[...String(power)].map((c) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[c] || '⁻').join('')}`;

// The largest unit in which `size` is at least 1, or the smallest there is, or a power of ten of it: [factor, name].
export function unitFor(unit, size) {
  const rows = UNITS[unit] || [[1, unit]];
  const [factor, name] = rows.find((row) => (size ? size >= 0.9995 * row[0] : row[0] === 1)) || rows[rows.length - 1], times = size / factor;
  const power = times >= 1e4 || (times > 0 && times < 1e-2) ? 3 * Math.floor(Math.log10(times) / 3 + 1e-9) : 0;
  return power ? [factor * 10 ** power, `${powerOfTen(power)} ${name}`.trim()] : [factor, name];
}

// The unit of a rotating specimen.
const TURNED = {'m': 'rad', 'm/s': 'rad/s', 'm/s²': 'rad/s²', 'N': 'N m', 'N/s': 'N m/s'};
export function unitOf(unit, specimen) {
  return (specimen && specimen.turns && TURNED[unit]) || unit;
}

// No line break between a number and its unit.
export const together = (text) => text.replace(/(\d) (?=\S)/g, '$1\u00a0');

export function quantity(value, unit) {
  if (value === null || !Number.isFinite(value)) return '–';
  const [factor, name] = unitFor(unit, Math.abs(value));
  return `${Number((value / factor).toPrecision(3))} ${name}`.trim().replace('-', '−');
}

// 1, 2 or 5 times a power of ten, so that about `count` steps fit.
export function stepFor(span, count) {
  const raw = span / Math.max(1, count), power = 10 ** Math.floor(Math.log10(raw)), lead = raw / power;
  return power * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10);
}

// The marks of an axis from low to high, about `count` of them: {marks: [[value, text]], unit}.
export function marksFor(low, high, count, unit) {
  const [factor, name] = unitFor(unit, Math.max(Math.abs(low), Math.abs(high)));
  const step = stepFor(high - low, count), digits = Math.max(0, -Math.floor(Math.log10(step / factor) + 1e-9));
  const marks = [];
  for (let k = Math.ceil(low / step - 1e-6); k * step <= high + 1e-6 * step; k++)
    marks.push([k * step, (k * step / factor).toFixed(digits).replace('-', '−')]);
  return {marks, unit: name};
}

// The decades of a logarithmic axis, each with its unit if that has multiples; between them 2 and 5 if there is space.
export function decadesFor(low, high, count, unit) {
  const first = Math.ceil(Math.log10(low) - 1e-9), last = Math.floor(Math.log10(high) + 1e-9), found = [];
  const every = Math.ceil((last - first + 1) / count), leads = last - first < 3 && 3 * (last - first + 1) <= count ? [1, 2, 5] : [1];
  for (let k = first - 1; k <= last; k++)
    for (const lead of leads)
      if ((last - k) % every === 0 && lead * 10 ** k >= low * 0.9999 && lead * 10 ** k <= high * 1.0001) found.push(lead * 10 ** k);
  const plain = (v) => (v >= 0.9e-3 && v < 9e3 ? String(Number(v.toPrecision(1))) : powerOfTen(Math.floor(Math.log10(v) + 1e-9)));
  return {marks: found.map((v) => [v, UNITS[unit] ? quantity(v, unit) : plain(v)]), unit: UNITS[unit] ? '' : unit};
}
