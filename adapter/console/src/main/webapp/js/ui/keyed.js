// Lists whose rows stay where they are: nothing moves under the pointer, and the focus stays.

/** Rows by their keys. Those that stay keep their element and their place. */
export class Keyed {
  /**
   * @param {Element} parent
   * @param {(item: Object) => {element: Element, update: (item: Object) => void}} make
   */
  constructor(parent, make) {
    this.parent = parent;
    this.make = make;
    this.rows = new Map();
  }

  /** Shows these items: new ones come at the end, and gone ones are removed. */
  update(items, keyOf) {
    const keys = new Set();
    for (const item of items) {
      const key = keyOf(item);
      keys.add(key);
      if (!this.rows.has(key)) {
        const row = this.make(item);
        this.rows.set(key, row);
        this.parent.append(row.element);
      }
      this.rows.get(key).update(item);
    }
    [...this.rows].filter(([key]) => !keys.has(key)).forEach(([key]) => this.remove(key));
  }

  /** Removes all rows, so that the next ones have their own order. */
  clear() {
    [...this.rows.keys()].forEach((key) => this.remove(key));
  }

  remove(key) {
    this.rows.get(key).element.remove();
    this.rows.delete(key);
  }
}
