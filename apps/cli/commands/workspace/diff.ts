import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { createPaint, paintDiff } from '../../output/paint.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { findFittingSession, listChanges } from './undo.ts';
import { out } from '../../output/sink.ts';

/** `klaus diff [TURN]`: what a session, or a turn of it, changed in the workspace, whatever made the change. */
export async function diff(
  turn: number | undefined,
  options: { session?: string; json?: true; plain?: true; names?: true; raw?: true },
): Promise<number> {
  await using klaus = await openKlaus();
  const session = await findFittingSession(klaus, options.session, 'changes');
  const found = await session.turnChanges(turn ?? 'all');
  if (options.json) {
    out.json({ session: session.id, ...found }, 2);
    return EXIT.done;
  }
  if (options.names) {
    out.write(`${listChanges(found.changes)}\n`);
    return EXIT.done;
  }
  if (options.raw) {
    out.raw(found.diff);
    return EXIT.done;
  }
  const paint = createPaint(out, options.plain ?? false);
  out.write(found.diff === '' ? '' : `${paintDiff(toPrintable(found.diff).trimEnd(), paint)}\n`);
  return EXIT.done;
}
