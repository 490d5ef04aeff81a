import { isUtf8 } from 'node:buffer';
import type { PinnedText, Session } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { readStdin } from '../../prompt/prompt-input.ts';
import { UsageError } from '../../program/report-error.ts';
import { err, out } from '../../output/sink.ts';

export interface PinOptions {
  /** Seq of a record. */
  message?: number;
  json?: true;
}

export interface UnpinOptions {
  json?: true;
}

/** `klaus pin ID ["text"|--message SEQ]`. */
export async function pin(id: string, words: readonly string[], options: PinOptions): Promise<number> {
  if (words.length > 0 && options.message !== undefined)
    throw new UsageError('A text and --message exclude each other.', 'Give the one that you mean.');
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  if (words.length === 0 && options.message === undefined) return await list(session, options);
  const given = options.message === undefined ? (await readText(words)).trim() : { seq: options.message };
  const done = await session.pin(given, { by: 'cli' });
  say(session, { ...done, what: 'Pinned', options });
  return EXIT.done;
}

async function readText(words: readonly string[]): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ');
  const bytes = (await readStdin()) ?? new Uint8Array();
  if (isUtf8(bytes) && !bytes.includes(0)) return new TextDecoder().decode(bytes);
  throw new UsageError('What came on standard input is not text.', 'Only text can be pinned.');
}

/** `klaus unpin ID PIN`. */
export async function unpin(id: string, prefix: string, options: UnpinOptions): Promise<number> {
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  const done = await session.unpin(prefix, { by: 'cli' });
  say(session, { ...done, what: 'Unpinned', options });
  return EXIT.done;
}

function say(session: Session, given: { pin: string; applied: boolean; what: string; options: { json?: true } }): void {
  const { pin: id, applied, what, options } = given;
  if (options.json) {
    out.json({ session: session.id, pin: id, applied });
    return;
  }
  const when = applied ? '' : ' It waits for the process that works on the session, or for its next run.';
  out.write(`${what}: ${id}.${when}\n`);
}

async function list(session: Session, options: PinOptions): Promise<number> {
  const pins = await session.pins();
  if (options.json) {
    for (const row of pins) out.json(row);
    return EXIT.done;
  }
  if (pins.length === 0) {
    err.write(`Nothing is pinned in session ${session.id}: klaus pin ${session.id} "text" pins something.\n`);
    return EXIT.done;
  }
  const paint = createPaint(out, false);
  out.write(`${pins.map((row) => describe(row, (head) => paint('bold', head))).join('\n\n')}\n`);
  return EXIT.done;
}

function describe({ id, text, source }: PinnedText, head: (text: string) => string): string {
  const from = source === undefined ? '' : `, from ${toPrintable(source)}`;
  return `${head(`${id}${from}`)}\n${toPrintable(text)}`;
}
