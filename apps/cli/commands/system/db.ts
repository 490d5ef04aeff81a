import { EXIT } from '../../program/exit-codes.ts';
import { hasKeyboard, openKeyboard } from '../../prompt/keyboard.ts';
import { openKlaus } from '../../session/open-klaus.ts';
import { toLine } from '@klaus/sdk/printable';
import { formatBytes, formatCount, formatNumber, formatUsd } from '@klaus/sdk/transcript';
import { toTable } from '../../output/table.ts';
import { UsageError } from '../../program/report-error.ts';
import { err, out } from '../../output/sink.ts';

const DAY_MS = 86_400_000;

/** `klaus db stats`. */
export async function stats(options: { json?: true }): Promise<number> {
  await using klaus = await openKlaus();
  const found = await klaus.store.stats();
  if (options.json === true) {
    out.json(found, 2);
    return EXIT.done;
  }
  const { usage } = found;
  const rows = [
    ['file', found.file],
    ['database', formatBytes(found.bytes.database)],
    ['write-ahead log', formatBytes(found.bytes.writeAheadLog)],
    ['blobs', `${formatCount(found.blobs)}, ${formatBytes(found.bytes.blobs)}`],
    ...found.sessions.map(({ status, count }) => [`sessions ${status}`, formatCount(count)]),
    ...found.tables.map(({ name, rows: count }) => [`table ${name}`, formatCount(count)]),
    ['tokens in', formatCount(usage.inputTokens)],
    ['tokens from cache', formatCount(usage.cacheReadTokens)],
    ['tokens to cache', formatCount(usage.cacheWriteTokens)],
    ['tokens out', formatCount(usage.outputTokens)],
    ['known cost', formatUsd(usage.usd)],
  ];
  out.write(toTable(rows, 0));
  return EXIT.done;
}

/** `klaus db clear-sessions`: asks first, unless told not to. */
export async function clearSessions(options: { olderThan?: number; yes?: true }): Promise<number> {
  await using klaus = await openKlaus();
  const { olderThan } = options;
  const which =
    olderThan === undefined
      ? 'every session that is not pinned'
      : `every unpinned session without an event for ${formatNumber(olderThan, 'day')}`;
  if (options.yes !== true && !(await isSure(which))) {
    err.write('Nothing was deleted.\n');
    return EXIT.denied;
  }
  const report = await klaus.clearSessions({
    by: 'cli',
    ...(olderThan === undefined ? {} : { olderThan: Date.now() - olderThan * DAY_MS }),
  });
  out.write(
    `${formatNumber(report.cleared.length, 'session')} deleted, ${formatBytes(report.blobs.bytes)} of blobs freed\n`,
  );
  if (report.busy.length > 0) err.write(`Left, because a process works on them: ${report.busy.join(', ')}\n`);
  return EXIT.done;
}

async function isSure(which: string): Promise<boolean> {
  if (!hasKeyboard()) throw new UsageError(`This would delete ${which}.`, 'Add --yes if that is meant.');
  err.write(`Delete ${which}? [y/n] `);
  const keyboard = await openKeyboard();
  try {
    const key = await keyboard.key();
    err.write('\n');
    return key?.toLowerCase() === 'y';
  } finally {
    keyboard.close();
  }
}

/** `klaus db recover`. */
export async function recover(): Promise<number> {
  const { recoverDatabase } = await import('@klaus/sdk');
  const { sessions, events, commands, knowledge, deliveries, file, damaged } = await recoverDatabase();
  const lines = [
    `${formatNumber(sessions.length, 'session')} with ${formatNumber(events, 'event')} saved in ${file}`,
    ...sessions.flatMap(({ id, saved, lostFrom }) =>
      lostFrom === undefined ? [] : [`${id}: ${formatNumber(saved, 'event')} saved, lost from number ${lostFrom} on`],
    ),
    ...(knowledge === null ? ['What was remembered could not be read.'] : []),
    ...(commands === null ? ['Messages that no run had taken yet could not be read.'] : []),
    ...(deliveries === null ? ['What the webhook was not told yet could not be read.'] : []),
    ...damaged.map((path) => `kept as it was: ${path}`),
  ];
  out.write(`${lines.join('\n')}\n`);
  return EXIT.done;
}

/** `klaus db gc`: says what it would free; with --yes it does. */
export async function collectGarbage(options: { yes?: true; json?: true }): Promise<number> {
  await using klaus = await openKlaus();
  const dryRun = options.yes !== true;
  const summary = await klaus.collectGarbage({ dryRun });
  if (options.json === true) {
    out.json({ dryRun, ...summary }, 2);
    return EXIT.done;
  }
  const rows = summary.workspaces.map((row) => [
    formatBytes(row.freed),
    `of ${formatBytes(row.bytes)}`,
    row.isGone ? 'the folder is gone' : formatNumber(row.states, 'state'),
    row.checkpoints > 0 ? formatNumber(row.checkpoints, 'checkpoint') : '',
    toLine(row.workspace, 200),
  ]);
  if (summary.copies > 0) rows.push([formatBytes(summary.copies), '', 'working copies of isolated commands', '', '']);
  if (summary.processes > 0) rows.push([formatBytes(summary.processes), '', 'output of background processes', '', '']);
  if (summary.fetched > 0) rows.push([formatBytes(summary.fetched), '', 'downloads of klaus fetch', '', '']);
  if (rows.length === 0) {
    err.write('There is nothing to free.\n');
    return EXIT.done;
  }
  out.write(toTable(rows, 0));
  const days = formatNumber(klaus.configuration.get('undo.keepDays'), 'day');
  const rule = `Kept: what undo needs for sessions with an event in the last ${days} (undo.keepDays), open questions and the last hour.`;
  err.write(dryRun ? `This would be freed; --yes does it. ${rule}\n` : `Freed. ${rule}\n`);
  return EXIT.done;
}
