// Rows as a file, for a spreadsheet or a program.

/** What a spreadsheet takes for a formula when a cell begins with it. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Returns rows as CSV of RFC 4180, the names of the columns first. A value that a spreadsheet would run as a formula
 * has an apostrophe before it.
 *
 * @param {string[]} columns the names of the members
 * @param {Object<string, any>[]} rows an absent member is an empty cell
 */
export function csv(columns, rows) {
  const lines = rows.map((row) => columns.map((column) => cellOf(row[column])).join(','));
  return [columns.join(','), ...lines, ''].join('\r\n');
}

/** Returns rows as JSON, one object per line, as the REST API has them. */
export function jsonLines(rows) {
  return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
}

function cellOf(value) {
  if (value === undefined || value === null) {
    return '';
  }
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
