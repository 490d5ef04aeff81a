import { execFile } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  eventBodySchema,
  ERROR_CODES,
  fromText,
  SETTING_KEYS,
  SETTINGS,
  type Setting,
} from '../core/protocol/index.ts';
import { builtinTools } from '../adapters/tools/index.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { splitCases } from '../test/fixtures/split-cases.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, 'docs.ts');
let root: string;

/** Runs the real script on `root`. */
async function docs(...words: string[]): Promise<{ code: number; text: string }> {
  return run(process.execPath, [script, '--root', root, ...words]).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  );
}

const read = (path: string) => readFile(join(root, path), 'utf8');

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'klaus-docs-'));
  await docs();
});

afterAll(() => rm(root, { recursive: true, force: true }));

test('the check passes on what was just written', async () => {
  expect(await docs('--check')).toEqual({ code: 0, text: '' });
});

for (const { cases, tags } of splitCases(
  ['docs/reference/events.md', 'docs/reference/tools.md', '.env.example', 'docs/reference/config.schema.json'],
  1,
))
  test.each(cases)('the check fails on a stale %s, names it and leaves it alone', { tags }, async (path) => {
    await appendFile(join(root, path), 'by hand\n');
    const { code, text } = await docs('--check');
    expect(code).toBe(1);
    expect(text.split('\n')).toEqual([expect.stringContaining(path), '']);
    expect(text).toContain('npm run docs');
    expect(await read(path)).toContain('by hand');
    await docs();
    expect(await read(path)).not.toContain('by hand');
  });

test('the check fails on a file that is missing', { tags: ['long'] }, async () => {
  await rm(join(root, 'docs/reference/errors.md'));
  expect(await docs('--check')).toMatchObject({ code: 1, text: expect.stringContaining('docs/reference/errors.md') });
  await docs();
});

test('every event, setting, error code and tool is documented', async () => {
  const events = await read('docs/reference/events.md');
  const config = await read('docs/reference/config.md');
  const errors = await read('docs/reference/errors.md');
  const tools = await read('docs/reference/tools.md');
  const missing = [
    ...builtinTools.map(({ name }) => name).filter((name) => !tools.includes(`\n### ${name}\n`)),
    ...eventBodySchema.options
      .map((event) => event.shape.type.value)
      .filter((type) => !events.includes(`\n### ${type}\n`)),
    ...SETTING_KEYS.filter((key) => !config.includes(`\n| \`${key}\` |`)),
    ...ERROR_CODES.filter((code) => !errors.includes(`\n| \`${code}\` |`)),
  ];
  expect(missing).toEqual([]);
});

test('the example of variables names each one and sets none', async () => {
  const example = await read('.env.example');
  const lines = example.split('\n').filter((line) => line !== '');
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([]);
  const variables = SETTING_KEYS.flatMap((key) => (SETTINGS[key] as Setting).env ?? []);
  expect(variables.filter((variable) => !lines.some((line) => line.startsWith(`#${variable}=`)))).toEqual([]);
});

test('a default in the example of variables is read as the default that it is', async () => {
  const example = await read('.env.example');
  const wrong = SETTING_KEYS.flatMap((key) => {
    const setting: Setting = SETTINGS[key];
    const [, text] = new RegExp(`^#${setting.env}=(.+)$`, 'm').exec(example) ?? [];
    if (text === undefined) return [];
    const value = setting.schema.safeParse(fromText(setting, text)).data;
    return String(value) === String(setting.default) ? [] : [`${key}: ${text}`];
  });
  expect(wrong).toEqual([]);
});
