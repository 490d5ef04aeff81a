import type { Fork, Restored } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { listChanges } from '../../output/change-list.ts';
import { err, out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { findFittingSession } from '../fitting-session.ts';
import { SESSION_HELP } from './chosen-session.ts';

export const command: LeafCommand = {
  name: 'fork',
  summary: 'start a session as a copy of another one, up to an event',
  examples: ['klaus fork', 'klaus fork 01J --at 42 --model opus'],
  description:
    'Starts a session as a copy of another one. The original is not changed. The fork has its own budget and works in the same folder, on the present files.',
  footer: 'klaus show ID --json prints the events with their seq.',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP))
      .option('--at <seq>', 'the last event that is copied (default: the last)', integer(1))
      .option('--model <name>', 'the model of the fork')
      .option('--title <text>', 'the title of the fork')
      .option('--restore', 'restore the workspace to the stored state that is nearest to that event')
      .option('--keep', 'with --restore: leave files unchanged that others have changed since')
      .option('--overwrite', 'with --restore: also restore files that others have changed since')
      .option('--json', 'one JSON document'),
  async run(id: string | undefined, options: Options & { at?: number; title?: string; restore?: true }) {
    const { at, model, title, keep, overwrite, json } = options;
    if (keep && overwrite) throw new UsageError('--keep and --overwrite exclude each other.');
    if ((keep || overwrite) && !options.restore) throw new UsageError('--keep and --overwrite require --restore.');
    await using klaus = await openKlaus();
    const forked = await klaus.fork(id ?? (await findFittingSession(klaus, id)).id, { by: 'cli', at, model, title });
    const conflicts = keep ? 'keep' : overwrite ? 'overwrite' : 'refuse';
    const restored = options.restore ? await restore(forked, conflicts) : undefined;
    const { session, ...rest } = forked;
    if (json) out.json({ session: session.id, ...rest, restored }, 2);
    else {
      const lines = [
        `Session ${session.id} is a fork of ${forked.from} at event ${forked.at}.`,
        ...forked.settled.map((line) => `  ${line}`),
        ...(restored ? describeRestored(restored, forked) : describeFiles(forked)),
      ];
      out.write(`${toPrintable(lines.join('\n'))}\n`);
      err.write(`Continue with klaus --session ${session.id} "what next"\n`);
    }
    return restored?.done === false ? EXIT.failed : EXIT.done;
  },
};

async function restore({ session, state, from }: Fork, conflicts: 'refuse' | 'keep' | 'overwrite'): Promise<Restored> {
  if (state) return session.restore({ kind: 'file', path: '', ...state, of: from }, { by: 'cli', conflicts });
  throw new UsageError(
    'No state of that event is stored: the session changed nothing, or undo was off.',
    `The fork ${session.id} exists and works on the present files.`,
  );
}

function describeFiles({ state }: Fork): string[] {
  return [
    'The files of the workspace are unchanged.',
    ...(state ? [`A state of that event is stored (${toMoment(state)}): \`klaus fork --restore\` restores it.`] : []),
  ];
}

function toMoment({ side, turn }: NonNullable<Fork['state']>): string {
  return `${side} turn ${turn}`;
}

function describeRestored(restored: Restored, { state }: Fork): string[] {
  if (!restored.done) {
    const { conflicts } = restored;
    return [
      `No file was changed: ${formatNumber(conflicts.length, 'path')} changed since, and not by the session:`,
      ...conflicts.map(({ path }) => `  ${path}`),
      'Fork again with --keep to leave them unchanged, or with --overwrite to restore them too.',
    ];
  }
  const { changes, kept } = restored;
  return [
    `The workspace is restored to its state ${state ? toMoment(state) : ''}: ${formatNumber(changes.length, 'path')}.`,
    ...(changes.length > 0 ? [listChanges(changes)] : []),
    ...(kept.length > 0 ? [`Left unchanged: ${kept.map(({ path }) => path).join(', ')}`] : []),
  ];
}
