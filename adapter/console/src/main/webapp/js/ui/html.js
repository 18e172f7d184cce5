// Builds elements. Text goes in as text nodes only, so that no data is ever read as HTML.

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Returns a new element.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Object} [props] attributes; `on` has listeners, `vars` custom properties, `value`, `checked` and `disabled`
 *     are set as properties; null and false leave an attribute out
 * @param {...(Node|string|number|null|undefined|boolean|Array)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props = {}, ...children) {
  return fill(apply(document.createElement(tag), props), children);
}

/** Returns a new element of SVG. */
export function svg(tag, props = {}, ...children) {
  return fill(apply(document.createElementNS(SVG, tag), props), children);
}

/**
 * Returns the first element that a selector finds; null if there is none.
 *
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {HTMLElement}
 */
export function find(selector, within = document) {
  return within.querySelector(selector);
}

/**
 * Returns all elements that a selector finds.
 *
 * @param {string} selector
 * @param {ParentNode} [within]
 * @returns {HTMLElement[]}
 */
export function findAll(selector, within = document) {
  return [...within.querySelectorAll(selector)].map((each) => /** @type {HTMLElement} */ (each));
}

/** Returns the element that has the focus. */
export function focused() {
  return /** @type {HTMLElement} */ (document.activeElement);
}

/** Returns an icon of the folder icons. It is invisible for a screen reader. */
export function icon(name) {
  return el('span', {class: `i i-${name}`, 'aria-hidden': 'true'});
}

/** Replaces all children of an element. */
export function replace(element, ...children) {
  element.replaceChildren();
  return fill(element, children);
}

/** Sets the text of an element, if it differs: a text that stays the same causes no layout and no announcement. */
export function setText(element, text) {
  const value = String(text);
  if (element.textContent !== value) {
    element.textContent = value;
  }
}

function apply(element, props) {
  for (const [name, value] of Object.entries(props)) {
    if (name === 'on') {
      Object.entries(value).forEach(([type, listener]) => element.addEventListener(type, listener));
    } else if (name === 'vars') {
      Object.entries(value).forEach(([key, v]) => element.style.setProperty(key, v));
    } else if (name === 'value' || name === 'checked' || name === 'disabled' || name === 'indeterminate') {
      element[name] = value;
    } else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  return element;
}

function fill(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : document.createTextNode(String(child)));
    }
  }
  return element;
}
