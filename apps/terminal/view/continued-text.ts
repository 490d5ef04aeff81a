/** Renders a Markdown text. */
export type ToRows = (text: string) => readonly string[];

/** What the rest of a Markdown text needs in front of it, so that it is rendered as it is in the complete text. */
export interface Context {
  /** Markdown whose rows are not shown, such as the item of a list in which the rest is. May be empty. */
  before: string;
  /** Markdown between `before` and the rest that has no rows, such as the sign of a quote. */
  sign?: string;
  /** A line of code, if `before` ends in an open code block. */
  codeLine?: string;
}

/** The rows of a text that continues another one. */
export function toContinuedRows(
  { before, sign = '', codeLine }: Context,
  text: string,
  toRows: ToRows,
): readonly string[] {
  // Without a further line, only the end of the code block is left.
  if (text.trim() === '') return codeLine === undefined ? [] : toRows(before + codeLine).slice(-1);
  if (before === '') return toRows(sign + text);
  return toRows(before + sign + text).slice(countOpenRows(before, codeLine, toRows));
}

/** The rows of a text that is continued, without the end of its open code block. @param codeLine Of what follows. */
export function toOpenRows(
  context: Context,
  text: string,
  { codeLine, toRows }: { codeLine?: string; toRows: ToRows },
) {
  if (codeLine === undefined) return toContinuedRows(context, text, toRows);
  return toContinuedRows(context, text + codeLine, toRows).slice(0, -2);
}

function countOpenRows(before: string, codeLine: string | undefined, toRows: ToRows): number {
  return codeLine === undefined ? toRows(before).length : toRows(before + codeLine).length - 2;
}
