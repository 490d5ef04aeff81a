import { isUtf8 } from 'node:buffer';
import type { PinnedText, PinResult, Session } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { UsageError } from '../../program/cli-error.ts';
import { integer } from '../../program/option-values.ts';
import { readStdin } from '../../prompt/prompt-input.ts';

export const command: LeafCommand = {
  name: 'pin',
  summary: 'pin a text in the context of a session; without a text, list the pins',
  examples: [
    'klaus pin 01J "Never touch src/legacy."',
    'klaus show 01J --grep "error code"',
    'klaus pin 01J --message 42',
  ],
  description:
    'When the context window is full, older messages are replaced by a summary. A pinned text stays unchanged. All pinned texts together may take a tenth of the context window.',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .argument('[text...]', 'the text; - reads it from standard input')
      .option('--message <seq>', 'pin this record of the session: a message, or the result of a call', integer(1))
      .option('--json', 'one object per line'),
  async run(id: string, words: readonly string[], { message, json }: { message?: number; json?: true }) {
    if (words.length > 0 && message !== undefined)
      throw new UsageError('A text and --message exclude each other.', 'Give only one of them.');
    await using klaus = await openKlaus();
    const session = await klaus.session(id);
    if (words.length === 0 && message === undefined) await printPins(session, json === true);
    else {
      const given = message === undefined ? (await readText(words)).trim() : { seq: message };
      printPinResult(await session.pin(given, { by: 'cli' }), { session: session.id, verb: 'Pinned', json });
    }
  },
};

async function readText(words: readonly string[]): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ');
  const bytes = (await readStdin()) ?? new Uint8Array();
  if (isUtf8(bytes) && !bytes.includes(0)) return new TextDecoder().decode(bytes);
  throw new UsageError('Standard input is not text.', 'Only text can be pinned.');
}

async function printPins(session: Session, isJson: boolean): Promise<void> {
  const pins = await session.pins();
  if (isJson) for (const row of pins) out.json(row);
  else if (pins.length === 0)
    err.write(`Nothing is pinned in session ${session.id}. Pin a text with \`klaus pin ${session.id} "text"\`.\n`);
  else {
    const paint = createPaint(out, false);
    out.write(`${pins.map((row) => describe(row, (head) => paint('bold', head))).join('\n\n')}\n`);
  }
}

function describe({ id, text, source }: PinnedText, toHead: (text: string) => string): string {
  const from = source === undefined ? '' : `, from ${toPrintable(source)}`;
  return `${toHead(`${id}${from}`)}\n${toPrintable(text)}`;
}

export function printPinResult(
  { pin, applied }: PinResult,
  { session, verb, json }: { session: string; verb: 'Pinned' | 'Unpinned'; json: true | undefined },
): void {
  if (json) out.json({ session, pin, applied });
  else {
    const when = applied ? '' : ' The process that works on the session, or its next run, applies it.';
    out.write(`${verb}: ${pin}.${when}\n`);
  }
}
