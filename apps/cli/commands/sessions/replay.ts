import { headOf } from '@klaus/sdk/cut-text';
import type { Replayed } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { findFittingSession } from '../fitting-session.ts';
import { SESSION_HELP } from './chosen-session.ts';

/** Characters of one side of a difference. */
const MAX_SIDE = 2_000;

export const command: LeafCommand = {
  name: 'replay',
  summary: 'replay a session offline, and report where it first differs from its log',
  examples: ['klaus replay', 'klaus replay 01J'],
  description:
    'Runs the loop on the recorded answers of models, tools and users, without effects, and compares every request and every event. Exit code 0: equal; 1: different, or it cannot be replayed.',
  server: 'local',
  declare: (declared) =>
    declared.addArgument(new IdArgument('[id]', 'sessions', SESSION_HELP)).option('--json', 'one JSON document'),
  async run(given: string | undefined, { json }: { json?: true }) {
    await using klaus = await openKlaus();
    const session = await findFittingSession(klaus, given, 'turns');
    const replayed = await session.replay();
    const isEqual = replayed.outcome === 'equal';
    if (json) out.json({ session: session.id, ...replayed }, 2);
    else (isEqual ? out : err).write(`${toPrintable(toText(session.id, replayed))}\n`);
    return isEqual ? EXIT.done : EXIT.failed;
  },
};

function toText(id: string, replayed: Replayed): string {
  const { requests, events, skipped, inherited } = replayed;
  const counted = `${formatNumber(requests, 'request')} and ${formatNumber(events, 'event')}`;
  const facts = [
    ...(skipped > 0 ? [`${formatNumber(skipped, 'event')} from outside the loop taken from the log.`] : []),
    ...(inherited > 0
      ? [`The first ${inherited} events belong to the original of the fork: replay it for those.`]
      : []),
  ];
  switch (replayed.outcome) {
    case 'equal': {
      const end = replayed.isCutOff ? ' The log ends in the middle of a run.' : '';
      return [`Equal: ${counted} of session ${id}.${end}`, ...facts].join('\n');
    }
    case 'different': {
      const { seq, type, turn, field, kind, recorded, replayed: now } = replayed.difference;
      const where = `event ${seq} (${type}${turn === undefined ? '' : `, turn ${turn}`})`;
      const what =
        kind === 'request'
          ? 'The request to the model differs. Tools or their descriptions may have changed since the log was written'
          : `They differ in ${field === '' ? 'everything' : field}`;
      return [
        `Different at ${where}, after ${counted} that were equal. ${what}.`,
        `  recorded: ${toSide(recorded)}`,
        `  replayed: ${toSide(now)}`,
        ...facts,
      ].join('\n');
    }
    case 'unplayable':
      return [
        `Cannot be replayed from event ${replayed.seq} on: ${replayed.reason}.`,
        `Before that: ${counted}.`,
        ...facts,
      ].join('\n');
  }
}

function toSide(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length <= MAX_SIDE ? text : `${headOf(text, MAX_SIDE)}… (${text.length} characters)`;
}
