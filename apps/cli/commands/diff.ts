import { EXIT } from '../exit-codes.ts';
import { openKlaus } from '../open-klaus.ts';
import { createPaint, paintDiff } from '../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { findSession, listChanges } from './undo.ts';

/** `klaus diff [TURN]`: what a turn changed in the workspace, whatever made the change. */
export async function diff(
  turn: number | undefined,
  options: { session?: string; json?: true; plain?: true; names?: true },
): Promise<number> {
  await using klaus = await openKlaus();
  const session = findSession(klaus, options.session);
  const found = await session.turnChanges(turn);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ session: session.id, ...found }, undefined, 2)}\n`);
    return EXIT.done;
  }
  if (options.names) {
    process.stdout.write(`${listChanges(found.changes)}\n`);
    return EXIT.done;
  }
  const paint = createPaint(process.stdout, options.plain ?? false);
  process.stdout.write(found.diff === '' ? '' : `${paintDiff(toPrintable(found.diff).trimEnd(), paint)}\n`);
  return EXIT.done;
}
