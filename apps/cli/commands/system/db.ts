import { toLine } from '@klaus/sdk/printable';
import { formatBytes, formatCount, formatNumber, formatUsd } from '@klaus/sdk/transcript';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { type CommandGroup, IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { integer, toAmount } from '../../program/option-values.ts';
import { confirm } from '../../prompt/keyboard.ts';
import { verify } from '../policy/audit.ts';
import { copy } from './db-copy.ts';

const DAY_MS = 86_400_000;
/** Characters of one value in a table. */
const MAX_VALUE = 200;

const stats: LeafCommand = {
  name: 'stats',
  summary: 'print the sizes and counts of the database',
  examples: ['klaus db stats'],
  server: 'none',
  declare: (declared) => declared.option('--json', 'one JSON document'),
  async run({ json }: { json?: true }) {
    await using klaus = await openKlaus();
    const found = await klaus.store.stats();
    if (json) return out.json(found, 2);
    const { bytes, usage } = found;
    const rows = [
      ['file', found.file],
      ['database', formatBytes(bytes.database)],
      ['write-ahead log', formatBytes(bytes.writeAheadLog)],
      ['blobs', `${formatCount(found.blobs)}, ${formatBytes(bytes.blobs)}`],
      ...found.sessions.map(({ status, count }) => [`sessions ${status}`, formatCount(count)]),
      ...found.tables.map(({ name, rows: count }) => [`table ${name}`, formatCount(count)]),
      ['tokens in', formatCount(usage.inputTokens)],
      ['tokens from cache', formatCount(usage.cacheReadTokens)],
      ['tokens to cache', formatCount(usage.cacheWriteTokens)],
      ['tokens out', formatCount(usage.outputTokens)],
      ['known cost', formatUsd(usage.usd)],
    ];
    out.write(toTable(rows, 0));
  },
};

const query: LeafCommand = {
  name: 'query',
  summary: 'run one SQL statement that reads',
  examples: ['klaus db query "SELECT count(*) FROM events"'],
  footer: 'The tables: docs/database.md',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<sql>', 'the statement, such as "SELECT id, title FROM sessions"')
      .option('--json', 'one object per line')
      .option('--klaude', 'the tables have the names and columns of klaude, as in klaus db export')
      .option('--limit <count>', 'maximum number of rows', integer(1), 1_000),
  async run(sql: string, { json, limit, klaude }: { json?: true; limit: number; klaude?: true }) {
    const { queryDatabase } = await import('@klaus/sdk');
    const { rows, more } = await queryDatabase(sql, { limit, klaude: klaude === true });
    const [first] = rows;
    if (json) for (const row of rows) out.json(toJsonValues(row));
    else if (first === undefined) err.write('No rows.\n');
    else {
      const names = Object.keys(first);
      out.write(toTable([names, ...rows.map((row) => names.map((name) => toCell(row[name])))]));
    }
    if (more) err.write(`Only the first ${limit} rows are printed; \`--limit\` raises the number.\n`);
  },
};

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = value instanceof Uint8Array ? `${value.length} bytes` : String(value as string | number | bigint);
  return toLine(text, MAX_VALUE);
}

/** JSON has no large integers and no bytes. */
function toJsonValues(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const toJson = (value: unknown) => {
    if (typeof value === 'bigint') return Number(value);
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, toJson(value)]));
}

const exportDatabase: LeafCommand = {
  name: 'export',
  summary: 'write all sessions as a database of another program',
  examples: ['klaus db export --klaude sessions.db'],
  footer:
    'Its tables are projects, instances, sessions, claude_session_links, runtime_process and events. The file can only be read.',
  server: 'none',
  declare: (declared) =>
    declared
      .requiredOption('--klaude <file>', 'new SQLite file with the tables of klaude')
      .option('--json', 'one JSON document with the rows by table'),
  async run({ klaude, json }: { klaude: string; json?: true }) {
    const { exportKlaude } = await import('@klaus/sdk');
    const rows = await exportKlaude(klaude);
    if (json) out.json({ file: klaude, rows });
    else out.write(toTable(Object.entries(rows).map(([name, count]) => [name, formatCount(count)])));
  },
};

