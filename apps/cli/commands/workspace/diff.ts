import { InvalidArgumentError } from 'commander';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { listChanges } from '../../output/change-list.ts';
import { createPaint, paintDiff } from '../../output/paint.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { RAW_OPTION } from '../../program/run-options.ts';
import { findFittingSession, findOther } from '../fitting-session.ts';

function toTurn(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be the number of a turn. `--session ID` names a session.');
}

const MAX_LISTED = 20;

/** Names what others changed during these turns, or may have changed. */
function describeOthers(others: readonly { path: string; by: string }[]): string {
  const list = (isUnclear: boolean, text: string): string => {
    const paths = [...new Set(others.filter(({ by }) => (by === 'unclear') === isUnclear).map(({ path }) => path))];
    if (paths.length === 0) return '';
    const more = paths.length > MAX_LISTED ? ` and ${paths.length - MAX_LISTED} more` : '';
    return `${text}: ${toPrintable(paths.slice(0, MAX_LISTED).join(', '))}${more}\n`;
  };
  return (
    list(false, 'Not shown, because others changed them during these turns') +
    list(true, 'Not shown, because it is unclear who changed them')
  );
}

export const command: LeafCommand = {
  name: 'diff',
  summary: 'show the changes of a session in the workspace',
  examples: ['klaus diff', 'klaus diff 3 --session 01J'],
  server: 'local',
  declare: (declared) =>
    declared
      .argument('[turn]', 'only this turn', toTurn)
      .option('--session <id>', 'the session (default: the latest of this folder)')
      .option('--names', 'only the names of the changed files')
      .option('--plain', 'no colours')
      .option('--raw', RAW_OPTION)
      .option('--json', 'one JSON document'),
  async run(turn: number | undefined, options: Options & { names?: true }) {
    await using klaus = await openKlaus();
    const session = await findFittingSession(klaus, options.session, turn === undefined ? 'changes' : 'turns');
    const found = await session.turnChanges(turn ?? 'all');
    if (found.changes.length === 0 && options.session === undefined) {
      const command = (id: string) => `klaus diff --session ${id}`;
      const other = await findOther(klaus, { not: session, with: 'changes', command });
      err.write(`This session changed nothing.\n${other ? `${other.text}\n` : ''}`);
    }
    if (found.others.length > 0 && !options.json) err.write(describeOthers(found.others));
    if (options.json) out.json({ session: session.id, ...found }, 2);
    else if (options.names) out.write(`${listChanges(found.changes)}\n`);
    else if (options.raw) out.raw(found.diff);
    else if (found.diff !== '') {
      const paint = createPaint(out, options.plain ?? false);
      out.write(`${paintDiff(toPrintable(found.diff).trimEnd(), paint)}\n`);
    }
  },
};
