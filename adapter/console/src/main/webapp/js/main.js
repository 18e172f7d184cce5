// The shell: navigation, live state, theme, and the page of the address.

import {signInAgain} from './acts/signin.js';
import {BASE, onSignedOut, remove} from './data/api.js';
import * as live from './data/live.js';
import {onOverview, start as startOverview} from './data/overview.js';
import {current, href, start as startRouter} from './data/router.js';
import {hasRight, loadSession, theSession} from './data/session.js';
import * as stream from './data/stream.js';
import {auditPage} from './pages/audit.js';
import {failuresPage} from './pages/failures.js';
import {operationPage} from './pages/operation.js';
import {operationsPage} from './pages/operations.js';
import {overviewPage} from './pages/overview.js';
import {schedulesPage} from './pages/schedules.js';
import {serversPage} from './pages/servers.js';
import {taskPage} from './pages/task.js';
import {tasksPage} from './pages/tasks.js';
import {tubePage} from './pages/tube.js';
import {sayInDialogs} from './ui/dialog.js';
import {el, find, findAll, focused, icon, replace, setText} from './ui/html.js';
import * as keyboard from './ui/keyboard.js';
import {announce, empty, failed} from './ui/parts.js';
import {exactTime} from './ui/time.js';

const PAGES = {
  overview: overviewPage,
  tasks: tasksPage,
  task: taskPage,
  failures: failuresPage,
  schedules: schedulesPage,
  servers: serversPage,
  operations: operationsPage,
  operation: operationPage,
  audit: auditPage,
  tube: tubePage,
};
const NAV = [
  ['overview', '', 'Overview'],
  ['tasks', 'tasks', 'Tasks'],
  ['failures', 'failures', 'Failures'],
  ['schedules', 'schedules', 'Schedules'],
  ['servers', 'servers', 'Servers'],
  ['operations', 'operations', 'Operations'],
  ['audit', 'audit', 'Audit', 'OPERATE'],
];
const COUNTS = {overview: 'problems', operations: 'runs'};
const PARENT = {task: 'tasks', tube: 'overview', operation: 'operations'};
const LIVE = {live: 'Live', paused: 'Paused', held: 'Held', away: 'No answer'};
const TITLES = {paused: 'Go on refreshing', held: 'Rows are selected, so that they stay as they are'};
const THEMES = {auto: 'light', light: 'dark', dark: 'auto'};
const THEME_ICONS = {auto: 'auto', light: 'sun', dark: 'moon'};

const main = document.getElementById('main');
let leave = () => {};

/** Shows the page of the present address. */
function show({first = false} = {}) {
  const before = focused().dataset.focus;
  document.querySelectorAll('dialog').forEach((dialog) => dialog.open && dialog.close());
  leave();
  const route = current();
  live.hold('selection', false);
  const page =
    route.name in PAGES
      ? PAGES[route.name](route)
      : {
          title: 'Not found',
          element: el(
            'div',
            {},
            el('h1', {class: 'visually-hidden'}, 'Not found'),
            empty(
              'Nothing is at this address',
              null,
              el('a', {class: 'button', href: href('')}, 'To the overview'),
            ),
          ),
        };
  leave = page.leave || (() => {});
  document.title = `${page.title} · TaskTube`;
  replace(main, page.element);
  drawNav(route.name);
  if (!first) {
    focusAfter(before);
    announce(page.title);
  }
}

/** The part that changed the address keeps the focus, if the new page has it too; else the page begins at its top. */
function focusAfter(key) {
  const same = key && find(`[data-focus="${CSS.escape(key)}"]`, main);
  if (same) {
    same.focus({preventScroll: true});
  } else {
    scrollTo(0, 0);
    main.focus({preventScroll: true});
  }
}

function drawNav(name) {
  for (const link of findAll('#nav a')) {
    const on = link.dataset.page === (PARENT[name] || name);
    on ? link.setAttribute('aria-current', 'page') : link.removeAttribute('aria-current');
  }
}

function buildNav() {
  replace(
    document.getElementById('nav'),
    NAV.filter(([, , , right]) => !right || hasRight(right)).map(([name, path, label]) =>
      el(
        'a',
        {href: href(path), 'data-page': name},
        icon(name),
        el('span', {}, label),
        name in COUNTS && el('span', {class: `count ${COUNTS[name]}`, hidden: true}),
      ),
    ),
  );
}

