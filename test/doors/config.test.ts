// Covers apps/cli/commands/config, sdk/config, apps/cli/program: settings are changed by name, and the help names what exists.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

test('a setting is changed, removed and named in a file that keeps its comments', async () => {
  using place = createTestHome();
  const file = join(place.home, 'config.yaml');
  expect((await runKlaus(['config', 'path'], { place })).stdout.trim()).toBe(file);
  expect(await runKlaus(['config', 'set', 'approve', 'ask'], { place })).toMatchObject({ code: 0 });
  expect(await runKlaus(['config', 'set', 'models.allow', '[opus, sonnet]'], { place })).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).toMatch(/^# .*\n\napprove: ask\nmodels:\n {2}allow:\n {4}- opus\n/);
  expect(await runKlaus(['config', 'get', 'approve'], { place })).toMatchObject({ code: 0, stdout: 'ask\n' });
  expect(await runKlaus(['config', 'unset', 'approve'], { place })).toMatchObject({ code: 0 });
  expect(readFileSync(file, 'utf8')).not.toContain('approve');
  const rows = JSON.parse((await runKlaus(['config', '--json'], { place })).stdout) as { key: string; value: string }[];
  expect(rows.find(({ key }) => key === 'models.allow')?.value).toContain('sonnet');
});

test.each([
  [['config', 'set', 'aprove', 'ask'], 2, 'approve'],
  [['config', 'set', 'approve', 'maybe'], 3, 'auto'],
  [['config', 'get', 'limits'], 2, 'limits.usd'],
  [['help', 'saftey'], 2, 'safety'],
])('%j ends with code %i and names %s', async (words, code, named) => {
  using place = createTestHome();
  const ended = await runKlaus(words, { place });
  expect(ended.code).toBe(code);
  expect(ended.stderr).toContain(named);
  expect(existsSync(join(place.home, 'config.yaml'))).toBe(false);
});

test.each(['show', 'export', 'replay', 'resume'])(
  '%s without an id takes the latest session of the folder',
  async (name) => {
    using place = createTestHome();
    await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
    const none = await runKlaus([name], { place, server });
    expect(none.code).toBe(2);
    expect(await runKlaus(['hello'], { place, server })).toMatchObject({ code: 0 });
    const ended = await runKlaus([name], { place, server });
    expect(ended.stderr).toMatch(/^Session [0-9A-Z]{26}/);
  },
);
