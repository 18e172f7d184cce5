import assert from 'node:assert/strict';
import {test} from 'node:test';
import {addSamples, forecast, history, rates, readRecent, sums} from '../../main/webapp/js/data/samples.js';

/** Adds the answer of a server at a second. */
function answer(second, name, {puts = 0, acks = 0, ready = 0}) {
  const now = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
  addSamples({now, measured: now, tubes: [{name, ready}], work: [{name, puts, ended: acks}]});
}

test('the last minutes of the server are there at once', async () => {
  const at = (second) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
  const work = {
    tubes: [{name: 'recent', puts: 100, ended: 40}],
    recent: [
      {at: at(0), tubes: {recent: [5, 5, 0]}},
      {at: at(5), tubes: {}},
      {at: at(10), tubes: {recent: [50, 20, 1], dropped: [7, 7, 0]}},
    ],
  };
  globalThis.fetch = async () => new Response(JSON.stringify(work), {status: 200, headers: {'Content-Type': 'application/json'}});
  await readRecent();
  assert.deepEqual(rates('recent'), {puts: 5, acks: 2});
  // In steps of three seconds: nothing until the fifth
  assert.deepEqual(
    history('recent').map(({puts}) => Math.round(puts * 3)),
    [0, 10, 30],
  );
});

test('two heartbeats in one millisecond are one', async () => {
  const at = (second) => new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
  const work = {
    tubes: [{name: 'twice', puts: 30, ended: 0}],
    recent: [
      {at: at(0), tubes: {twice: [10, 0, 0]}},
      {at: at(5), tubes: {twice: [10, 0, 0]}},
      {at: at(5), tubes: {twice: [10, 0, 0]}},
    ],
  };
  globalThis.fetch = async () => new Response(JSON.stringify(work), {status: 200, headers: {'Content-Type': 'application/json'}});
  await readRecent();
  assert.deepEqual(history('twice'), [{puts: 4, acks: 0}]);
});

test('a quiet tube has the rate 0, and not an unknown one', () => {
  const now = '2026-01-01T00:00:10.000Z';
  addSamples({now, measured: '2026-01-01T00:00:08.000Z', tubes: [{name: 'quiet', ready: 0}], work: []});
  assert.deepEqual(rates('quiet'), {puts: 0, acks: 0});
});

test('without new numbers for some seconds the rate goes down to 0', () => {
  answer(0, 'over', {puts: 0});
  answer(10, 'over', {puts: 100});
  assert.equal(rates('over').puts, 10);
  const measured = new Date(Date.UTC(2026, 0, 1) + 10_000).toISOString();
  for (const second of [12, 18, 26]) {
    const now = new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString();
    addSamples({now, measured, tubes: [{name: 'over', ready: 0}], work: [{name: 'over', puts: 100, ended: 0}]});
  }
  assert.equal(rates('over').puts, 0);
});

test('before the second answer nothing is known', () => {
  answer(0, 'one', {puts: 5});
  assert.ok(Number.isNaN(rates('one').puts));
  assert.ok(!Number.isFinite(sums(['one', 'none']).puts));
  assert.equal(forecast({name: 'one', ready: 5}).text, '…');
});

test('rates are of the last ten seconds', () => {
  answer(0, 'rates', {puts: 0});
  answer(10, 'rates', {puts: 1_000, acks: 10});
  answer(20, 'rates', {puts: 1_100, acks: 30});
  assert.deepEqual(rates('rates'), {puts: 10, acks: 2});
  assert.equal(Math.round(history('rates')[0].puts), 100);
  assert.equal(sums(['rates', 'none']).acks, 2);
});

test('five minutes are kept, however many measures they have, and a step keeps its rate', () => {
  const at = (millis) => new Date(Date.UTC(2026, 1, 1) + millis).toISOString();
  let puts = 0;
  let most = 0;
  for (let millis = 0; millis <= 400_000; millis += 700) {
    puts += millis > 190_000 && millis < 200_000 ? 70 : 7;
    addSamples({now: at(millis), measured: at(millis), tubes: [{name: 'many', ready: 0}], work: [{name: 'many', puts, ended: 0}]});
    const peak = Math.max(...history('many').map((s) => s.puts));
    assert.ok(millis < 210_000 || peak === most, `${peak} after ${most}`);
    most = peak;
  }
  assert.ok(Math.abs(most - 100) < 0.1);
  assert.equal(history('many').length, 100);
});

