import type { ClientAttention, ClientAttentionItem, SessionClient } from '@klaus/sdk/client';
import { toLine } from '@klaus/sdk/printable';
import { openClient } from '../../client/open-client.ts';
import { KIND_NAMES, toAttentionCommands, toWaited } from '../../output/attention-lines.ts';
import { toShortPath } from '../../output/short-path.ts';
import { err, out } from '../../output/sink.ts';
import { printRows } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { integer } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'attention',
  summary: 'list what needs you, over all folders',
  examples: ['klaus attention --json | jq -r .session'],
  description:
    'Lists what needs you over all folders, the oldest first: open approvals, runs that failed or were interrupted, and finished runs that you have not seen. `klaus next` opens the oldest.',
  server: 'both',
  declare: (declared) =>
    declared
      .option('--json', 'one object per line')
      .option('--limit <count>', 'maximum number of lines', integer(1, 1_000), 200)
      .option('--seen <session>', 'mark a session as seen; `all` marks every failed or finished run'),
  async run({ json, limit, seen, ...options }: Options & { limit: number; seen?: string }) {
    await using client = await openClient(options);
    if (seen !== undefined) return await markSeen(client, seen);
    const list = await client.attention({ limit });
    const now = Date.now();
    printRows(
      json ? list.items.map((item) => ({ ...item, commands: toAttentionCommands(item, client.at) })) : list.items,
      {
        json,
        head: ['KIND', 'SINCE', 'SESSION', 'AGENT', 'FOLDER', 'WHAT'],
        toRow: (item) => toRow(item, now),
        empty: list.alerts.length === 0 ? 'Nothing needs you.' : 'No session needs you.',
      },
    );
    if (!json) for (const alert of list.alerts) err.write(toAlertLine(alert));
    if (!json && list.items.length > 0) err.write(toSummary(list, client.at));
  },
};

function toRow({ kind, since, session, agent, workspace, line, title }: ClientAttentionItem, now: number): string[] {
  const what = line === '' ? (title ?? '') : line;
  return [KIND_NAMES[kind], toWaited(since, now), session, agent, toShortPath(workspace), what];
}

function toSummary({ items, counts: { answer, failed, done } }: ClientAttention, at: string): string {
  const all = answer + failed + done;
  const more = all > items.length ? `${all - items.length} more are not listed. ` : '';
  return `${more}\`klaus next${at}\` opens the oldest; \`klaus attention --seen all${at}\` clears failed and finished runs.\n`;
}

function toAlertLine({ kind, of, reason }: ClientAttention['alerts'][number]): string {
  const what =
    kind === 'guard-off' ? 'The guard of Claude Code is off' : 'A session of Claude Code ran without the guard';
  return `${what}: ${toLine(reason, 500)}. \`klaus guard doctor\` checks it, \`klaus guard dismiss ${toLine(of, 500)}\` clears this.\n`;
}

async function markSeen(client: SessionClient, seen: string): Promise<void> {
  let count = 0;
  if (seen === 'all') {
    // A list is limited, so it is read again until nothing of it is left to mark.
    for (let marked = -1; marked !== 0;) {
      const { items } = await client.attention({ limit: 1_000 });
      const ends = items.flatMap(({ session, seq }) => (seq === null ? [] : [{ session, seq }]));
      for (const { session, seq } of ends) await client.markSeen(session, seq);
      marked = ends.length;
      count += marked;
    }
  } else {
    const { id, lastSeq } = await client.session(seen);
    await client.markSeen(id, lastSeq);
    count = 1;
  }
  out.write(`Marked as seen: ${count}.\n`);
}
