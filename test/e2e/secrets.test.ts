// Covers core/policy/secrets, adapters/workspace/secrets: secret files and values in a run.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKlaus } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

// Concatenated, so that this file contains no secret itself.
const KEY = ['AKIA', 'Q3EGRIZ7TLWBXN2K'].join('');

test('klaus secrets scan reports file, line and rule, never the secret; allowed findings are skipped', async () => {
  using place = createTestHome({
    'src/a.js': `one\nconst key = '${KEY}';\n`,
    '.gitignore': 'ignored.js\n',
    'fine.js': '1\n',
  });
  writeFileSync(join(place.workspace, 'ignored.js'), `'${KEY}'\n`);
  const found = await runKlaus(['secrets', 'scan', '--json'], { place });
  expect(found.code).toBe(1);
  expect(found.stdout + found.stderr).not.toContain(KEY);
  const finding: unknown = JSON.parse(found.stdout);
  expect(finding).toEqual({
    path: 'src/a.js',
    line: 2,
    rule: 'aws-access-key',
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  const { fingerprint } = finding as { fingerprint: string };

  const allowed = await runKlaus(['secrets', 'allow', fingerprint], { place });
  expect(allowed).toMatchObject({ code: 0, stdout: expect.stringContaining(fingerprint) });
  expect(await runKlaus(['secrets', 'scan', 'src', 'fine.js'], { place })).toMatchObject({
    code: 0,
  });
  const named = await runKlaus(['secrets', 'scan', 'ignored.js'], { place });
  expect(named).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/ignored\.js:1\s+aws-access-key\s+[0-9a-f]{16}/),
  });
});

test('errors of klaus secrets are reported, with exit code 2', async () => {
  using place = createTestHome({ 'a.js': '1\n' });
  for (const words of [
    ['scan', '..'],
    ['allow', 'nonsense'],
  ])
    expect((await runKlaus(['secrets', ...words], { place })).code).toBe(2);
});
