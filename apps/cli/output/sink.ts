import { styleText } from 'node:util';
import { toSafeJson } from '@klaus/sdk/printable';

export type Sink = ReturnType<typeof createSink>;

export const out = createSink(() => process.stdout);
export const err = createSink(() => process.stderr);

/**
 * Standard output or standard error. The command line writes only here: control characters in text of a model, a
 * command, a file or a server cannot act on the terminal or on the program behind the pipe.
 *
 * @param open Creates the stream of the process at its first use.
 */
function createSink(open: () => NodeJS.WriteStream) {
  let hasColors: boolean | undefined;
  const clean = (text: string): string => toSafeText(text, (hasColors ??= showsColors(open())));
  return {
    get isTTY() {
      return open().isTTY === true;
    },
    /** Characters of a line of the terminal; 0 if it is not a terminal. */
    get columns() {
      return open().isTTY === true ? open().columns : 0;
    },
    get stream() {
      return open();
    },
    /**
     * Writes text with control characters shown as `<1b>`. The colours of `createPaint` remain if colours are shown;
     * all other colours are removed.
     */
    write: (text: string) => void open().write(clean(text)),
    /** Resolves when the reader has received everything. */
    flush: () => new Promise<void>((resolve) => open().write('', () => resolve())),
    /** Writes one JSON document with a line feed. Control characters in it are escape sequences of JSON. */
    json: (value: unknown, indent?: number) => void open().write(`${toSafeJson(value, indent)}\n`),
    /** Writes text unchanged: only for `--raw`. */
    raw: (text: string) => void open().write(text),
    /** Makes a terminal mark pasted text, or ends that. */
    markPaste: (isMarked: boolean) => void open().write(`\u001b[?2004${isMarked ? 'h' : 'l'}`),
    /** Shows lines from the top of the terminal, and removes what was below. Only on a terminal. */
    replaceScreen: (lines: readonly string[]) =>
      void open().write(`\u001b[H${lines.map((line) => `${clean(line)}\u001b[K`).join('\r\n')}\u001b[J`),
    /** Shows a screen of its own and hides the cursor, or shows the former one again. Only on a terminal. */
    useOwnScreen: (isOwn: boolean) =>
      void open().write(isOwn ? '\u001b[?1049h\u001b[?25l' : '\u001b[?25h\u001b[?1049l'),
    /** Replaces the line of the cursor. Only on a terminal. */
    replaceLine: (text: string) => void open().write(`\r\u001b[2K${clean(text)}`),
  };
}

function showsColors(stream: NodeJS.WriteStream): boolean {
  return process.env['TERM'] !== 'dumb' && styleText('bold', 'x', { stream }) !== 'x';
}

/** A sequence that sets colours, or a control character: C0, DEL, C1, marks that reorder or break lines. */
const ACTING = /\u001b\[([\d;:]{0,64})m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/gu;
/** Visible ASCII and line feeds need no change, and are the most frequent text by far. */
const UNUSUAL = /[^\n -~]/;
/** Bold, dim, the colours of `Color`, and their ends. */
const OWN_COLORS: ReadonlySet<string> = new Set(['1', '2', '22', '31', '32', '33', '35', '36', '39']);

/** The end of bold, dim and colours. */
const RESET = '\u001b[22m\u001b[39m';

/** @param colors True if the colours of `createPaint` are shown. */
function toSafeText(text: string, colors: boolean): string {
  if (!UNUSUAL.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replace(ACTING, (found, color: string | undefined) => {
    if (color === undefined) return show(found);
    if (!colors) return '';
    if (color === '' || color === '0') return RESET;
    // The text is complete without other colours.
    return OWN_COLORS.has(color) ? found : '';
  });
}

function show(character: string): string {
  return `<${character.codePointAt(0)!.toString(16).padStart(2, '0')}>`;
}
