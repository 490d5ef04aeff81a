/** Rows of cells, all of them texts. */
export type CsvRows = readonly (readonly string[])[];

/** A cell that a spreadsheet would run as a formula. A negative number is none. */
const FORMULA = /^(?:[=@\t\r]|[+-](?![\d.,]+$))/;

/** Writes rows as CSV (RFC 4180). Cells that a spreadsheet would run as formulas get an apostrophe before them. */
export function toCsv(rows: CsvRows): string {
  return rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join('');
}

function toCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Parses CSV or TSV. Quoted cells may contain separators and lines. Never fails: an unclosed quote ends with the text. */
export function parseCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      for (;;) {
        const end = text.indexOf('"', at + 1);
        cell += text.slice(at + 1, end < 0 ? text.length : end);
        at = end < 0 ? text.length : end + 1;
        if (text[at] !== '"') break;
        cell += '"';
      }
    }
    let end = at;
    while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
    row.push(cell + text.slice(at, end).replace(/\r$/, ''));
    at = end + 1;
    if (text[end] === separator) {
      // A separator at the end of the text is followed by an empty cell.
      if (at >= text.length) row.push('');
    } else {
      rows.push(row);
      row = [];
    }
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** The separator of a text: tab for TSV, otherwise the most frequent of the usual ones in the first line. */
export function findSeparator(text: string, path: string): string {
  if (/\.(?:tsv|tab)$/i.test(path)) return '\t';
  const [line = ''] = text.split('\n', 1);
  const counts = [',', ';', '\t', '|'].map((mark) => ({ mark, count: line.split(mark).length - 1 }));
  return counts.reduce((best, each) => (each.count > best.count ? each : best)).mark;
}
