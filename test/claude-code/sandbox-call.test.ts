// Covers apps/claude-code/hooks/sandbox-call.ts: which commands of Claude Code stay out of the sandbox.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { canRunInSandbox } from '../../apps/claude-code/hooks/sandbox-call.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

let place: TestHome;
const home = process.env['HOME'];

beforeAll(() => {
  place = createTestHome();
  process.env['HOME'] = place.env['HOME'];
  const settings = (folder: string, permissions: object): void => {
    mkdirSync(folder, { recursive: true });
    for (const name of ['settings.json', 'settings.local.json'])
      writeFileSync(join(folder, name), JSON.stringify({ permissions }));
  };
  settings(join(place.workspace, '.claude'), { ask: ['Bash'], deny: ['Bash(node:*)'] });
  settings(join(place.env['HOME']!, '.claude'), { deny: ['Bash(make deploy:*)'] });
});

afterAll(() => {
  process.env['HOME'] = home;
  place[Symbol.dispose]();
});

test.for([
  ['. ./script.sh', true],
  ['source ./script.sh', true],
  ['cd src; . ./script.sh', true],
  ['kill %1; ./script.sh', true],
  ['export A="$(./program)"', true],
  // Rules of the project, which a repository brings along.
  ['node script.js', true],
  // Rules of the user.
  ['make deploy', false],
  ['cd src', false],
  ['git push', false],
] as const)('%s: %s', ([command, expected]) => {
  const { workspace: root } = place;
  expect(canRunInSandbox({ command, root, cwd: root })).toBe(expected);
});
