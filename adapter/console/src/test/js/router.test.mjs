import assert from 'node:assert/strict';
import {test} from 'node:test';
import {BASE, path, query} from '../../main/webapp/js/data/api.js';

/** A browser's address, as far as the router uses it. */
globalThis.location = {pathname: BASE, search: '', origin: 'http://server:8090'};
const {current, href, safeHref, taskHref, tubeHref} = await import('../../main/webapp/js/data/router.js');

function at(address) {
  const url = new URL(address, location.origin);
  globalThis.location = {pathname: url.pathname, search: url.search, origin: url.origin};
  return current();
}

test('the application is above its scripts', () => {
  assert.equal(BASE, '/tasktube/');
});

test('each address has its page', () => {
  const pages = {'': 'overview', tasks: 'tasks', 'tasks/a/7': 'task', failures: 'failures', servers: 'servers'};
  Object.assign(pages, {operations: 'operations', 'operations/7': 'operation', audit: 'audit', 'tubes/a': 'tube'});
  for (const [address, name] of Object.entries({...pages, 'no/such/page': 'missing', 'operations/x': 'missing'})) {
    assert.equal(at(BASE + address).name, name, address);
  }
});

test('a name with any sign comes back from its address', () => {
  for (const name of ['a b', 'ä/ö', '%41', '?x=1', '#', 'a&b', '漢']) {
    assert.equal(at(tubeHref(name)).params.tube, name);
    assert.deepEqual(at(taskHref(name, '9007199254740993')).params, {tube: name, id: '9007199254740993'});
  }
});

test('an empty value leaves no name in the address', () => {
  assert.equal(href('tasks', {filter: '', from: null, at: undefined}), `${BASE}tasks`);
  assert.equal(at(href('tasks', {filter: 'a b&c'})).query.get('filter'), 'a b&c');
  assert.equal(query({}), '');
  assert.equal(path('tubes', 'a/b'), 'tubes/a%2Fb');
});

test('a link from the server leads to a page of the console or nowhere', () => {
  at(BASE);
  assert.equal(safeHref('/tubes/orders'), `${BASE}tubes/orders`);
  assert.equal(safeHref('tasks?filter=state:buried'), `${BASE}tasks?filter=state:buried`);
  for (const wrong of ['https://elsewhere/tubes/a', '//elsewhere/tubes/a', 'javascript:alert(1)', '/no/such/page']) {
    assert.equal(safeHref(wrong), null, wrong);
  }
});
