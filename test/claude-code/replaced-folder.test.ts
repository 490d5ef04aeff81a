// Covers sdk/grants/explain.ts, sdk/engine/create-engine.ts: calls in a folder that was deleted and created again.
import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestEngine } from '../fixtures/engine.ts';

test('a folder that was deleted and cloned again is judged as it is now', async () => {
  await using engine = await createTestEngine({ script: { steps: [] } });
  const { klaus, place } = engine;
  const root = join(place.workspace, 'project');
  const make = (): void => {
    mkdirSync(root);
    execFileSync('git', ['init', '-q', root]);
    writeFileSync(join(root, 'a.txt'), 'one\n');
  };
  const judge = async () => {
    const calls = [
      { name: 'run_command', input: { command: 'ls' } },
      { name: 'run_command', input: { command: 'rm a.txt' } },
      { name: 'write_file', input: { path: 'b.txt', content: 'x\n' } },
      { name: 'read_file', input: { path: 'a.txt' } },
    ];
    const found = [];
    for (const call of calls) {
      const explained = await klaus.explain(call, { workspace: root });
      found.push(explained);
    }
    const files = await klaus.files(root);
    return { found: JSON.stringify(found).replaceAll(/"at":\d+/g, ''), text: await files.redact('x') };
  };
  make();
  const before = await judge();
  // Its place on the disk stays in use, so that the new one is another.
  renameSync(root, join(place.workspace, 'old'));
  make();
  expect(await judge()).toEqual(before);
  rmSync(join(place.workspace, 'old'), { recursive: true });
});
