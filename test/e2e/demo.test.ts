// Covers apps/cli/demo: klaus demo.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';

test.skipIf(!hasBubblewrap)('klaus demo fixes the project in the sandbox (needs bubblewrap)', async () => {
  using place = createTestHome();
  const { code, stdout, stderr } = await runKlaus(['demo'], { place, env: { KLAUS_SANDBOX: '' } });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr.split('\n')[0]).toMatch(/klaus demo --live$/);
  expect(stderr).toContain('sandbox bubblewrap');
  expect(stderr).toMatch(/^\+ .*Math\.max/m);
  expect(stderr).toMatch(/^.*\bbubblewrap\b.*\b0: passed$/m);
  expect(stdout).toContain('pass');
  const folder = /(?:^|\s)(\/\S*\/klaus-demo-\w+)(?:\s|$)/.exec(stderr)?.[1] ?? '/';
  expect(existsSync(folder)).toBe(false);
  const session = /klaus show (\S+)/.exec(stderr)?.[1] ?? '';
  expect((await runKlaus(['show', session], { place })).stdout).toContain('run_tests: ok');
  const log = (await runKlaus(['show', session, '--json'], { place })).stdout;
  expect(JSON.parse(log.split('\n')[0]!)).toMatchObject({ type: 'session.opened', sandbox: 'bubblewrap' });
});

test('klaus demo --sandbox host works without a sandbox, and --keep keeps the folder', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const { code, stderr } = await runKlaus(['demo', '--sandbox', 'host', '--keep', '--plain'], { place });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(/^(?!.*bubblewrap).*\b0: passed$/m);
  const folder = /(?:^|\s)(\/\S*\/klaus-demo-\w+)(?:\s|$)/.exec(stderr)?.[1] ?? '/';
  const tests = spawnSync('npm', ['test'], { cwd: folder, encoding: 'utf8', env: place.env });
  expect(tests.status).toBe(0);
  rmSync(folder, { recursive: true });
});

test('klaus demo without a sandbox says what to type: exit 7', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const env = { KLAUS_SANDBOX: 'docker', DOCKER_ENABLED: 'false' };
  const { code, stdout, stderr } = await runKlaus(['demo'], { place, env });
  expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
  expect(stderr).toContain('demo --sandbox host');
});
