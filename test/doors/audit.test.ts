// Covers apps/cli/commands, adapters/store/sqlite/log: klaus audit verify and show.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { HostEvent, Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { listSessions, MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { actAs, createTestHome, type TestHome } from '../fixtures/test-home.ts';

const ANSWER: Script = { steps: [], fallback: { text: 'All is well.' } };

async function hostEvents(place: TestHome): Promise<HostEvent[]> {
  const { stdout } = await runKlaus(['audit', 'show', '--host', '--json'], { place });
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as HostEvent);
}

function edit(place: TestHome, sql: string): void {
  const database = new DatabaseSync(join(place.home, 'klaus.db'));
  database.exec(sql);
  database.close();
}

test('verify names an edited record, and finds a removed session', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['how is it?'], { place, server });
  const [{ id } = { id: '' }] = await listSessions(place);
  const intact = await runKlaus(['audit', 'verify'], { place });
  expect(intact.code).toBe(0);
  expect(intact.stdout).toMatch(/^1 session, \d+ .*\n.*\d+:[0-9a-f]{64}\n$/);
  edit(place, `UPDATE events SET record = replace(record, 'how is it?', 'how was it') WHERE type = 'message.added'`);
  const altered = await runKlaus(['audit', 'verify', id], { place });
  expect(altered.code).toBe(1);
  expect(altered.stdout).toMatch(new RegExp(`^${id}: .*\\b\\d+\\b.*\\baltered\\b.*\n`));

  for (const table of ['events', 'heads', 'approvals', 'token_usage', 'tool_calls', 'messages']) {
    edit(place, `DELETE FROM ${table}`);
  }
  edit(place, 'DELETE FROM sessions');
  const gone = await runKlaus(['audit', 'verify', '--json'], { place });
  expect(gone.code).toBe(1);
  expect(JSON.parse(gone.stdout)).toMatchObject({
    intact: false,
    host: { intact: true },
    sessions: [{ session: id, report: { intact: false, seq: 1, problem: 'dropped' } }],
  });
});

test('deletions and exports are in the host chain, with their author', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['run', 'one'], { place, server });
  const [{ id } = { id: '' }] = await listSessions(place);
  expect(await runKlaus(['export', id, '--format', 'json'], { place })).toMatchObject({ code: 0 });
  await runKlaus(['db', 'clear-sessions', '--yes'], { place });
  const [exported, deleted] = (await hostEvents(place)).slice(-2);
  expect(exported).toMatchObject({ type: 'session.exported', session: id, format: 'json', by: 'cli' });
  expect(deleted).toMatchObject({ type: 'session.deleted', session: id, by: 'cli' });
  expect(await runKlaus(['audit', 'verify'], { place })).toMatchObject({ code: 0 });
});

test('an earlier head proves that no record before it was rewritten', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['run', 'one'], { place, server });
  const noted = /(\d+:[0-9a-f]{64})/.exec((await runKlaus(['audit', 'verify'], { place })).stdout)![1]!;
  expect(await runKlaus(['audit', 'verify', '--head', noted], { place })).toMatchObject({ code: 0 });
  const other = noted.replace(/.$/, (digit) => (digit === '0' ? '1' : '0'));
  expect(await runKlaus(['audit', 'verify', '--head', other], { place })).toMatchObject({ code: 1 });
  expect(await runKlaus(['audit', 'verify', '--head', 'nonsense'], { place })).toMatchObject({ code: 2 });
});

test('a recovery that left records out is reported until the head after it is noted', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['how is it?'], { place, server });
  edit(place, `UPDATE events SET record = replace(record, 'how is it?', 'how was it') WHERE type = 'message.added'`);
  expect(await runKlaus(['db', 'recover'], { place })).toMatchObject({ code: 0 });
  const after = await runKlaus(['audit', 'verify'], { place });
  expect(after.code).toBe(1);
  const [head] = /\d+:[0-9a-f]{64}/.exec(after.stdout)!;
  expect(await runKlaus(['audit', 'verify', '--head', head], { place })).toMatchObject({ code: 0 });
});

test('a command that this version does not know ends the commands of its session, not of others', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWER);
  await runKlaus(['run', 'one'], { place, server });
  const [{ id } = { id: '' }] = await listSessions(place);
  const row = `'${id}', '01KE00000000000000000FUTURE', '{"type":"future.command"}', ''`;
  edit(place, `INSERT INTO inbox (session_id, command_id, command, received_at) VALUES (${row})`);
  for (const words of [
    ['resume', id],
    ['run', '--session', id, 'more'],
    ['cancel', id],
  ]) {
    // It is refused before a request. A process that does not end ignores every other signal.
    const { status, stderr } = spawnSync(process.execPath, [MAIN, ...words], {
      ...{ cwd: place.workspace, env: toEnv({ place, server }), encoding: 'utf8', ...actAs(place) },
      ...{ timeout: 30_000, killSignal: 'SIGKILL' },
    });
    expect({ words, status }).toEqual({ words, status: 1 });
    expect(stderr).toContain('future.command');
  }
  expect(await runKlaus(['run', 'two'], { place, server })).toMatchObject({ code: 0 });
  edit(place, `DELETE FROM inbox WHERE command_id = '01KE00000000000000000FUTURE'`);
  expect(await runKlaus(['run', '--session', id, 'more'], { place, server })).toMatchObject({ code: 0 });
});

test('invalid times are refused', async () => {
  using place = createTestHome();
  expect(await runKlaus(['audit', 'show', '--since', 'yesterday-ish'], { place })).toMatchObject({ code: 2 });
  expect(await runKlaus(['audit', 'show', '--since', '7d'], { place })).toMatchObject({ code: 0, stdout: '' });
});
