import assert from 'node:assert/strict';
import {test} from 'node:test';
import {diff, fold} from '../../main/webapp/js/data/diff.js';

const side = (lines, sign) =>
  lines
    .filter((line) => line.sign === ' ' || line.sign === sign)
    .map((line) => line.text)
    .join('\n');

test('both texts are in their difference', () => {
  let seed = 3;
  const random = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const text = () => Array.from({length: random(12)}, () => 'abc'[random(3)]).join('\n');
  for (let i = 0; i < 2_000; i++) {
    const before = text();
    const after = text();
    const lines = diff(before, after);
    assert.equal(side(lines, '-'), before);
    assert.equal(side(lines, '+'), after);
  }
});

test('one changed line is one removed and one added', () => {
  assert.deepEqual(
    diff('a\nb\nc', 'a\nB\nc').map((line) => line.sign + line.text),
    [' a', '-b', '+B', ' c'],
  );
  assert.ok(diff('a\nb', 'a\nb').every((line) => line.sign === ' '));
});

test('texts that differ in too many lines are shown one after the other, in time', () => {
  const many = (letter) => Array.from({length: 10_000}, (_, i) => letter + i).join('\n');
  const begin = Date.now();
  assert.equal(diff(many('a'), many('b')).length, 20_000);
  assert.ok(Date.now() - begin < 2_000);
});

test('lines far from a change are gathered', () => {
  const before = Array.from({length: 50}, (_, i) => `line ${i}`);
  const after = [...before];
  after[25] = 'changed';
  const folded = fold(diff(before.join('\n'), after.join('\n')));
  assert.deepEqual(
    folded.filter((entry) => entry.equal).map((entry) => entry.equal),
    [22, 21],
  );
  assert.equal(folded.length, 2 + 3 + 2 + 3);
});
