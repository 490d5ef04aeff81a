// Covers apps/cli/output, sdk/engine: progress of a slow checkpoint in the terminal.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { MAIN, listSessions, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { hasScript, runInTerminal } from '../fixtures/pseudo-terminal.ts';

const SCRIPT: Script = {
  steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } }],
  fallback: { text: 'Done.' },
};

/** With the seconds that the checkpoint has taken. */
const PROGRESS = /\bcheckpoint\b\D*\b\d+ s\b/;

/** A git that works for checkpoints only when the file `go` exists. */
function makeSlowGit(place: TestHome): { path: string; go: string } {
  const folder = join(place.home, '..', 'slow');
  const go = join(folder, 'go');
  mkdirSync(folder);
  // Bounded, so that a checkpoint that reports nothing fails the test.
  const wait = `n=0\nif [ -n "\${KLAUS_REF:-}" ]; then until [ -e '${go}' ] || [ $n = 40 ]; do n=$((n+1)); sleep 0.05; done; fi`;
  const next = process.env['PATH'] ?? '';
  writeFileSync(join(folder, 'git'), `#!/bin/sh\n${wait}\nexport PATH='${next}'\nexec git "$@"\n`);
  chmodSync(join(folder, 'git'), 0o755);
  return { path: `${folder}:${next}`, go };
}

test.skipIf(!hasScript)('the bottom line of the terminal shows it', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  const { path, go } = makeSlowGit(place);
  const env = toEnv({ place, server, env: { PATH: path } });
  const text = await runInTerminal([process.execPath, MAIN, '--approve', 'edits', 'write it'], {
    env,
    cwd: place.workspace,
    onText: (all) => PROGRESS.test(all) && writeFileSync(go, ''),
  });
  expect(text).toMatch(PROGRESS);
  expect(await listSessions(place)).toMatchObject([{ outcome: 'done' }]);
});
