// Covers core/agent/workspace/known-changes.ts, adapters/workspace/snapshots/room.ts: large files without room in snapshots.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createTestEngine, ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const MIB = 1_024 * 1_024;

/** A session whose only command changes files beside a large one. */
async function live({ maxBytes, command }: { maxBytes: number; command: string }) {
  const script = {
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command } }] } },
      { when: { turn: 1 }, reply: { text: 'Done.' } },
    ],
  };
  const settings = { 'undo.maxBytes': maxBytes, 'sandbox.driver': 'bubblewrap' };
  const engine = await createTestEngine({ script, files: { 'a.txt': 'a\n' }, settings });
  const large = join(engine.place.workspace, 'large.bin');
  const content = randomBytes(17 * MIB);
  writeFileSync(large, content);
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')[0]?.outcome).toBe('ok');
  return { engine, session, large, content };
}

test('a large file that grew beyond the limit is no deletion in a diff, and an undo asks about it', async () => {
  const command = 'cat large.bin a.txt > more && mv more large.bin && echo b >> a.txt';
  const { engine, session, large } = await live({ maxBytes: 18 * MIB, command });
  await using _ = engine;
  const { changes } = await session.turnChanges('all');
  expect(changes.map(({ path, kind }) => [path, kind])).toEqual([['a.txt', 'modified']]);
  const kept = await session.restore({ kind: 'undo', turn: 1 }, { by: 'test', conflicts: 'keep' });
  expect(kept).toMatchObject({ done: true, uncovered: ['large.bin'] });
  expect(readFileSync(join(engine.place.workspace, 'a.txt'), 'utf8')).toBe('a\n');
  expect(statSync(large).size).toBe(17 * MIB + 2);
});

test('a file that had no room before and has some later is not deleted by an undo', async () => {
  const command = 'head -c 1000 large.bin > less && mv less large.bin && echo b >> a.txt';
  const { engine, session, large, content } = await live({ maxBytes: 1 * MIB, command });
  await using _ = engine;
  const { changes } = await session.turnChanges('all');
  expect(changes.map(({ path, kind }) => [path, kind])).toEqual([['a.txt', 'modified']]);
  const undone = await session.restore({ kind: 'undo', turn: 1 }, { by: 'test' });
  expect(undone).toMatchObject({ done: true });
  expect(readFileSync(join(engine.place.workspace, 'a.txt'), 'utf8')).toBe('a\n');
  expect(existsSync(large) && readFileSync(large).equals(content.subarray(0, 1_000))).toBe(true);
});