test('the sum has each tube at its time, also one that has come later', () => {
  const at = (second) => new Date(Date.UTC(2026, 2, 1) + second * 1_000).toISOString();
  for (let second = 0; second <= 60; second += 3) {
    const rows = [{name: 'long', puts: second * 10, ended: 0}];
    if (second >= 30) {
      rows.push({name: 'late', puts: 100 + (second - 30) * 5, ended: 0});
    }
    addSamples({now: at(second), measured: at(second), tubes: rows.map(({name}) => ({name, ready: 0})), work: rows});
  }
  const {series} = sums(['long', 'late']);
  assert.deepEqual(
    series.map((s) => Math.round(s.puts)),
    [...Array(10).fill(10), ...Array(10).fill(15)],
  );
});

test('a server that has started again begins anew', () => {
  answer(0, 'again', {puts: 1_000});
  answer(10, 'again', {puts: 3});
  assert.ok(Number.isNaN(rates('again').puts));
});

test('a clock that is set back begins anew, and leads to no wrong rate', () => {
  answer(1_000, 'clock', {puts: 0});
  answer(1_010, 'clock', {puts: 50});
  assert.equal(rates('clock').puts, 5);
  answer(950, 'clock', {puts: 65});
  answer(960, 'clock', {puts: 115});
  assert.equal(rates('clock').puts, 5);
});

test('a slow heartbeat has the true rate', () => {
  for (let second = 2_000; second <= 2_120; second += 4) {
    const measured = second - (second % 20);
    const time = (at) => new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString();
    const row = {name: 'slow', puts: measured * 10, ended: 0};
    addSamples({now: time(second), measured: time(measured), interval: 'PT20S', tubes: [{name: 'slow', ready: 0}], work: [row]});
  }
  assert.equal(rates('slow').puts, 10);
  assert.ok(history('slow').every(({puts}) => puts === 10 || puts === 0));
});

test('the most of five minutes is not less than the present rate', () => {
  const at = (second) => new Date(Date.UTC(2026, 4, 1) + second * 1_000).toISOString();
  for (const [second, puts] of [[0, 0], [3, 0], [6, 0], [9, 0], [11, 900]]) {
    const row = {name: 'burst', puts, ended: 0};
    addSamples({now: at(second), measured: at(second), interval: 'PT1S', tubes: [{name: 'burst', ready: 0}], work: [row]});
  }
  const {puts, most} = sums(['burst']);
  assert.ok(puts > 0);
  assert.ok(most >= puts, `${most} < ${puts}`);
});

test('the steps reach the last measure also if five minutes are no whole number of them', () => {
  const at = (second) => new Date(Date.UTC(2026, 3, 1) + second * 1_000).toISOString();
  for (let second = 0; second <= 450; second += 45) {
    const row = {name: 'uneven', puts: second < 450 ? 0 : 90, ended: 0};
    addSamples({now: at(second), measured: at(second), interval: 'PT45S', tubes: [{name: 'uneven', ready: 0}], work: [row]});
  }
  const steps = history('uneven');
  assert.equal(steps.length, 6);
  assert.equal(steps[5].puts, 2);
});

test('the forecast says what becomes of the READY tasks', () => {
  const tube = (ready, mode = 'OPEN') => ({name: 'forecast', ready, mode});
  assert.equal(forecast(tube(0)).text, 'empty');
  assert.equal(forecast(tube(3, 'PAUSED')).text, 'waits for resume');
  answer(0, 'forecast', {ready: 100});
  answer(10, 'forecast', {ready: 50, acks: 50});
  assert.equal(forecast(tube(50)).text, 'empty in 10 s');
  answer(20, 'forecast', {ready: 150, acks: 50, puts: 100});
  assert.match(forecast(tube(150)).text, /^grows by 3\/s$/);
  answer(60, 'still', {ready: 5});
  answer(70, 'still', {ready: 5});
  assert.deepEqual(forecast({name: 'still', ready: 5}), {text: 'stands still', tone: 'bad'});
});
