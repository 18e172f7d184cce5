import assert from 'node:assert/strict';
import {test} from 'node:test';
import {isComplete, namesOf, quote, split, suggest, withField} from '../../main/webapp/js/data/filter.js';

const texts = (filter) => split(filter).map((condition) => condition.text);

test('white space separates conditions, and not inside quotes', () => {
  assert.deepEqual(texts('tube:orders  state:buried'), ['tube:orders', 'state:buried']);
  assert.deepEqual(texts(' error:"no answer of a" -key:* '), ['error:"no answer of a"', '-key:*']);
  assert.deepEqual(texts('error:"a \\" b" id:1'), ['error:"a \\" b"', 'id:1']);
  assert.deepEqual(texts('  '), []);
});

test('a condition has its place in the text', () => {
  const text = 'a:1  b:"x y"';
  for (const {text: condition, from, to} of split(text)) {
    assert.equal(text.slice(from, to), condition);
  }
});

test('a condition is complete with a value and closed quotes', () => {
  for (const complete of ['tube:a', '-tube:a', 'age>10m', 'attempts>=3', 'error:"a b"', 'data.a.b:1']) {
    assert.ok(isComplete(complete), complete);
  }
  for (const open of ['tube', 'tube:', 'age>', 'error:"a', 'error:"a\\"', '']) {
    assert.ok(!isComplete(open), open);
  }
});

test('a value is quoted if it has a sign of the language', () => {
  assert.equal(quote('orders'), 'orders');
  for (const value of ['a b', 'a,b', 'a:b', 'a*b', 'a"b', 'a\\b', '']) {
    const quoted = quote(value);
    assert.match(quoted, /^".*"$/);
    assert.deepEqual(texts(`error:${quoted} id:1`), [`error:${quoted}`, 'id:1'], value);
  }
});

test('what is typed finds fields first, and then values', () => {
  assert.deepEqual(
    suggest('sta', []).map((s) => s.text),
    ['state:'],
  );
  assert.deepEqual(
    suggest('-state:bur', []).map((s) => s.text),
    ['-state:buried'],
  );
  assert.deepEqual(
    suggest('tube:o', ['orders', 'invoices', 'a b o']).map((s) => s.text),
    ['tube:orders', 'tube:invoices', 'tube:"a b o"'],
  );
  assert.deepEqual(suggest('(', []), []);
});

test('the fields that an index finds are suggested', () => {
  const fields = ['customer.id', 'order'];
  assert.deepEqual(
    suggest('-data.', [], fields).map((s) => s.text),
    ['-data.customer.id:', '-data.order:'],
  );
  assert.deepEqual(
    suggest('data.Cust', [], fields).map((s) => s.text),
    ['data.customer.id:'],
  );
  assert.deepEqual(suggest('data.order:1', [], fields), []);
});

test('an order has all its signs, and a list goes on after a comma', () => {
  assert.deepEqual(
    suggest('attempts', []).map((s) => s.text),
    ['attempts>', 'attempts>=', 'attempts<', 'attempts<=', 'attempts:'],
  );
  assert.equal(suggest('age', []).length, 4);
  assert.equal(suggest('state:', []).length, 5);
  assert.deepEqual(
    suggest('state:ready,d', []).map((s) => s.text),
    ['state:ready,delayed', 'state:ready,buried', 'state:ready,done'],
  );
  assert.deepEqual(
    suggest('4711', []).map((s) => s.text),
    ['id:4711'],
  );
});

test('a word without a field is looked for anywhere', () => {
  assert.equal(withField('printer'), 'text:printer');
  assert.equal(withField('-"a: b"'), '-text:"a: b"');
  for (const same of ['tube:orders', '-age>10m', 'data.a:1', 'tube', 'error:"a"']) {
    assert.equal(withField(same), same);
  }
});

test('names of a field are known only if all are exact', () => {
  assert.deepEqual(namesOf(['tube:a,b', 'state:ready'], 'tube'), ['a', 'b']);
  assert.equal(namesOf(['tube:a*'], 'tube'), null);
  assert.equal(namesOf(['state:ready'], 'tube'), null);
});
