// The row of a tube in the overview.

import {duration, number, rate, since} from '../data/format.js';
import {STATES} from '../data/model.js';
import {href, tubeHref} from '../data/router.js';
import {forecast, rates} from '../data/samples.js';
import {el, replace, setText} from '../ui/html.js';
import {cell, modeTag, rowHead, sparkline, stateBar} from '../ui/parts.js';

/** The row of a tube. */
export class TubeRow {
  constructor(name) {
    this.name = name;
    this.mode = el('span', {class: 'modes'});
    this.sub = el('span', {class: 'faint sub'});
    this.numbers = Object.fromEntries(
      STATES.map((state) => [state, el('a', {href: href('tasks', {filter: `tube:${name} state:${state}`})})]),
    );
    this.bar = stateBar();
    this.in = el('span', {});
    this.out = el('span', {});
    this.spark = sparkline(`Puts and acks per second of ${name}`);
    this.forecast = el('span', {});
    this.element = el(
      'tr',
      {role: 'row', tabindex: '-1'},
      rowHead(
        {class: 'name'},
        el('div', {class: 'row tight'}, el('a', {href: tubeHref(name), class: 'break'}, name), this.mode),
        this.sub,
      ),
      STATES.map((state) => cell(state, {class: `num n-${state}`}, this.numbers[state])),
      cell('by state', {class: 'barcell'}, this.bar.element),
      cell('in / s', {class: 'num flow'}, this.in),
      cell('out / s', {class: 'num flow'}, this.out),
      cell('flow', {class: 'sparkcell'}, this.spark.element),
      cell('forecast', {class: 'forecast'}, this.forecast),
    );
  }

  /** @param {{puts: number, acks: number}[]} series the flow to show */
  update(tube, series) {
    STATES.forEach((state) => {
      setText(this.numbers[state], number(tube[state]));
      this.numbers[state].classList.toggle('zero', tube[state] === 0);
    });
    this.bar.update(tube);
    const r = rates(this.name);
    setText(this.in, rate(r.puts));
    setText(this.out, rate(r.acks));
    this.spark.update(series);
    const f = forecast(tube);
    setText(this.forecast, f.text);
    this.forecast.className = `tone-${f.tone}`;
    this.forecast.title = f.title || '';
    this.drawMode(tube);
  }

  drawMode(tube) {
    const key = `${tube.mode} ${tube.modeBy} ${tube.modeReason}`;
    if (key !== this.shown) {
      this.shown = key;
      replace(this.mode, modeTag(tube), tube.temporary && el('span', {class: 'tag'}, 'temporary'));
    }
    const oldest = since(tube.oldestReadySince);
    setText(this.sub, `${tube.type || ''}${Number.isFinite(oldest) ? `, oldest ${duration(oldest)}` : ''}`);
    this.sub.title = Number.isFinite(oldest) ? 'The time since the put of the oldest READY task' : '';
  }
}
