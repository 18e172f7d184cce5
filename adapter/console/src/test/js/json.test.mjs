import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isValue, pieces, tokens} from '../../main/webapp/js/data/json.js';

const isJson = (text) => {
  const found = tokens(text);
  return found !== null && found.complete && isValue(found.tokens);
};
const pretty = (text) =>
  pieces(tokens(text).tokens)
    .map((piece) => piece.text)
    .join('');

test('numbers keep all their digits', () => {
  for (const digits of ['9007199254740993', '0.10000000000000000001', '1e400', '-0', '1E+2', '123456789012345678901']) {
    assert.equal(pretty(digits), digits);
    assert.equal(pretty(`{"n":${digits}}`), `{\n  "n": ${digits}\n}`);
  }
});

test('what is JSON for the platform is JSON here, and nothing else', () => {
  const values = [
    '{}', '[]', '[1,2]', '{"a":{"b":[null,true,false]}}', '"\\u00e4\\n"', ' 1 ', '"a', '[1,]', '{"a"}', '{"a":1,}',
    '{a:1}', '01', '1.', '.5', '+1', 'NaN', '[1 2]', '{"a":1 "b":2}', '"\t"', '"\\x"', '[}', ']', '{]', '', '1 2',
    '{"a":}', '[,1]', 'tru', '--1', '"\\u12g4"', '{"a":1}}',
  ]; // prettier-ignore
  for (const text of values) {
    let expected = true;
    try {
      JSON.parse(text);
    } catch {
      expected = false;
    }
    assert.equal(isJson(text), expected, text);
  }
});

test('random JSON stays the same value', () => {
  let seed = 7;
  const random = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const value = (depth) => {
    switch (random(depth > 4 ? 4 : 6)) {
      case 0:
        return random(1_000) / 8;
      case 1:
        return `x"\\\n${random(100)}`;
      case 2:
        return null;
      case 3:
        return random(2) === 0;
      case 4:
        return Array.from({length: random(4)}, () => value(depth + 1));
      default:
        return Object.fromEntries(Array.from({length: random(4)}, (_, i) => [`k${i}`, value(depth + 1)]));
    }
  };
  for (let i = 0; i < 500; i++) {
    const made = value(0);
    assert.deepEqual(JSON.parse(pretty(JSON.stringify(made))), made);
  }
});

test('no depth overflows the stack', () => {
  const deep = '['.repeat(200_000) + ']'.repeat(200_000);
  assert.ok(isJson(deep));
  assert.ok(pretty(deep).length > 400_000);
});

test('a name and a text have kinds of their own', () => {
  assert.deepEqual(
    pieces(tokens('{"a":"b"}').tokens)
      .filter((piece) => piece.kind !== 'blank')
      .map((piece) => piece.kind),
    ['name', 'text'],
  );
});
