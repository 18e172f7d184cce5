// The logins of browsers on all servers, for an administrator.

import {get, path, remove} from '../data/api.js';
import {refreshNow} from '../data/live.js';
import {openDialog} from '../ui/dialog.js';
import {el, replace, setText} from '../ui/html.js';
import {Keyed} from '../ui/keyed.js';
import {cell, rowHead, table} from '../ui/parts.js';
import {time} from '../ui/time.js';

const HEADS = ['User', 'From', 'Server', 'Since', 'Seen', {text: 'End', hidden: true}];

/** The panel of all logins. */
export class LoginsPanel {
  constructor() {
    const t = table('Logins', HEADS, {class: 'cards'});
    this.list = new Keyed(t.body, (login) => new LoginRow(login));
    this.element = el(
      'section',
      {class: 'panel flush'},
      el(
        'div',
        {class: 'panel-head'},
        el('h2', {}, 'Logins'),
        el('span', {class: 'soft grow'}, 'Browsers on all servers'),
      ),
      el('div', {class: 'scroll'}, t.element),
    );
  }

  async read(signal) {
    this.list.update((await get('logins', {signal})).logins, (login) => login.id);
  }
}

class LoginRow {
  constructor(login) {
    this.element = el(
      'tr',
      {role: 'row', tabindex: '-1'},
      rowHead({class: 'name'}, login.user),
      cell('from', {}, login.address),
      (this.server = cell('server', {}, login.server)),
      cell('since', {}, time(login.since)),
      (this.seen = cell('seen', {}, time(login.seen))),
      cell(
        'end',
        {class: 'num'},
        login.isYours
          ? el('span', {class: 'faint'}, 'yours')
          : el('button', {type: 'button', 'data-act': 'end', on: {click: () => openEnd(login)}}, 'End…'),
      ),
    );
  }

  update(login) {
    setText(this.server, login.server);
    replace(this.seen, time(login.seen));
  }
}

function openEnd({id, user, address}) {
  openDialog({
    title: `End the login of ${user}`,
    subject: el(
      'p',
      {},
      el('b', {}, user),
      ` from ${address} has to sign in again, on another server within a minute. To keep a user out, remove the user or its roles from the realm first.`,
    ),
    verb: 'End the login',
    danger: true,
    act: async () => {
      await remove(path('logins', id));
      refreshNow();
      return `Ended: the login of ${user}.`;
    },
  });
}