/** Shows the number of problems beside the overview, and says aloud when it has changed. */
function showProblems() {
  const badge = find('#nav .count.problems');
  let before = null;
  onOverview((overview) => {
    const bad = overview ? overview.problems.length : 0;
    badge.hidden = bad === 0;
    setText(badge, bad);
    badge.classList.toggle('bad', bad > 0 && overview.problems.some(({severity}) => severity === 'bad'));
    badge.setAttribute('aria-label', `${bad} problems`);
    if (overview && before !== null && before !== bad) {
      announce(bad === 0 ? 'No problems any more.' : `${bad} ${bad === 1 ? 'problem' : 'problems'} now.`);
    }
    before = overview ? bad : before;
  });
}

/** Shows the number of operations that run, as long as the server sends it. */
function showOperations() {
  const badge = find('#nav .count.runs');
  stream.onEvent('operations', ({operations}) => {
    const n = (operations || []).length;
    badge.hidden = n === 0;
    setText(badge, n);
    badge.setAttribute('aria-label', `${n} running`);
  });
}

function buildLive() {
  const button = document.getElementById('live');
  const text = el('span', {class: 'keys-only'});
  const mark = el('span', {});
  replace(button, el('span', {class: 'dot'}), text, mark);
  button.addEventListener('click', () => live.pause(live.state() !== 'paused'));
  live.watch((state) => {
    button.dataset.state = state;
    setText(text, LIVE[state]);
    replace(mark, icon(state === 'paused' ? 'play' : 'pause'));
    button.setAttribute(
      'aria-label',
      state === 'paused' ? 'Paused. Go on refreshing' : `${LIVE[state]}. Pause the refresh`,
    );
    button.title = TITLES[state] || 'Pause the refresh';
  });
}

/** Shows a line under the bar while the server or the adapter does not answer. */
function showAway() {
  const line = document.getElementById('away');
  onOverview((overview, problem) => {
    const state = overview && overview.adapter ? overview.adapter.state : 'RUNNING';
    const text =
      problem && problem.status !== 401
        ? problem.message
        : state !== 'RUNNING'
          ? `The adapter is ${state}. It returns to RUNNING by itself.`
          : '';
    const known = overview && overview.known;
    line.hidden = text === '';
    replace(
      line,
      text && [icon('failures'), text, known && ' The numbers of tubes are those of ', known && exactTime(known)],
    );
  });
}

function buildTheme() {
  const button = document.getElementById('theme');
  const draw = () => {
    const theme = document.documentElement.dataset.theme || 'auto';
    replace(button, icon(THEME_ICONS[theme]));
    button.title = `Theme: ${theme === 'auto' ? 'of the system' : theme}`;
    button.setAttribute('aria-label', button.title);
  };
  button.addEventListener('click', () => {
    setTheme(THEMES[document.documentElement.dataset.theme || 'auto']);
    draw();
  });
  draw();
}

