// JSON as text, pretty printed. Numbers keep their digits: nothing is parsed into doubles.
// All loops are flat, so that no depth of nesting overflows a stack.

const TOKEN = /\s+|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[[\]{}:,]/y;

/** From this depth on, values stay in one line. */
export const DEEPEST = 60;

/**
 * Returns the tokens of a JSON text, without white space; null if the text is no JSON.
 *
 * @param {string} text
 * @param {number} [most] the number of tokens after which reading ends
 * @returns {{tokens: string[], complete: boolean} | null}
 */
export function tokens(text, most = Infinity) {
  const found = [];
  TOKEN.lastIndex = 0;
  let at = 0;
  while (at < text.length && found.length < most) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) {
      return null;
    }
    at = TOKEN.lastIndex;
    if (!/^\s/.test(match[0])) {
      found.push(match[0]);
    }
  }
  return found.length === 0 ? null : {tokens: found, complete: at >= text.length};
}

/** Returns whether tokens are one JSON value. */
export function isValue(list) {
  const open = [];
  let expects = 'value';
  for (const token of list) {
    expects = next(expects, token, open);
    if (expects === null) {
      return false;
    }
  }
  return expects === 'end';
}

/** Returns the state after a token; null if the token is wrong there. `open` is the stack of brackets. */
function next(expects, token, open) {
  const after = () => (open.length === 0 ? 'end' : 'comma');
  if (token === ']' || token === '}') {
    const wanted = token === ']' ? '[' : '{';
    const fits = expects === 'comma' || expects === (token === ']' ? 'value or ]' : 'name or }');
    return fits && open.pop() === wanted ? after() : null;
  }
  if (expects === 'comma') {
    return token !== ',' ? null : open[open.length - 1] === '{' ? 'name' : 'value';
  }
  if (expects === 'colon') {
    return token === ':' ? 'value' : null;
  }
  if (expects.startsWith('name')) {
    return token[0] === '"' && strict(token) ? 'colon' : null;
  }
  if (!expects.startsWith('value') || token === ',' || token === ':') {
    return null;
  }
  if (token === '[' || token === '{') {
    open.push(token);
    return token === '[' ? 'value or ]' : 'name or }';
  }
  return strict(token) ? after() : null;
}

function strict(token) {
  if (token[0] === '"') {
    return /^"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"$/.test(token);
  }
  return !/^-?0\d/.test(token);
}

/**
 * Returns pieces of pretty printed JSON: each has a text and a kind, which is name, text, number, word or blank.
 *
 * @param {string[]} list
 * @returns {{text: string, kind: string}[]}
 */
export function pieces(list) {
  const result = [];
  let depth = 0;
  const line = () => (depth >= DEEPEST ? '' : `\n${'  '.repeat(depth)}`);
  const push = (text, kind = 'blank') => result.push({text, kind});
  for (let i = 0; i < list.length; i++) {
    const token = list[i];
    const following = list[i + 1];
    if (token === '[' || token === '{') {
      depth++;
      push(token + (following === ']' || following === '}' ? '' : line()));
    } else if (token === ']' || token === '}') {
      depth = Math.max(0, depth - 1);
      push((list[i - 1] === '[' || list[i - 1] === '{' ? '' : line()) + token);
    } else if (token === ',') {
      push(',' + (line() || ' '));
    } else if (token === ':') {
      push(': ');
    } else {
      push(token, kindOf(token, following));
    }
  }
  return result;
}

function kindOf(token, following) {
  if (token[0] === '"') {
    return following === ':' ? 'name' : 'text';
  }
  return /^[tfn]/.test(token) ? 'word' : 'number';
}
