// The trace of a failure. The adapter keeps the causes first, and the frames of the root cause before all others, because
// it cuts a long trace at its end. Here it comes in the order that Java prints.

/** The packages of the platform and of well-known libraries: their frames are not the application's own. */
const LIBRARIES =
  /^(?:[\w.@-]+\/)?(?:java|javax|jakarta|jdk|sun|com\.sun|org\.(?:hibernate|postgresql|h2|jboss|wildfly|eclipse|apache|springframework)|io\.(?:undertow|netty|smallrye))\./;

/**
 * Returns the lines in Java's order.
 *
 * @param {string} text
 * @returns {{text: string, kind: string}[]} the kind is `head`, `own` for frames of the application, or `other`
 */
export function traceLines(text) {
  const {links, sections, rest} = parts(text.replace(/\n$/, '').split('\n'));
  return [
    ...links.flatMap((link, i) => [
      ...link.map((line, n) => head(i > 0 && n === 0 ? `Caused by: ${line}` : line)),
      ...sections[i].map(frame),
    ]),
    ...rest.map(head),
  ];
}

function head(text) {
  return {text, kind: 'head'};
}

function frame(line) {
  const at = /^\s*at (.*)$/.exec(line);
  return {text: at ? `    at ${at[1]}` : `    ${line.trim()}`, kind: at && !LIBRARIES.test(at[1]) ? 'own' : 'other'};
}

/** Returns the exceptions, the outermost first, with the frames of each, and further lines. */
function parts(lines) {
  const links = [];
  const rest = [];
  let i = 0;
  for (; i < lines.length && !isFrame(lines[i]) && !lines[i].startsWith('frames of '); i++) {
    const line = lines[i];
    if (line.startsWith('suppressed ')) {
      rest.push(line);
    } else if (links.length === 0 || line.startsWith('caused by ')) {
      links.push([line.replace(/^caused by /, '')]);
    } else {
      links[links.length - 1].push(line); // A message of several lines
    }
  }
  const sections = links.map(() => []);
  let at = links.length - 1;
  for (; i < lines.length; i++) {
    const of = /^frames of (.*)$/.exec(lines[i]);
    if (of) {
      at = before(links, at, of[1]);
    } else {
      (sections[at] || rest).push(lines[i]);
    }
  }
  return {links, sections, rest};
}

function isFrame(line) {
  return /^ {2}(?:at |\.\.\. )/.test(line);
}

/** Returns the nearest exception of a class that is further out. */
function before(links, from, type) {
  for (let i = from - 1; i >= 0; i--) {
    if (links[i][0] === type || links[i][0].startsWith(`${type}:`)) {
      return i;
    }
  }
  return Math.max(0, from - 1);
}
