import assert from 'node:assert/strict';
import {test} from 'node:test';
import {
  bytes,
  count,
  duration,
  isoDuration,
  isoMillis,
  isoOf,
  localOf,
  now,
  rate,
  relative,
  setServerTime,
  short,
  since,
  typedDuration,
} from '../../main/webapp/js/data/format.js';
import {fieldsOf, typedOf} from '../../main/webapp/js/data/typed.js';

test('a duration has its two largest units', () => {
  assert.equal(duration(0), '0 s');
  assert.equal(duration(0.2), '1 ms');
  assert.equal(duration(999), '999 ms');
  assert.equal(duration(61_000), '1 min 1 s');
  assert.equal(duration(3_600_000 + 59_000), '1 h');
  assert.equal(duration(90_061_000), '1 d 1 h');
  assert.equal(duration(NaN), '–');
  assert.equal(duration(-5), '0 s');
});

test('the fields of an input have commas between them, except in quotes', () => {
  assert.deepEqual(fieldsOf({value: ' customer.id, order ,,"a, b".c'}), ['customer.id', 'order', '"a, b".c']);
  assert.deepEqual(fieldsOf({value: ' '}), []);
  assert.deepEqual(fieldsOf({value: 'a,"b'}), ['a', '"b']);
});

test('a time of an input is the time of the browser', () => {
  const iso = '2026-11-26T10:00:30.000Z';
  assert.equal(isoOf(localOf(iso)), iso);
  assert.equal(localOf(''), '');
  assert.equal(isoOf('nonsense'), '');
});

test('a duration of ISO 8601 is read as the server writes it', () => {
  assert.equal(isoMillis('PT0.5S'), 500);
  assert.equal(isoMillis('P1DT2H3M4.567S'), 93_784_567);
  assert.equal(isoMillis('P1D'), 86_400_000);
  for (const wrong of ['', null, '1h', 'P1M', 'PT1H junk']) {
    assert.ok(Number.isNaN(isoMillis(wrong)), String(wrong));
  }
  assert.equal(isoDuration('', 'none'), 'none');
});

test('a typed duration is one of ISO 8601, or is refused', () => {
  assert.equal(typedDuration('500ms'), 'PT0.5S');
  assert.equal(typedDuration(' 10m '), 'PT600S');
  assert.equal(typedDuration('1.5 h'), 'PT5400S');
  assert.equal(typedDuration('1d'), 'PT86400S');
  assert.equal(typedDuration('PT5M'), 'PT5M');
  for (const wrong of ['', '5', '5 weeks', '-1s', 'P', '1e3s']) {
    assert.equal(typedDuration(wrong), null, wrong);
  }
});

test('what was typed comes back as it was typed', () => {
  for (const typed of ['500ms', '90s', '7m', '2h', '1d', '0s']) {
    assert.equal(typedOf(typedDuration(typed)), typed);
  }
  assert.equal(typedOf(null), '');
});

test('numbers are short, and none is a dash', () => {
  assert.equal(short(9_999), '9,999');
  assert.equal(short(1_234_567), '1.2M');
  assert.equal(short(undefined), '–');
  assert.equal(rate(0), '0');
  assert.equal(rate(0.04), '< 0.1');
  assert.equal(rate(2.34), '2.3');
  assert.equal(count(1, 'task'), '1 task');
  assert.equal(count(2_000, 'task'), '2,000 tasks');
  assert.equal(bytes(1_536), '1.5 KiB');
});

test('ages are by the clock of the server', () => {
  setServerTime(new Date(Date.now() + 3_600_000).toISOString());
  assert.ok(Math.abs(now() - Date.now() - 3_600_000) < 1_000);
  assert.ok(since(new Date(Date.now()).toISOString()) >= 3_590_000);
  assert.equal(since(new Date(now() + 60_000).toISOString()), 0);
  assert.match(relative(new Date(now() + 90_500).toISOString()), /^in 1 min/);
  assert.match(relative(new Date(now() - 90_500).toISOString()), /ago$/);
  setServerTime('no time');
  assert.ok(Math.abs(now() - Date.now()) < 50);
});
