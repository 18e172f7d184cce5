// The login over an open dialog: what was typed there stays, and the act goes on.

import {BASE} from '../data/api.js';
import {loadSession, theSession} from '../data/session.js';
import {field, openDialog, required} from '../ui/dialog.js';
import {el} from '../ui/html.js';

const LOCKED = 429;

/** Asks for the password. Returns whether there is a session again. */
export function signInAgain() {
  const user = el('input', {type: 'text', autocomplete: 'username', spellcheck: 'false'});
  user.value = theSession().user;
  const password = el('input', {type: 'password', autocomplete: 'current-password'});
  return new Promise((resolve) => {
    openDialog({
      title: 'Your session has ended',
      subject: el('p', {}, 'Sign in again: what you have typed stays, and what you have started goes on.'),
      fields: [field('User', user), field('Password', password)],
      verb: 'Sign in',
      opened: () => setTimeout(() => password.focus()),
      act: async () => {
        await signIn(required(user, 'Type your name.'), required(password, 'Type your password.'));
        resolve(true);
        return `Signed in as ${theSession().user}.`;
      },
      closed: () => resolve(false),
    });
  });
}

/** The server answers a wrong password with the page of the login, so that the session says whether there is one. */
async function signIn(user, password) {
  const answer = await fetch(`${BASE}login`, {
    method: 'POST',
    body: new URLSearchParams({user, password}),
    credentials: 'same-origin',
  });
  if (answer.status === LOCKED) {
    throw Object.assign(new Error('This server has as many sessions as it can have. Try again later.'), {
      title: 'Too many.',
    });
  }
  try {
    await loadSession();
  } catch (problem) {
    throw problem.status === 401
      ? Object.assign(
          new Error('The user name or the password is wrong, or the user has no role of TaskTube, or is locked.'),
          {title: 'Refused.'},
        )
      : problem;
  }
}
