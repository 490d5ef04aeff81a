// Covers docs/guides/klendathu-wire.md, apps/debug-cli: the example in another language, whose server offers only eval.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FAILURE_CODES, TRANSCRIPTS_VARIABLE } from 'klendathu/contract';
import { parse } from 'yaml';
import { expect, test } from 'vitest';
import type { Script } from '@klaus/sdk';
import { startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { installDebugCli, toMessages } from './debug-cli.fixture.ts';

const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/klendathu-wire.md'), 'utf8');

function read(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? '';
}

async function runExample(script: Script, env: Record<string, string> = {}) {
  using place = createTestHome({ 'pay.pl': read('perl') });
  await using server = await startServer(script);
  const child = spawn('perl', ['pay.pl'], {
    cwd: place.workspace,
    env: { ...toEnv({ place, server }), KLENDATHU_CLI: installDebugCli(place), ...env },
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (text.stdout += chunk));
  child.stderr.on('data', (chunk) => (text.stderr += chunk));
  const [code] = (await once(child, 'close')) as [number];
  const own = text.stderr.split('\n').filter((line) => !line.startsWith('{'));
  const messages = toMessages(
    text.stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => `${line}\n`)
      .join(''),
  );
  return { code, stdout: text.stdout, own, messages };
}

test.skipIf(!existsSync('/usr/bin/perl'))(
  'the example of the guide reaches the faulting value, and keeps its own error',
  async () => {
    const run = await runExample(parse(read('yaml')) as Script);
    expect(run.stdout).toContain('ink');
    expect(run.stdout).not.toContain("'price'");
    expect(run.messages.at(-1)).toMatchObject({ type: 'summary', finishReason: 'completed', turns: 2 });
    expect(run.own.join('\n')).toContain('no price at pay.pl line');
    expect(run.code).toBe(255);
  },
);

test.skipIf(!existsSync('/usr/bin/perl'))(
  'what an evaluation changes, prints or throws does not reach the program; an endless loop ends',
  async () => {
    const codes = ['$order = undef; print "seen"; 1', '$order->{id}', 'die "own"', '1 while 1'];
    const calls = codes.map((code) => ({ name: 'eval', input: { code } }));
    const run = await runExample({ steps: [{ reply: { calls } }, { reply: { text: 'Done.' } }] });
    const results = run.messages.flatMap((each) => (each.type === 'tool_result' ? [each] : []));
    expect(results.map(({ isError }) => isError ?? false)).toEqual([false, false, true, true]);
    expect(JSON.parse(results[0]!.resultPreview)).toMatchObject({ result: '1', console: [{ text: 'seen' }] });
    expect(JSON.parse(results[1]!.resultPreview)).toMatchObject({ result: '7' });
    expect(run.stdout).toBe('Done.\n');
  },
);

test('the guide lists every field of the input, and the code of every failure of klendathu-cli', () => {
  const source = readFileSync(join(import.meta.dirname, '../../apps/debug/contract/cli-input.ts'), 'utf8');
  const fields = [...source.slice(source.indexOf('baseInput')).matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name!);
  expect(fields.length).toBeGreaterThan(15);
  for (const name of fields) expect(guide).toContain(`\`${name}\``);
  const ofLibrary = new Set(['cli-missing', 'cli-died', 'schema', 'node-outdated']);
  for (const [name, code] of Object.entries(FAILURE_CODES))
    if (!ofLibrary.has(name)) expect(guide).toMatch(new RegExp(`\\| ${code} \\| \`${name}\``));
});

test('a test run keeps its transcript in the folder that the variable names', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const folder = join(place.workspace, 'klendathu-test-1');
  writeFileSync(join(place.workspace, 'x'), '');
  await runExample({ steps: [{ reply: { text: 'A transcript.' } }] }, { [TRANSCRIPTS_VARIABLE]: folder });
  const files = readdirSync(folder);
  expect(files).toHaveLength(1);
  expect(readFileSync(join(folder, files[0]!), 'utf8')).toContain('A transcript.');
});
