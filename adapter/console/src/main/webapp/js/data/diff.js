// A diff of two texts by lines, after the longest common subsequence. The work is bounded.

const MOST_CELLS = 4_000_000;
const CONTEXT = 3;

/**
 * Returns the lines of both texts in their order.
 *
 * @param {string} before
 * @param {string} after
 * @returns {{sign: ' '|'-'|'+', text: string}[]}
 */
export function diff(before, after) {
  const a = before.split('\n');
  const b = after.split('\n');
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    head++;
  }
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail++;
  }
  return [
    ...lines(' ', a.slice(0, head)),
    ...middle(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...lines(' ', a.slice(a.length - tail)),
  ];
}

function lines(sign, list) {
  return list.map((text) => ({sign, text}));
}

/** Two texts that differ in too many lines are shown one after the other. */
function middle(a, b) {
  if (a.length * b.length > MOST_CELLS || a.length === 0 || b.length === 0) {
    return [...lines('-', a), ...lines('+', b)];
  }
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? longest[(i + 1) * width + j + 1] + 1
          : Math.max(longest[(i + 1) * width + j], longest[i * width + j + 1]);
    }
  }
  return walk(a, b, longest, width);
}

function walk(a, b, longest, width) {
  const result = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      result.push({sign: ' ', text: a[i++]});
      j++;
    } else if (
      i < a.length &&
      (j === b.length || longest[(i + 1) * width + j] >= longest[i * width + j + 1])
    ) {
      result.push({sign: '-', text: a[i++]});
    } else {
      result.push({sign: '+', text: b[j++]});
    }
  }
  return result;
}

/**
 * Returns the changed lines with three lines around them. The others are gathered: an entry with `equal` is their number.
 *
 * @param {{sign: string, text: string}[]} list
 * @returns {({sign: string, text: string}|{equal: number})[]}
 */
export function fold(list) {
  const near = new Uint8Array(list.length);
  list.forEach((line, i) => {
    if (line.sign !== ' ') {
      near.fill(1, Math.max(0, i - CONTEXT), i + CONTEXT + 1);
    }
  });
  const result = [];
  list.forEach((line, i) => {
    const last = result[result.length - 1];
    if (near[i]) {
      result.push(line);
    } else if (last && last.equal) {
      last.equal++;
    } else {
      result.push({equal: 1});
    }
  });
  return result;
}
