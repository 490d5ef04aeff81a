// Covers adapters/sandboxes/home: downloads of klaus fetch are deleted with their workspace.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveDownloads } from '@klaus/adapters/sandboxes';
import { expect } from 'vitest';
import { createTestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

test('db gc reports and removes the downloads of a missing workspace', async () => {
  const command = 'mkdir -p ~/.cargo/registry/cache/index && printf 0123456789 > ~/.cargo/registry/cache/index/a.crate';
  await using engine = await createTestEngine({
    script: {
      steps: [{ reply: { calls: [{ name: 'run_command', input: { command: 'sh fill.sh' } }] } }],
      fallback: { text: 'Done.' },
    },
    settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto' },
  });
  const workspace = join(engine.place.workspace, 'project');
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'fill.sh'), command);
  const session = await engine.klaus.open({ workspace });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  expect(saveDownloads(engine.place.home, { workspace, session: session.id })).toBe(1);
  const free = (dryRun: boolean) => engine.klaus.collectGarbage({ dryRun });
  expect(await free(false)).toMatchObject({ fetched: 0 });
  rmSync(workspace, { recursive: true });
  expect(await free(true)).toMatchObject({ fetched: 10 });
  expect(await free(false)).toMatchObject({ fetched: 10 });
  expect(await free(false)).toMatchObject({ fetched: 0 });
});
