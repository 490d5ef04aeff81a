// Covers apps/cli/commands, apps/cli/prompt, sdk/config: klaus init.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { CLEAN, KEYS, openEmulator } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

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

test(
  'without a terminal and without limits nothing is written, and the options are named',
  { tags: ['long'] },
  async () => {
    using place = createTestHome();
    await using server = await startServer(SCRIPT);
    const result = await runKlaus(['init'], { place, server });
    expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining('--max-tool-calls') });
    mkdirSync(place.home, { recursive: true });
    writeFileSync(join(place.home, 'config.yaml'), '- a list\n');
    expect(await runKlaus(['init', '--budget-tokens', '5'], { place, server })).toMatchObject({ code: 3 });
    expect(readFileSync(join(place.home, 'config.yaml'), 'utf8')).toBe('- a list\n');
  },
);

describe.runIf(hasScript)('in a terminal (needs script)', () => {
  const open = async (place: TestHome, options: { env?: Record<string, string>; columns?: number } = {}) => {
    const terminal = await openEmulator([process.execPath, MAIN, 'init'], {
      env: toEnv({ place, ...options }),
      cwd: place.workspace,
      columns: options.columns ?? 80,
    });
    await terminal.shows('200');
    return terminal;
  };
  const read = (place: TestHome): string => readFileSync(join(place.home, 'config.yaml'), 'utf8');

  for (const { cases, tags } of splitCases(
    [
      ['Enter', KEYS.enter, 'toolCalls: 100'],
      ['down', `${KEYS.down}${KEYS.enter}`, 'toolCalls: 200'],
      ['up', `${KEYS.up}${KEYS.enter}`, 'toolCalls: 0'],
    ],
    1,
  ))
    test.each(cases)('%s chooses, and the result is shown in 40 columns too', { tags }, async (_, keys, expected) => {
      for (const columns of [80, 40]) {
        using place = createTestHome();
        await using terminal = await open(place, { columns });
        terminal.type(keys);
        expect(await terminal.ended).toBe(0);
        expect(read(place)).toContain(expected);
        expect(terminal.screen()).toContain('config.yaml');
        expect(terminal.screen()).toContain('klaus config');
        expect(terminal.left()).toEqual(CLEAN);
      }
    });

  for (const { cases, tags } of splitCases(
    [
      ['Escape', KEYS.escape],
      ['Ctrl-C', KEYS.ctrlC],
      ['Ctrl-D', KEYS.ctrlD],
    ],
    1,
  ))
    test.each(cases)('%s writes nothing', { tags }, async (_, key) => {
      using place = createTestHome();
      await using terminal = await open(place);
      terminal.type(key);
      expect(await terminal.ended).toBe(130);
      expect(existsSync(join(place.home, 'config.yaml'))).toBe(false);
      expect(terminal.left()).toEqual(CLEAN);
    });

  const plain: Record<string, string>[] = [{ ACCESSIBLE: '1' }, { KLAUS_PLAIN: '1' }, { TERM: 'dumb' }];
  for (const { cases, tags } of splitCases(plain, 1))
    test.each(cases)('%o asks for a number', { tags }, async (env) => {
      using place = createTestHome();
      await using terminal = await open(place, { env });
      terminal.type(`7${KEYS.enter}`);
      await terminal.shows(/^7 /m);
      terminal.type(`2${KEYS.enter}`);
      expect(await terminal.ended).toBe(0);
      expect(read(place)).toContain('toolCalls: 200');
      expect(terminal.screen()).not.toMatch(/[│◆●]/);
    });

  for (const { cases, tags } of splitCases(['0', 'false', ''], 1))
    test.each(cases)('ACCESSIBLE=%s does not', { tags }, async (value) => {
      using place = createTestHome();
      await using terminal = await open(place, { env: { ACCESSIBLE: value } });
      expect(terminal.screen()).toContain('●');
    });
});

test('settings without a tool are listed, and their values are hidden', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'It is nfp_Zq81kLmP77Xw.' } });
  const env = { NETLIFY_AUTH_TOKEN: 'nfp_Zq81kLmP77Xw', GIT_CREDENTIALS: 'https://me:Rt55-Kk1d@git.example.com' };
  const config = await runKlaus(['config', '--json'], { place, server, env });
  expect(config.stdout).toContain('keys.netlify');
  for (const value of Object.values(env)) expect(config.stdout).not.toContain(value);
  expect((await runKlaus(['say it'], { place, server, env })).stdout).not.toContain(env.NETLIFY_AUTH_TOKEN);
});
