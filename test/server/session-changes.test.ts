// Covers core/agent/workspace, sdk/sessions, apps/server/handlers: the changes of a session are its own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseDiff } from '@klaus/sdk/conversation';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { follow, startTestServer, untilReleased, type TestServer } from '../fixtures/server.ts';

const LINES = ['one', ...Array.from({ length: 18 }, (_, at) => `line ${at}`), 'twenty', ''].join('\n');

const edit = (old: string, text: string) => ({
  calls: [{ name: 'edit_file', input: { path: 'list.txt', edits: [{ old, new: text }] } }],
});
const SCRIPT: Script = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { user: 'shout one', turn: 0 }, reply: edit('one', 'ONE') },
    { when: { user: 'another session', turn: 0 }, reply: edit('line 9', 'line nine') },
    { when: { user: 'shout twenty', turn: 2 }, reply: edit('twenty', 'TWENTY') },
  ],
  fallback: { text: 'Done.' },
};

async function prompt({ client, klaus }: TestServer, text: string, known?: string): Promise<string> {
  const session = known ?? (await client.openSession({ body: { text, mode: 'edits' } })).session;
  const after = known === undefined ? 0 : (await klaus.store.session(known))!.lastSeq;
  const followed = follow(client, session, after);
  if (known !== undefined) await client.sendPrompt({ params: { id: known }, body: { text } });
  await followed.until('run.finished');
  await followed.stop();
  await untilReleased(client, session);
  return session;
}

test('the changes of a session are without those that another session or the user made between its turns', async () => {
  await using it = await startTestServer({ script: SCRIPT, files: { 'list.txt': LINES } });
  const { client, place, klaus } = it;
  const path = join(place.workspace, 'list.txt');
  const changed = async (id: string) => {
    const { changes, diff } = await client.changes({ params: { id }, query: {} });
    // The door of the command line shows the same.
    expect((await runKlaus(['diff', '--raw', '--session', id], { place })).stdout).toBe(diff);
    const lines = parseDiff(diff).flatMap((hunk) => hunk.lines.filter((line) => !line.startsWith(' ')));
    return { paths: changes.map((change) => change.path), lines };
  };
  const mine = await prompt(it, 'shout one');
  const first = { paths: ['list.txt'], lines: ['-one', '+ONE'] };
  expect(await changed(mine)).toEqual(first);

  // Another session changes the same file, and the user a line of it.
  const other = await prompt(it, 'another session');
  writeFileSync(path, readFileSync(path, 'utf8').replace('line 2\n', 'line two\n'));
  expect(await changed(other)).toEqual({ paths: ['list.txt'], lines: ['-line 9', '+line nine'] });
  expect(await changed(mine)).toEqual(first);

  // The session continues from the file as it is now.
  await prompt(it, 'shout twenty', mine);
  expect(readFileSync(path, 'utf8')).toContain('line two\n');
  const both = { paths: ['list.txt'], lines: ['-one', '+ONE', '-twenty', '+TWENTY'] };
  expect(await changed(mine)).toEqual(both);

  // An undo of one of them leaves the others.
  await klaus.handle(mine).restore({ kind: 'undo' }, { by: 'test' });
  expect(await changed(mine)).toEqual(first);
});

test('what the user reverted and the session did again counts once', async () => {
  await using it = await startTestServer({ script: SCRIPT, files: { 'list.txt': LINES } });
  const { client, place } = it;
  const mine = await prompt(it, 'shout one');
  writeFileSync(join(place.workspace, 'list.txt'), LINES);
  await prompt(it, 'shout twenty', mine);
  const { diff } = await client.changes({ params: { id: mine }, query: {} });
  const lines = parseDiff(diff).flatMap((hunk) => hunk.lines.filter((line) => !line.startsWith(' ')));
  expect(lines).toEqual(['-twenty', '+TWENTY']);
});
