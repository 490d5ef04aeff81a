// Covers apps/cli/commands, sdk/config: klaus init.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { hasTmux, openTerminal } from '../fixtures/terminal.ts';

const SCRIPT = { steps: [], fallback: { text: 'Done.' } };

test('given limits are written for later sessions, and the rest of the file is unchanged', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  const klaus = (...words: string[]) => runKlaus(words, { place, server });
  const file = join(place.home, 'config.yaml');
  expect(await klaus('init', '--max-tool-calls', '200')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(file),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  writeFileSync(file, '# mine\napprove: ask # careful\nlimits.tokens: 7\nlimits:\n  toolCalls: 3\n');
  expect(await klaus('init', '--max-tool-calls', '300', '--budget-tokens', '0')).toMatchObject({ code: 0 });
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('# mine\napprove: ask # careful\n');
  const settings = JSON.parse((await klaus('config', '--json')).stdout) as { key: string; value: unknown }[];
  const valueOf = (key: string): unknown => settings.find((row) => row.key === key)?.value;
  expect([valueOf('limits.toolCalls'), valueOf('limits.tokens'), valueOf('approve')]).toEqual(['300', '0', 'ask']);
});

test('without a terminal and without limits nothing is written, and the options are named', async () => {
  using place = createTestHome();
  await using server = await startServer(SCRIPT);
  const result = await runKlaus(['init'], { place, server });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-tool-calls') });
  mkdirSync(place.home, { recursive: true });
  writeFileSync(join(place.home, 'config.yaml'), '- a list\n');
  expect(await runKlaus(['init', '--budget-tokens', '5'], { place, server })).toMatchObject({ code: 3 });
  expect(readFileSync(join(place.home, 'config.yaml'), 'utf8')).toBe('- a list\n');
});

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  test.each([
    ['2', 0, 'toolCalls: 200'],
    ['Enter', 0, 'toolCalls: 50'],
    ['3', 0, 'toolCalls: 0'],
  ])('the key %s chooses', async (key, code, expected) => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    await using terminal = await openTerminal([process.execPath, MAIN, 'init'], {
      env: toEnv({ place, server }),
      cwd: place.workspace,
    });
    await terminal.shows('1 2 3');
    await terminal.type(key);
    expect(await terminal.exitCode()).toBe(code);
    expect(readFileSync(join(place.home, 'config.yaml'), 'utf8')).toContain(expected);
  });
});

test('settings without a tool are listed, and their values are hidden', async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'It is nfp_Zq81kLmP77Xw.' } });
  const env = { NETLIFY_AUTH_TOKEN: 'nfp_Zq81kLmP77Xw', GIT_CREDENTIALS: 'https://me:Rt55-Kk1d@git.example.com' };
  const config = await runKlaus(['config', '--json'], { place, server, env });
  expect(config.stdout).toContain('keys.netlify');
  for (const value of Object.values(env)) expect(config.stdout).not.toContain(value);
  expect((await runKlaus(['say it'], { place, server, env })).stdout).not.toContain(env.NETLIFY_AUTH_TOKEN);
});
