import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinTools } from '@klaus/adapters/tools';
import { toInputSchema } from '@klaus/core/agent';
import { isRecord } from '@klaus/core/protocol';
import { startModelServer } from '@klaus/sdk';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { ToolCall } from '../test/fixtures/play.ts';
import { findNoSandbox } from '../bench/program.ts';
import { LATE_NAMES } from './bundle/late-parts.ts';

const root = join(import.meta.dirname, '..');
const place = createTestHome();
const dist = join(dirname(place.home), 'dist');
const program = join(dist, 'klaus.cjs');

beforeAll(() => {
  const built = process.env['KLAUS_TEST_PROGRAM'];
  if (built === undefined) execFileSync(process.execPath, [join(root, 'scripts/build.ts'), dist], { stdio: 'pipe' });
  else cpSync(dirname(built), dist, { recursive: true, filter: (path) => path !== join(dirname(built), 'code') });
  symlinkSync(join(root, 'node_modules'), join(dirname(dist), 'node_modules'));
});
afterAll(() => place[Symbol.dispose]());

/** Writes the names of the loaded files into `$LOADED` when the program first connects to something. */
const SPY = `
const net = require('node:net');
const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...words) {
  const loaded = Object.keys(require.cache).map((path) => require('node:path').basename(path));
  if (!require('node:fs').existsSync(process.env.LOADED)) require('node:fs').writeFileSync(process.env.LOADED, loaded.join('\\n'));
  return connect.apply(this, words);
};
`;

/** Files of the bundle with the client of Postgres. */
function findPostgresFiles(): string[] {
  const files = readdirSync(dist).filter((name) => name.endsWith('.cjs'));
  return files.filter((name) => readFileSync(join(dist, name), 'utf8').includes('SCRAM-SHA-256'));
}

test('the program as it is packed does its work, and loads what it needs late only then', async () => {
  const calls: ToolCall[] = [
    { name: 'run_command', input: { command: 'echo one > made.txt && ls' } },
    { name: 'edit_file', input: { path: 'README.md', edits: [{ old: '# Test', new: '# Changed' }] } },
  ];
  const server = await startModelServer({
    script: { steps: [{ reply: { text: 'I look.', calls } }], fallback: { text: 'Done.' } },
  });
  const spy = join(dirname(place.home), 'spy.cjs');
  const loaded = join(dirname(place.home), 'loaded.txt');
  writeFileSync(spy, SPY);
  mkdirSync(place.home, { mode: 0o700 });
  const env = {
    ...place.env,
    LOADED: loaded,
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-scripted',
    AGENT_MODEL: 'anthropic/claude-sonnet-5-5',
    ...((await findNoSandbox(place)) === undefined ? {} : { KLAUS_SANDBOX: 'host' }),
  };
  const child = spawn(process.execPath, ['-r', spy, program, 'run', '--json', 'Change it.'], {
    cwd: place.workspace,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise((done) => child.on('exit', done));
  await server.close();
  expect(code, output).toBe(0);
  expect(readFileSync(join(place.workspace, 'README.md'), 'utf8')).toContain('# Changed');
  expect(readFileSync(join(place.workspace, 'made.txt'), 'utf8')).toBe('one\n');
  const files = readFileSync(loaded, 'utf8').split('\n');
  expect(files).toContainEqual(expect.stringMatching(/^sdk-/));
  const isLate = (file: string) => LATE_NAMES.some((name) => file.startsWith(`${name}-`));
  expect(files.filter(isLate)).toEqual([]);
  // The files exist: a name that matches nothing would prove nothing.
  expect(LATE_NAMES.filter((name) => !readdirSync(dist).some((file) => file.startsWith(`${name}-`)))).toEqual([]);
  expect(files.filter((file) => findPostgresFiles().includes(file))).toEqual([]);
  const first = server.requests[0]!.json as { tools: { name: string; input_schema: unknown }[] };
  for (const { name, input_schema } of first.tools) {
    const tool = builtinTools.find((candidate) => candidate.name === name);
    if (tool) expect(input_schema, name).toEqual(toInputSchema(tool));
  }
});

test('only a worker loads the client of Postgres', { tags: ['long'] }, () => {
  const spy = join(dirname(place.home), 'spy-exit.cjs');
  const loaded = join(dirname(place.home), 'loaded-exit.txt');
  const write = `require('node:fs').writeFileSync(process.env.LOADED, Object.keys(require.cache).join('\\n'))`;
  writeFileSync(spy, `process.on('exit', () => ${write});`);
  const load = (...words: string[]): string[] => {
    spawnSync(process.execPath, ['-r', spy, program, ...words], { env: { ...place.env, LOADED: loaded } });
    return readFileSync(loaded, 'utf8')
      .split('\n')
      .map((path) => basename(path));
  };
  const postgres = findPostgresFiles();
  expect(load('worker').filter((file) => postgres.includes(file))).not.toEqual([]);
  for (const words of [['--version'], ['--help'], ['sessions'], ['config']])
    expect(
      load(...words).filter((file) => postgres.includes(file)),
      words.join(' '),
    ).toEqual([]);
});

test('without the packages of a cluster a worker names them', () => {
  using elsewhere = createTestHome();
  const alone = join(dirname(elsewhere.home), 'dist');
  cpSync(dist, alone, { recursive: true });
  const env = {
    ...place.env,
    KLAUS_CLUSTER_POSTGRES_URL: 'postgres://127.0.0.1:1/klaus',
    KLAUS_CLUSTER_BUCKET: 'klaus',
    KLAUS_CLUSTER_TEMPORAL_ADDRESS: '127.0.0.1:1',
  };
  const { status, stderr } = spawnSync(process.execPath, [join(alone, 'klaus.cjs'), 'worker'], {
    env,
    encoding: 'utf8',
  });
  expect(status, stderr).toBe(3);
  for (const name of ['@aws-sdk/client-s3@', '@temporalio/client@', '@temporalio/worker@'])
    expect(stderr).toContain(name);
});

test('a packed tool creates its schema once', () => {
  const file = readdirSync(dist).find((name) => /^tools-.*\.cjs$/.test(name))!;
  const parts = Object.values(createRequire(import.meta.url)(join(dist, file)) as Record<string, unknown>);
  const { builtinTools: packed } = parts.find((part) => isRecord(part) && 'builtinTools' in part) as {
    builtinTools: typeof builtinTools;
  };
  expect(packed).toHaveLength(builtinTools.length);
  expect(packed.filter((tool) => tool.input !== tool.input).map(({ name }) => name)).toEqual([]);
});

test('images are drawn by the thread that is packed', async () => {
  const [draw] = readdirSync(dist).filter((file) => file.startsWith('draw-sixel-'));
  const [thread] = /[\w-]+worker\.cjs/.exec(readFileSync(join(dist, draw!), 'utf8'))!;
  const data = PNG.sync.write(new PNG({ width: 8, height: 8 })).toString('base64');
  const worker = new Worker(join(dist, thread), { workerData: { data, mediaType: 'image/png', width: 4, height: 4 } });
  const [sixel] = (await once(worker, 'message')) as [string];
  expect(sixel).toContain('"1;1;4;4');
});

test('the manual page is packed', () => {
  expect(readFileSync(join(dist, 'man/klaus.1'), 'utf8')).toMatch(/^\.TH KLAUS 1 /);
});

test.each([['--help'], ['sessions'], ['audit', 'verify'], ['usage'], ['replay', '--help']])(
  'klaus %s %s works as it is packed',
  (...words) => {
    const text = execFileSync(process.execPath, [program, ...words], { env: place.env, encoding: 'utf8' });
    expect(text).not.toBe('');
  },
);
