// The filter box: finished conditions are pills, what is being typed has suggestions.

import {isComplete, split, suggest, withField} from '../data/filter.js';
import {el, icon, replace} from './html.js';

/**
 * Returns a filter box.
 *
 * @param {{text: string, tubes: () => string[], fields: () => string[], changed: (text: string) => void}} options
 * @returns {{element: HTMLElement, focus: () => void, fail: (message: string, position: number|null) => void}}
 */
export function filterBox({text, tubes, fields, changed}) {
  const box = new Box(text, {tubes, fields}, changed);
  return {element: box.element, focus: () => box.input.focus(), fail: (...args) => box.fail(...args)};
}

class Box {
  constructor(text, known, changed) {
    this.known = known;
    this.changed = changed;
    this.conditions = split(text).map((condition) => condition.text);
    this.active = -1;
    this.options = [];
    this.pills = el('span', {class: 'pills'});
    this.input = el('input', {
      type: 'text',
      id: 'filter',
      'data-filter': true,
      'data-focus': 'filter',
      role: 'combobox',
      'aria-label': 'Filter of tasks',
      'aria-expanded': 'false',
      'aria-controls': 'filter-list',
      'aria-autocomplete': 'list',
      'aria-describedby': 'filter-error',
      autocomplete: 'off',
      autocapitalize: 'off',
      spellcheck: 'false',
      maxlength: '2000',
    });
    this.list = el('ul', {
      class: 'suggestions',
      id: 'filter-list',
      role: 'listbox',
      'aria-label': 'Suggestions',
      hidden: true,
    });
    this.error = el('p', {class: 'filter-error', id: 'filter-error', role: 'alert', hidden: true});
    this.clear = el(
      'button',
      {
        type: 'button',
        class: 'plain small square',
        'aria-label': 'Clear the filter',
        on: {click: () => this.set([])},
      },
      icon('close'),
    );
    this.element = el(
      'div',
      {class: 'filter'},
      el(
        'div',
        {class: 'search', on: {click: (e) => e.target === e.currentTarget && this.input.focus()}},
        icon('search'),
        this.pills,
        this.input,
        this.clear,
        el('kbd', {class: 'keys-only', 'aria-hidden': 'true'}, '/'),
      ),
      this.list,
      this.error,
    );
    this.listen();
    this.draw();
  }

  listen() {
    this.input.addEventListener('input', () => this.typed());
    this.input.addEventListener('click', () => this.open());
    this.input.addEventListener('blur', () => setTimeout(() => this.close(), 150));
    this.input.addEventListener('keydown', (event) => this.key(event));
    this.list.addEventListener('mousedown', (event) => event.preventDefault());
  }

  draw() {
    replace(
      this.pills,
      this.conditions.map((condition, i) =>
        el(
          'span',
          {class: 'pill', 'data-index': String(i)},
          el(
            'button',
            {
              type: 'button',
              class: 'pill-text',
              title: 'Edit this condition',
              on: {click: () => this.edit(i)},
            },
            condition,
          ),
          el(
            'button',
            {
              type: 'button',
              class: 'pill-x',
              'aria-label': `Remove ${condition}`,
              on: {click: () => this.drop(i)},
            },
            icon('close'),
          ),
        ),
      ),
    );
    this.input.placeholder =
      this.conditions.length === 0 ? 'A word, or tube:orders state:buried error:Timeout*' : '';
    this.clear.hidden = this.conditions.length === 0;
  }

  set(conditions) {
    this.conditions = conditions;
    this.draw();
    this.input.focus();
    this.changed(conditions.join(' '));
  }

  edit(index) {
    this.input.value = this.conditions[index];
    this.conditions.splice(index, 1);
    this.draw();
    this.input.focus();
    this.open();
  }

  drop(index) {
    this.set(this.conditions.filter((_, i) => i !== index));
  }

  /** A space after a finished condition makes a pill of it. */
  typed() {
    const value = this.input.value;
    if (/\s$/.test(value) && isComplete(value.trim())) {
      this.commit();
    } else {
      this.open();
    }
  }

  commit() {
    const more = split(this.input.value).map((condition) => withField(condition.text));
    this.input.value = '';
    this.close();
    this.set([...this.conditions, ...more]);
  }

  key(event) {
    if (event.key === 'Enter') {
      event.preventDefault();
      this.active >= 0 ? this.choose(this.options[this.active]) : this.commit();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      this.move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Tab' && this.active >= 0) {
      event.preventDefault();
      this.choose(this.options[this.active]);
    } else if (event.key === 'Backspace' && this.input.value === '' && this.conditions.length > 0) {
      event.preventDefault();
      this.edit(this.conditions.length - 1);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      this.list.hidden ? this.input.blur() : this.close();
    }
  }

  choose(option) {
    this.input.value = option.text;
    if (option.ends) {
      this.commit();
    } else {
      this.open();
    }
  }

  move(step) {
    if (this.list.hidden) {
      this.open();
    }
    const n = this.options.length;
    this.active = n === 0 ? -1 : (this.active + step + n + (this.active < 0 && step < 0 ? 1 : 0)) % n;
    [...this.list.children].forEach((item, i) =>
      item.setAttribute('aria-selected', String(i === this.active)),
    );
    const item = this.list.children[this.active];
    if (item) {
      this.input.setAttribute('aria-activedescendant', item.id);
      item.scrollIntoView({block: 'nearest'});
    }
  }

  open() {
    this.options =
      document.activeElement === this.input ? suggest(this.input.value.trimStart(), this.known.tubes(), this.known.fields()) : [];
    this.active = -1;
    this.input.removeAttribute('aria-activedescendant');
    replace(
      this.list,
      this.options.map((option, i) =>
        el(
          'li',
          {
            role: 'option',
            id: `filter-option-${i}`,
            'aria-selected': 'false',
            on: {click: () => this.choose(option)},
          },
          el('code', {}, option.shown),
          el('span', {class: 'faint'}, option.hint),
        ),
      ),
    );
    this.list.hidden = this.options.length === 0;
    this.input.setAttribute('aria-expanded', String(!this.list.hidden));
  }

  close() {
    this.list.hidden = true;
    this.active = -1;
    this.input.setAttribute('aria-expanded', 'false');
  }

  /** Shows the server's error, and marks the condition at its position. */
  fail(message, position) {
    this.error.hidden = !message;
    replace(this.error, message && icon('failures'), message);
    this.input.setAttribute('aria-invalid', String(Boolean(message)));
    const at = split(this.conditions.join(' ')).findIndex(
      (c) => message && position !== null && position >= c.from && position < c.to,
    );
    [...this.pills.children].forEach((pill, i) => pill.classList.toggle('wrong', i === at));
  }
}
