// Pause and resume of several tubes at once, as for maintenance.

import {path, post} from '../data/api.js';
import {count} from '../data/format.js';
import {refreshNow} from '../data/live.js';
import {theOverview} from '../data/overview.js';
import {field, openDialog, reasonInput, required, select} from '../ui/dialog.js';
import {el, icon, replace, setText} from '../ui/html.js';
import {modeTag, note} from '../ui/parts.js';

const ACTS = {
  pause: {label: 'Pause', fits: (tube) => tube.mode !== 'PAUSED'},
  resume: {label: 'Resume', fits: (tube) => tube.mode !== 'OPEN'},
};

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
    this.tubes = theOverview()?.tubes || [];
    const paused = this.tubes.every((tube) => !ACTS.pause.fits(tube));
    this.choice = select(
      Object.entries(ACTS).map(([name, act]) => [name, act.label]),
      paused ? 'resume' : 'pause',
    );
    this.choice.addEventListener('change', () => this.draw());
    this.reason = reasonInput();
    this.reasonField = field('Reason', this.reason);
    this.list = el('fieldset', {class: 'checks'});
    this.list.addEventListener('change', () => this.count());
  }

  get act() {
    return this.choice.value;
  }

  open() {
    openDialog({
      title: 'Pause or resume tubes',
      subject: el('p', {}, 'On all servers and over restarts. Puts go on, and tasks that are held may end.'),
      fields: [field('Act', this.choice), this.list, this.reasonField],
      verb: 'Pause',
      wide: true,
      opened: (confirm) => {
        this.confirm = confirm;
        this.draw();
      },
      act: (progress) => this.change(progress),
    });
  }

  draw() {
    const {label, fits} = ACTS[this.act];
    const tubes = this.tubes.filter(fits);
    this.boxes = tubes.map((tube) => el('input', {type: 'checkbox', value: tube.name, checked: true}));
    const all = el('input', {
      type: 'checkbox',
      checked: true,
      on: {change: () => this.boxes.forEach((box) => (box.checked = all.checked))},
    });
    replace(
      this.list,
      el('legend', {}, 'Tubes'),
      tubes.length === 0 && el('p', {class: 'soft'}, `No tube is there to ${label.toLowerCase()}.`),
      tubes.length > 1 && el('label', {}, all, el('b', {}, ` All ${count(tubes.length, 'tube')}`)),
      tubes.map((tube, i) => el('label', {}, this.boxes[i], ` ${tube.name} `, modeTag(tube))),
    );
    this.reasonField.hidden = this.act === 'resume';
    this.count();
  }

  get chosen() {
    return this.boxes.filter((box) => box.checked).map((box) => box.value);
  }

  count() {
    const n = this.chosen.length;
    setText(this.confirm, `${ACTS[this.act].label} ${count(n, 'tube')}`);
    this.confirm.disabled = n === 0;
  }

  /** Goes on with the others if one fails, and names those that failed. */
  async change(progress) {
    const {act, chosen} = this;
    const body = act === 'pause' ? {reason: required(this.reason, 'A pause needs a reason.')} : {};
    const failed = [];
    for (const [i, tube] of chosen.entries()) {
      progress(tube, i / chosen.length);
      await post(`${path('tubes', tube)}/${act}`, body).catch((problem) => {
        failed.push(`${tube}: ${problem.message}`);
      });
    }
    refreshNow();
    const done = `${ACTS[act].label}: ${count(chosen.length - failed.length, 'tube')}.`;
    return failed.length === 0
      ? done
      : el('div', {}, el('p', {}, done), failed.map((text) => note('bad', text)));
  }
}
