// The sums over all tubes, at the top of the overview.

import {duration, number, rate, short, since} from '../data/format.js';
import {href} from '../data/router.js';
import {sums} from '../data/samples.js';
import {el, setText} from '../ui/html.js';
import {sparkline} from '../ui/parts.js';

/** The sums over all tubes. */
export class Stats {
  constructor() {
    this.cards = {
      ready: card('Ready', href('tasks', {filter: 'state:ready'})),
      in: card('In per second', null),
      out: card('Out per second', null),
      taken: card('Taken', href('tasks', {filter: 'state:taken'})),
      buried: card('Buried', href('tasks', {filter: 'state:buried'})),
    };
    this.spark = sparkline('Puts and acks per second of all tubes');
    this.cards.out.element.append(this.spark.element);
    this.element = el(
      'div',
      {class: 'stats'},
      Object.values(this.cards).map((c) => c.element),
    );
  }

  /**
   * @param {{runs: boolean, tubes: any[], totals: any}} overview
   * @param {{puts: number, acks: number}[]|null} day the flow of 24 hours, if that is to be shown
   */
  update({runs, tubes, totals}, day) {
    if (!runs) {
      Object.values(this.cards).forEach((one) => one.set('–', 'not known now', ''));
      return;
    }
    const of = (state) =>
      totals && Number.isFinite(totals[state])
        ? totals[state]
        : tubes.reduce((sum, tube) => sum + tube[state], 0);
    const flow = sums(tubes.map((tube) => tube.name));
    this.cards.ready.set(
      short(of('ready')),
      oldest(tubes) || `${number(of('delayed'))} delayed`,
      number(of('ready')),
    );
    this.cards.in.set(
      rate(flow.puts),
      flow.series.length > 2 ? `at most ${rate(flow.most)} in 5 min` : 'all servers',
    );
    this.cards.out.set(rate(flow.acks), ends(flow));
    this.cards.taken.set(short(of('taken')), 'held by sessions now', number(of('taken')));
    this.cards.buried.set(
      short(of('buried')),
      `${number(of('done'))} done with results`,
      number(of('buried')),
      of('buried') > 0,
    );
    this.spark.update(day || flow.series);
  }
}

function ends({puts, acks}) {
  if (!Number.isFinite(puts) || Math.abs(puts - acks) < 0.5) {
    return Number.isFinite(puts) ? 'as many as come in' : 'all servers';
  }
  return puts > acks ? `${rate(puts - acks)} fewer than come in` : `${rate(acks - puts)} more than come in`;
}

function oldest(tubes) {
  const ages = tubes.map((tube) => since(tube.oldestReadySince)).filter(Number.isFinite);
  return ages.length === 0 ? null : `oldest put ${duration(Math.max(...ages))} ago`;
}

function card(label, link) {
  const value = el('div', {class: 'n'});
  const detail = el('div', {class: 'd'});
  const element = el(
    link ? 'a' : 'div',
    {class: 'panel stat', href: link},
    el('div', {class: 'l'}, label),
    value,
    detail,
  );
  return {
    element,
    set(text, more, title, bad = false) {
      setText(value, text);
      value.title = title || '';
      value.classList.toggle('bad', bad);
      setText(detail, more);
    },
  };
}