const clearSessions: LeafCommand = {
  name: 'clear-sessions',
  summary: 'delete sessions with their data',
  examples: ['klaus db clear-sessions --older-than 90'],
  server: 'none',
  declare: (declared) =>
    declared
      .option('--older-than <days>', 'only those without an event since then', toAmount)
      .option('--yes', 'do not ask'),
  async run({ olderThan, yes }: { olderThan?: number; yes?: true }) {
    await using klaus = await openKlaus();
    const which =
      olderThan === undefined
        ? 'every session that is not pinned'
        : `every unpinned session without an event for ${formatNumber(olderThan, 'day')}`;
    if (!yes && !(await confirm(`Delete ${which}?`, `This would delete ${which}.`))) {
      err.write('Nothing was deleted.\n');
      return EXIT.denied;
    }
    const { cleared, blobs, busy } = await klaus.clearSessions({
      by: 'cli',
      ...(olderThan === undefined ? {} : { olderThan: Date.now() - olderThan * DAY_MS }),
    });
    out.write(`${formatNumber(cleared.length, 'session')} deleted, ${formatBytes(blobs.bytes)} of blobs freed\n`);
    if (busy.length > 0) err.write(`Not deleted, because a process works on them: ${busy.join(', ')}\n`);
    return EXIT.done;
  },
};

const verifyAlias: LeafCommand = {
  ...verify,
  summary: 'the same as klaus audit verify',
  examples: ['klaus db verify'],
  server: 'none',
  declare: (declared) => declared.addArgument(new IdArgument('[id]', 'sessions')),
};

const collectGarbage: LeafCommand = {
  name: 'gc',
  summary: 'list data that undo no longer needs and, with --yes, free it',
  examples: ['klaus db gc', 'klaus db gc --yes'],
  server: 'none',
  declare: (declared) => declared.option('--yes', 'free it').option('--json', 'one JSON document'),
  async run({ yes, json }: { yes?: true; json?: true }) {
    await using klaus = await openKlaus();
    const dryRun = yes !== true;
    const summary = await klaus.collectGarbage({ dryRun });
    if (json) return out.json({ dryRun, ...summary }, 2);
    const rows = [
      ...summary.workspaces.map((row) => [
        formatBytes(row.freed),
        `of ${formatBytes(row.bytes)}`,
        row.isGone ? 'the folder is gone' : formatNumber(row.states, 'state'),
        row.checkpoints > 0 ? formatNumber(row.checkpoints, 'checkpoint') : '',
        toLine(row.workspace, 200),
      ]),
      ...toRow(summary.copies, 'working copies of isolated commands'),
      ...toRow(summary.processes, 'output of background processes'),
      ...toRow(summary.fetched, 'downloads of klaus fetch'),
    ];
    if (rows.length === 0) return err.write('There is nothing to free.\n');
    out.write(toTable(rows, 0));
    const days = formatNumber(klaus.configuration.get('undo.keepDays'), 'day');
    const rule = `Not freed: data that undo needs for sessions with an event in the last ${days} (undo.keepDays), open approvals and the last hour.`;
    err.write(`${dryRun ? 'This would be freed with `--yes`.' : 'Freed.'} ${rule}\n`);
  },
};

function toRow(bytes: number, what: string): string[][] {
  return bytes > 0 ? [[formatBytes(bytes), '', what, '', '']] : [];
}

const recover: LeafCommand = {
  name: 'recover',
  summary: 'save the readable data of a damaged database; the damaged files are not deleted',
  examples: ['klaus db recover'],
  server: 'none',
  async run() {
    const { recoverDatabase } = await import('@klaus/sdk');
    const { sessions, events, commands, lostCommands, knowledge, deliveries, file, damaged } = await recoverDatabase();
    const lines = [
      `${formatNumber(sessions.length, 'session')} with ${formatNumber(events, 'event')} saved in ${file}`,
      ...sessions.flatMap(({ id, saved, lostFrom }) =>
        lostFrom === undefined
          ? []
          : [`${id}: ${formatNumber(saved, 'event')} saved, lost or altered from number ${lostFrom} on`],
      ),
      ...(knowledge === null ? ['The notes of the memory could not be read.'] : []),
      ...(commands === null ? ['Messages that no run had read yet could not be read.'] : []),
      ...(lostCommands ? [`${formatNumber(lostCommands, 'message')} that no run had read yet could not be read.`] : []),
      ...(deliveries === null ? ['Notifications that the webhook had not received yet could not be read.'] : []),
      ...damaged.map((path) => `the damaged file is now ${path}`),
    ];
    out.write(`${lines.join('\n')}\n`);
  },
};

export const command: CommandGroup = {
  name: 'db',
  summary: 'manage the database',
  examples: ['klaus db stats', 'klaus db gc'],
  commands: [stats, query, exportDatabase, copy, clearSessions, verifyAlias, collectGarbage, recover],
};
