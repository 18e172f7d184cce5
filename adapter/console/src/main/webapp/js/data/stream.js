// The events of the server. They end while the page is hidden or paused. If they fail, the pages ask every two seconds,
// and this module connects again later. A stream that has lost its server can look open for a minute. The server sends
// something every five seconds, so this module takes a longer silence for a failure.

import {address} from './api.js';
import * as live from './live.js';

const NAMES = ['overview', 'operations'];
const FIRST_WAIT = 10_000;
const LONGEST_WAIT = 300_000;
const SILENCE = 12_000;

const listeners = new Map(NAMES.map((name) => [name, new Set()]));

let source = null;
let open = false;
let wait = FIRST_WAIT;
let timer = 0;
let silence = 0;
let silent = false;

/** Returns whether events come now. */
export function isStreaming() {
  return open;
}

/** Calls a listener with the data of each event of a name. Returns a function that ends it. */
export function onEvent(name, listener) {
  listeners.get(name).add(listener);
  return () => listeners.get(name).delete(listener);
}

/** Begins. */
export function start() {
  live.watch(update);
  document.addEventListener('visibilitychange', update);
}

/** A hidden page holds no connection: a browser has six per server. */
function update() {
  const wanted = !document.hidden && live.state() !== 'paused';
  if (wanted && !source && !timer) {
    connect();
  } else if (!wanted) {
    disconnect();
  }
}

function connect() {
  timer = 0;
  source = new EventSource(address('events'));
  source.addEventListener('open', () => {
    open = !silent;
    wait = FIRST_WAIT;
  });
  source.addEventListener('error', failed);
  source.addEventListener('alive', heard);
  NAMES.forEach((name) => source.addEventListener(name, (event) => received(name, event)));
  expect();
}

/** After a silence, a stream counts as open only when something has come: until then the pages ask. */
function heard() {
  silent = false;
  open = true;
  expect();
}

function expect() {
  clearTimeout(silence);
  silence = setTimeout(() => {
    disconnect();
    silent = true;
    update();
  }, SILENCE);
}

function disconnect() {
  clearTimeout(timer);
  clearTimeout(silence);
  timer = 0;
  open = false;
  if (source) {
    source.close();
    source = null;
  }
}

/** The browser connects again by itself after an end of the stream, but not after a refusal. */
function failed() {
  open = false;
  if (source && source.readyState === EventSource.CLOSED) {
    disconnect();
    timer = setTimeout(() => {
      timer = 0;
      update();
    }, wait);
    wait = Math.min(LONGEST_WAIT, wait * 2);
  }
}

function received(name, event) {
  heard();
  let data;
  try {
    data = JSON.parse(event.data);
  } catch (e) {
    disconnect(); // The pages ask instead.
    return;
  }
  listeners.get(name).forEach((listener) => listener(data));
}
