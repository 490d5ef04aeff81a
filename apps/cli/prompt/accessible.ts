/**
 * True if the user asks all command line tools for output that a screen reader can read: `ACCESSIBLE` is set, and is not
 * empty, `0` or `false`.
 *
 * @source https://github.com/bombshell-dev/clack/issues/585, https://github.com/charmbracelet/huh#accessibility
 */
export function isAccessible(): boolean {
  return !['', '0', 'false'].includes(process.env['ACCESSIBLE'] ?? '');
}

/** True if the terminal is used line by line: nothing that was written changes. */
export function isLineByLine(): boolean {
  return isAccessible() || (process.env['KLAUS_PLAIN'] ?? '') !== '' || process.env['TERM'] === 'dumb';
}
