import assert from 'node:assert/strict';
import {test} from 'node:test';
import {entries, merge, words} from '../../main/webapp/js/data/timelines.js';

const time = (seconds) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const event = (seconds, name, from, to) => ({at: time(seconds), event: name, from, to});

test('touches are gathered, and idle time is named by the state', () => {
  const list = entries(
    [
      event(0, 'PUT', null, 'READY'),
      event(60, 'TAKE', 'READY', 'TAKEN'),
      event(70, 'TOUCH', 'TAKEN', 'TAKEN'),
      event(80, 'TOUCH', 'TAKEN', 'TAKEN'),
      event(120, 'RELEASE', 'TAKEN', 'READY'),
    ],
    [],
    null,
  );
  assert.deepEqual(
    list.map((entry) => entry.kind),
    ['event', 'idle', 'event', 'touches', 'event'],
  );
  assert.equal(list[1].word, 'waited');
  assert.equal(list[2].took, 60_000);
  assert.equal(list[3].number, 2);
});

test('a take without an end lasts until now, if that is known', () => {
  const take = [event(0, 'TAKE', 'READY', 'TAKEN')];
  assert.equal(entries(take, [], Date.parse(time(9)))[0].took, 9_000);
  assert.equal(entries(take, [], null)[0].took, undefined);
});

test('pages of a timeline are one list with each event once', () => {
  const [a, b, c] = [0, 1, 2].map((s) => event(s, 'TOUCH', 'TAKEN', 'TAKEN'));
  assert.deepEqual(merge([a, b], [c, b]), [a, b, c]);
  assert.deepEqual(merge([], [c, b, a]), [a, b, c]);
});

test('an event that has no words of its own is shown by its name', () => {
  assert.equal(words({event: 'SOMETHING_NEW', from: 'READY', to: 'READY'}), 'something new');
  assert.equal(words({event: 'RELEASE', from: 'TAKEN', to: 'DELAYED'}), 'Released with a delay');
});
