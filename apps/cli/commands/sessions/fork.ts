import { optional } from '@klaus/sdk/optional';
import type { Fork, Restored } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { UsageError } from '../../program/report-error.ts';
import { listChanges } from '../workspace/undo.ts';
import { err, out } from '../../output/sink.ts';

export interface ForkCommandOptions {
  at?: number;
  model?: string;
  title?: string;
  restore?: true;
  keep?: true;
  overwrite?: true;
  json?: true;
}

/** `klaus fork ID`: a session that begins as a copy; with --restore also the files of that moment (exit 1 on conflicts). */
export async function fork(id: string, options: ForkCommandOptions): Promise<number> {
  const { at, model, title, restore, keep, overwrite } = options;
  if (keep && overwrite) throw new UsageError('--keep and --overwrite exclude each other.');
  if ((keep || overwrite) && !restore) throw new UsageError('--keep and --overwrite belong to --restore.');
  await using klaus = await openKlaus();
  const forked = await klaus.fork(id, {
    by: 'cli',
    ...optional({ at, model, title }),
  });
  const restored = restore ? await putBack(forked, keep ? 'keep' : overwrite ? 'overwrite' : 'refuse') : undefined;
  const { session, ...rest } = forked;
  const code = restored?.done === false ? EXIT.failed : EXIT.done;
  if (options.json === true) {
    out.json({ session: session.id, ...rest, ...(restored ? { restored } : {}) }, 2);
    return code;
  }
  const say = (text: string): void => out.write(`${toPrintable(text)}\n`);
  say(`Session ${session.id} is a fork of ${forked.from} at event ${forked.at}.`);
  for (const line of forked.settled) say(`  ${line}`);
  if (restored) sayRestored(restored, forked, say);
  else {
    say('The files of the workspace are those of now.');
    if (forked.state)
      say(`A state of that moment is kept (${toMoment(forked)}): klaus fork with --restore puts it back.`);
  }
  err.write(`Go on with klaus --session ${session.id} "what next"\n`);
  return code;
}

async function putBack({ session, state, from }: Fork, conflicts: 'refuse' | 'keep' | 'overwrite'): Promise<Restored> {
  if (!state)
    throw new UsageError(
      'No state of that moment is kept: the session changed nothing, or undo was off.',
      `The fork ${session.id} is there; its files are those of now.`,
    );
  return session.restore({ kind: 'file', path: '', ...state, of: from }, { by: 'cli', conflicts });
}

function toMoment({ state }: Fork): string {
  return state ? `${state.side} turn ${state.turn}` : 'none';
}

function sayRestored(restored: Restored, fork: Fork, say: (text: string) => void): void {
  if (restored.done) {
    say(`The workspace stands as it was ${toMoment(fork)}: ${formatNumber(restored.changes.length, 'path')} put back.`);
    if (restored.changes.length > 0) say(listChanges(restored.changes));
    if (restored.kept.length > 0) say(`Left as they are: ${restored.kept.map(({ path }) => path).join(', ')}`);
    return;
  }
  say(
    `No file was touched: ${formatNumber(restored.conflicts.length, 'path')} changed meanwhile, and not by the session:\n` +
      `${restored.conflicts.map(({ path }) => `  ${path}`).join('\n')}\n` +
      'Fork again with --keep to leave these as they are, or with --overwrite to put them back too.',
  );
}
