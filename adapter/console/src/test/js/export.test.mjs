import assert from 'node:assert/strict';
import {test} from 'node:test';
import {csv, jsonLines} from '../../main/webapp/js/data/export.js';

test('a line of CSV has a cell per column, also for an absent member', () => {
  assert.equal(csv(['id', 'who', 'number'], [{id: '1', who: 'anna', number: 0}, {id: '2'}]), 'id,who,number\r\n1,anna,0\r\n2,,\r\n');
  assert.equal(csv(['id'], []), 'id\r\n');
});

test('a comma, a quote and the end of a line stay in their cell', () => {
  assert.equal(csv(['a', 'b'], [{a: 'x, "y"', b: 'one\ntwo'}]), 'a,b\r\n"x, ""y""","one\ntwo"\r\n');
});

test('no cell is a formula to a spreadsheet, and a negative number stays a number', () => {
  for (const text of ['=1+1', '+1', '-1', '@a', '\t=1']) {
    assert.equal(csv(['a'], [{a: text}]), `a\r\n'${text}\r\n`);
  }
  assert.equal(csv(['a'], [{a: '\r=1'}]), 'a\r\n"\'\r=1"\r\n');
  assert.equal(csv(['a'], [{a: -1}]), 'a\r\n-1\r\n');
});

test('a line of JSON is a row', () => {
  assert.equal(jsonLines([{a: 'x\ny'}, {b: 1}]), '{"a":"x\\ny"}\n{"b":1}\n');
  assert.equal(jsonLines([]), '');
});
