import type { Replayed } from '@klaus/sdk';
import { EXIT } from '../../program/exit-codes.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toPrintable } from '@klaus/sdk/printable';
import { formatNumber } from '@klaus/sdk/transcript';
import { err, out } from '../../output/sink.ts';

/** Characters of one side of a difference. */
const MAX_SIDE = 2_000;

/** `klaus replay ID`: exit 0 when the loop makes the same requests and events again, else 1 with the first difference. */
export async function replay(id: string, options: { json?: true }): Promise<number> {
  await using klaus = await openKlaus();
  const session = await klaus.session(id);
  const replayed = await session.replay();
  const code = replayed.outcome === 'equal' ? EXIT.done : EXIT.failed;
  if (options.json === true) {
    out.json({ session: session.id, ...replayed }, 2);
    return code;
  }
  const text = toText(session.id, replayed);
  (code === EXIT.done ? out : err).write(`${toPrintable(text)}\n`);
  return code;
}

function toText(id: string, replayed: Replayed): string {
  const { requests, events, skipped, inherited } = replayed;
  const counted = `${formatNumber(requests, 'request')} and ${formatNumber(events, 'event')}`;
  const facts = [
    ...(skipped > 0 ? [`${formatNumber(skipped, 'event')} from outside the loop taken from the log.`] : []),
    ...(inherited > 0 ? [`The first ${inherited} events came with the fork: replay its original for those.`] : []),
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
          ? 'The request to the model is another one: tools or their descriptions may have changed since the log was made'
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
        `Not to be replayed from event ${replayed.seq} on: ${replayed.reason}.`,
        `Until there: ${counted}.`,
        ...facts,
      ].join('\n');
  }
}

function toSide(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return text.length <= MAX_SIDE ? text : `${text.slice(0, MAX_SIDE)}… (${text.length} characters)`;
}
