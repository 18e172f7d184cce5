// Pause and resume of several tubes at once, as for maintenance.

import {path, post} from '../data/api.js';
import {count} from '../data/format.js';
import {refreshNow} from '../data/live.js';
import {theOverview} from '../data/overview.js';
import {hasRight, theSession} from '../data/session.js';
import {field, openDialog, reasonInput, required, select} from '../ui/dialog.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {modeTag, note} from '../ui/parts.js';
import {visible} from '../ui/text.js';

const ACTS = {
  // A pause would end a drain, and accept puts again
  pause: {label: 'Pause', fits: (tube) => tube.mode === 'OPEN', begins: () => false},
  // What others have closed stays closed, unless one chooses it
  resume: {
    label: 'Resume',
    fits: (tube) => tube.mode !== 'OPEN',
    begins: (tube) => tube.mode === 'PAUSED' && tube.modeBy === theSession().user,
  },
};

/** So many tubes are searched by name. */
const MANY = 10;

const isShown = (box) => !box.parentElement.hidden;

/** Returns the button that opens the dialog. */
export function modesButton() {
  return el(
    'button',
    {type: 'button', 'data-act': 'modes', on: {click: () => new ModesDialog().open()}},
    icon('pause'),
    'Pause or resume…',
  );
}

class ModesDialog {
  constructor() {
    this.tubes = (theOverview()?.tubes || []).filter((tube) => hasRight('OPERATE', tube.name));
    const paused = !this.tubes.some(ACTS.pause.fits);
    this.choice = select(
      Object.entries(ACTS).map(([name, act]) => [name, act.label]),
      paused ? 'resume' : 'pause',
    );
    this.choice.addEventListener('change', () => this.draw());
    this.reason = reasonInput();
    this.reasonField = field('Reason', this.reason);
    this.words = el('input', {type: 'search', autocomplete: 'off', spellcheck: 'false'});
    this.words.addEventListener('input', () => this.narrow());
    // Enter searches, and must not send what is chosen
    this.words.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault());
    this.wordsField = field('Tubes with', this.words);
    this.list = el('fieldset', {class: 'checks'});
    this.list.addEventListener('change', () => this.count());
    // Enter chooses nothing, so it must not send either
    this.list.addEventListener('keydown', (event) => event.key === 'Enter' && event.preventDefault());
  }

  get act() {
    return this.choice.value;
  }

  open() {
    openDialog({
      title: 'Pause or resume tubes',
      subject: el('p', {}, 'On all servers and over restarts. Puts go on, and tasks that are held may end.'),
      fields: [field('Act', this.choice), this.wordsField, this.list, this.reasonField],
      verb: 'Pause',
      wide: true,
      opened: (confirm) => {
        this.confirm = confirm;
        this.draw();
      },
      act: (progress, closed) => this.change(progress, closed),
    });
  }

  draw() {
    const {label, fits, begins} = ACTS[this.act];
    const tubes = this.tubes.filter(fits);
    this.boxes = tubes.map((tube) =>
      el('input', {type: 'checkbox', value: tube.name, checked: begins(tube)}),
    );
    this.allText = el('b', {});
    this.all = el('input', {
      type: 'checkbox',
      on: {
        change: () =>
          this.boxes.filter(isShown).forEach((box) => {
            box.checked = this.all.checked;
          }),
      },
    });
    replace(
      this.list,
      el('legend', {}, 'Tubes'),
      tubes.length === 0 && el('p', {class: 'soft'}, `No tube is there to ${label.toLowerCase()}.`),
      tubes.length > 1 && el('label', {}, this.all, this.allText),
      tubes.map((tube, i) =>
        el('label', {}, this.boxes[i], ` ${tube.name} `, modeTag(tube), tube.mode !== 'OPEN' && why(tube)),
      ),
    );
    this.reasonField.hidden = this.act === 'resume';
    this.wordsField.hidden = tubes.length < MANY;
    this.narrow();
  }

  /** Shows the tubes whose names have the words. Those that are chosen stay chosen. */
  narrow() {
    const words = this.wordsField.hidden ? '' : this.words.value.trim().toLowerCase();
    this.boxes.forEach((box) => {
      box.parentElement.hidden = !box.value.toLowerCase().includes(words);
    });
    this.count();
  }

  get chosen() {
    return this.boxes.filter((box) => box.checked).map((box) => box.value);
  }

  count() {
    const n = this.chosen.length;
    const shown = this.boxes.filter(isShown);
    const some = shown.filter((box) => box.checked).length;
    this.all.checked = some > 0 && some === shown.length;
    this.all.indeterminate = some > 0 && some < shown.length;
    setText(this.allText, ` All ${count(shown.length, 'tube')}`);
    this.all.disabled = shown.length === 0;
    setText(this.confirm, `${ACTS[this.act].label} ${count(n, 'tube')}`);
    this.confirm.disabled = n === 0;
  }

  /** Goes on with the others if one fails, and names those that failed. Ends if the dialog is closed. */
  async change(progress, closed) {
    const {act, chosen} = this;
    const body = act === 'pause' ? {reason: required(this.reason, 'A pause needs a reason.')} : {};
    const failed = [];
    let begun = 0;
    let signedOut = false;
    while (begun < chosen.length && !closed.aborted && !signedOut) {
      const tube = chosen[begun];
      progress(tube, begun++ / chosen.length);
      await post(`${path('tubes', tube)}/${act}`, body).catch((problem) => {
        signedOut = problem.status === 401;
        failed.push(`${tube}: ${problem.message}`);
      });
    }
    refreshNow();
    const left = chosen.length - begun;
    const done = `${ACTS[act].label}: ${count(begun - failed.length, 'tube')}${left > 0 ? `, ${left} not begun` : ''}.`;
    return failed.length === 0 && left === 0
      ? done
      : el('div', {}, el('p', {}, done), failed.map((text) => note('bad', text)));
  }
}

/** Returns who has closed a tube, and why. */
function why({modeBy, modeReason}) {
  return el('span', {class: 'faint'}, ` by ${visible(modeBy || '–')}: ${visible(modeReason || '–')}`);
}