function setTheme(theme) {
  if (theme === 'auto') {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  try {
    theme === 'auto'
      ? localStorage.removeItem('tasktube.theme')
      : localStorage.setItem('tasktube.theme', theme);
  } catch (e) {
    // Without storage the choice lasts as long as the page.
  }
}

/** Shows a choice of the consoles of this server's adapters, if there are several. */
function showAdapters(adapters) {
  const options = adapters.map((name) =>
    el('option', {value: name, selected: `/${name}/` === BASE}, name.replace(/^tasktube-/, '')),
  );
  const open = (event) => location.assign(`/${event.target.value}/`);
  replace(
    document.getElementById('adapter'),
    adapters.length > 1 && el('select', {'aria-label': 'Adapter', on: {change: open}}, options),
  );
}

/** Shows who is signed in, with the greatest right. */
function showSession(session) {
  const right = ['ADMIN', 'OPERATE', 'VIEW'].find((name) => session.rights.includes(name)) || 'none';
  replace(
    document.getElementById('user'),
    icon('user'),
    el('b', {title: `Rights: ${session.rights.join(', ')}`}, session.user),
    el(
      'span',
      {class: 'tag'},
      {ADMIN: 'admin', OPERATE: 'operator', VIEW: 'viewer', none: 'no right'}[right],
    ),
    el(
      'button',
      {
        type: 'button',
        class: 'plain square',
        'aria-label': 'Sign out',
        title: 'Sign out',
        on: {click: signOut},
      },
      icon('exit'),
    ),
  );
  showAdapters(session.adapters || []);
  const parts = [`TaskTube ${session.version || ''}`.trim(), session.server && `on server ${session.server}`];
  setText(document.getElementById('foot'), parts.filter(Boolean).join(' '));
}

/** Ends the session, also if the server does not know it any more. */
async function signOut() {
  live.pause(true);
  await remove('session').catch(() => {});
  location.assign(BASE);
}

/**
 * A page without a session loads again, and the server asks for the login; not in a circle. A dialog may have a text
 * that would be lost: over it, a call that changes something asks for the login, and a refresh only stops. Returns
 * whether there is a session again.
 *
 * @param {boolean} isChange whether a call that changes something was refused
 */
function signedOut(isChange) {
  pausedBefore ??= live.state() === 'paused';
  live.pause(true);
  const dialogs = findAll('dialog[open]');
  if (dialogs.length > 0) {
    dialogs.forEach((dialog) => dialog.addEventListener('close', reloadWithoutSession));
    if (!isChange) {
      sayInDialogs('Your session has ended. What you have typed stays: sending it asks for the login.');
      return Promise.resolve(false);
    }
    again ??= signInAgain()
      .then((isBack) => {
        if (isBack) {
          showSession(theSession());
          live.pause(pausedBefore);
          pausedBefore = null;
        }
        return isBack;
      })
      .finally(() => {
        again = null;
      });
    return again;
  }
  reloadOnce();
  return Promise.resolve(false);
}

/** After the last dialog; not if there is a session again, by the login over the dialog or in another window. */
async function reloadWithoutSession() {
  if (pausedBefore === null || document.querySelector('dialog[open]')) {
    return;
  }
  const before = theSession().user;
  const {user} = await loadSession().catch(() => ({user: null}));
  if (pausedBefore === null) {
    return;
  }
  if (user === before) {
    live.pause(pausedBefore);
    pausedBefore = null;
  } else {
    reloadOnce();
  }
}

function reloadOnce() {
  if (Date.now() - Number(sessionStorage.getItem('tasktube.reloaded') || 0) > 20_000) {
    sessionStorage.setItem('tasktube.reloaded', String(Date.now()));
    location.reload();
    return;
  }
  leave();
  leave = () => {};
  replace(
    main,
    el('h1', {class: 'visually-hidden'}, 'TaskTube'),
    empty(
      'You are signed out',
      'Your session has ended.',
      el('button', {type: 'button', class: 'primary', on: {click: () => location.reload()}}, 'Sign in'),
    ),
  );
}

/** Goes on to the page that was asked for before the login, which leads to the overview. Returns whether it does. */
function goesOn() {
  const next = sessionStorage.getItem('tasktube.next');
  sessionStorage.removeItem('tasktube.next');
  if (!next || location.pathname !== BASE || next === BASE || !next.startsWith(BASE) || next.startsWith(`${BASE}login`)) {
    return false;
  }
  location.replace(next);
  return true;
}

/** The login that is open, for all calls that wait for it. */
let again = null;

/** Whether the refresh was paused before the session ended; null while there is one. */
let pausedBefore = null;

async function begin() {
  if (goesOn()) {
    return;
  }
  onSignedOut(signedOut);
  buildTheme();
  document.getElementById('help').addEventListener('click', keyboard.openHelp);
  document.getElementById('brand').setAttribute('href', BASE);
  try {
    showSession(await loadSession());
  } catch (problem) {
    if (problem.status === 401) {
      // The page came from the browser's cache, as by Back
      reloadOnce();
    } else {
      replace(
        main,
        el('h1', {class: 'visually-hidden'}, 'TaskTube'),
        failed(problem, () => location.reload()),
      );
    }
    return;
  }
  buildNav();
  buildLive();
  showProblems();
  showOperations();
  showAway();
  startRouter(() => show());
  keyboard.start();
  startOverview();
  live.start();
  stream.start();
  show({first: true});
}

begin();
