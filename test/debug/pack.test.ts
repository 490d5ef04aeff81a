// Covers scripts/klendathu, scripts/bundle, scripts/node-stub.cjs, apps/debug-cli/README.md: the packages klendathu and klendathu-cli as they are installed.
// @module-tag long
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { delimiter, dirname, join } from 'node:path';
import { FAILURE_CODES } from 'klendathu/contract';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer, toEvents } from '../fixtures/klaus.ts';
import { npm, plainPath } from '../fixtures/npm.ts';
import { toInput, toRun } from './debug-cli.fixture.ts';
import { startTestHost } from './host.fixture.ts';

const NODE_22 = '22.23.3';
/** On these the library loads, and says what it needs. */
const OLD = { 18: '18.20.8', 20: '20.20.2' } as const;
const root = join(import.meta.dirname, '../..');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klendathu-pack-')));
const project = join(folder, 'project');
const home = join(folder, 'home');
const node22 = join(folder, `node22/node_modules/node-linux-${process.arch}/bin/node`);
/** A hook of the host, as for its test runner, and the file in which it lists the versions of Node that load it. */
const hook = join(folder, 'hook.cjs');
const loaded = join(folder, 'loaded.txt');
const packages = ['klendathu', 'klendathu-cli'] as const;
const tarballs = new Map<string, string>();

/** Builds both packages, unless `npm test` has done it. @returns Their folder. */
function buildPackages(): string {
  const program = process.env['KLENDATHU_TEST_PROGRAM'];
  if (program !== undefined) return join(dirname(program), '../..');
  const built = join(folder, 'built');
  const build = spawnSync(process.execPath, [join(root, 'scripts/klendathu/build.ts'), built], { encoding: 'utf8' });
  expect(build.status, build.stdout + build.stderr).toBe(0);
  return built;
}

beforeAll(() => {
  const built = buildPackages();
  for (const name of packages) {
    const file = npm(['pack', '--silent', '--pack-destination', folder], join(built, name)).trim();
    tarballs.set(name, join(folder, file));
  }
  for (const each of [project, home, join(folder, 'node22')]) mkdirSync(each);
  writeFileSync(hook, "require('node:fs').appendFileSync(process.env.LOADED, process.version + '\\n');");
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }');
  npm(['install', '--prefer-offline', '--loglevel=error', ...tarballs.values()], project);
  const words = ['install', '--prefix', '.', '--prefer-offline', '--loglevel=error'];
  npm([...words, `node-linux-${process.arch}@${NODE_22}`], join(folder, 'node22'));
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The environment of a user who has installed Node 22 and nothing else. */
function toEnv(url = 'http://127.0.0.1:9'): Record<string, string> {
  const key = { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-test-4f1c9b7e2a60' };
  return { HOME: home, PATH: [dirname(node22), plainPath].join(delimiter), TMPDIR: folder, ...key };
}

async function runInstalled(words: readonly string[], { url, input }: { url?: string; input: unknown }) {
  const child = spawn(node22, [join(project, 'node_modules/.bin/klendathu-cli'), ...words], {
    cwd: project,
    env: { ...toEnv(url), NODE_OPTIONS: `--require=${hook}`, LOADED: loaded },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  });
  const events = child.stdio[3] as Readable;
  child.stdin?.end(JSON.stringify(input));
  const text = { stdout: '', stderr: '', events: '' };
  events.on('data', (chunk) => (text.events += chunk));
  child.stdout?.on('data', (chunk) => (text.stdout += chunk));
  child.stderr?.on('data', (chunk) => (text.stderr += chunk));
  const [code] = (await once(child, 'close')) as [number];
  return { code, signal: null, ...text };
}

test.each(packages)('publint has nothing to object to in %s', async (name) => {
  const bytes = readFileSync(tarballs.get(name)!);
  const pack = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) };
  const { messages, pkg } = await publint({ pack, strict: true });
  expect(messages.map((it) => formatMessage(it, pkg))).toEqual([]);
});

/** A version of Node from the registry. @returns Its program. */
function installNode(version: string): string {
  const place = join(folder, `node-${version}`);
  const program = join(place, `node_modules/node-linux-${process.arch}/bin/node`);
  if (existsSync(program)) return program;
  mkdirSync(place);
  const words = ['install', '--prefix', '.', '--prefer-offline', '--loglevel=error'];
  npm([...words, `node-linux-${process.arch}@${version}`], place);
  return program;
}

const STORY = {
  steps: [
    { reply: { calls: [{ name: 'eval', input: { code: 'order.total' } }] } },
    { when: { after: 'eval' }, reply: { calls: [{ name: 'report', input: { text: 'It is undefined.' } }] } },
  ],
};

test('from Node 22, with an empty home, it runs in the Node that it brings, and keeps its code cache there', async () => {
  await using server = await startServer(STORY);
  await using host = await startTestHost({ context: { order: {} } });
  mkdirSync(join(home, '.klaus'), { mode: 0o700 });
  const ended = await runInstalled(['--json', '--events-fd', '3'], { url: server.url, input: toInput(host.url) });
  const run = toRun(ended);
  expect(run.code, run.stderr).toBe(0);
  expect(JSON.parse(run.stdout)).toMatchObject({ text: 'It is undefined.', stats: { turns: 2 } });
  expect(toEvents(ended.events).at(-1)).toMatchObject({ type: 'run.finished' });
  expect(new Set(readFileSync(loaded, 'utf8').trim().split('\n'))).toEqual(new Set([`v${NODE_22}`]));
  const caches = readdirSync(join(home, '.klaus/cache/code'));
  expect(caches.map((name) => name.split('-')[0])).toEqual(['klendathu']);
});

test('without a Node that is new enough, one line says which package is missing', async () => {
  const name = `node-linux-${process.arch}`;
  const installed = join(project, 'node_modules', name);
  renameSync(installed, `${installed}.away`);
  try {
    const run = toRun(await runInstalled([], { input: toInput('http://127.0.0.1:9/mcp') }));
    expect([run.code, run.codes]).toEqual([FAILURE_CODES['node-missing'], ['node-missing']]);
    expect(run.stderr.split('\n')[0]).toContain(name);
  } finally {
    renameSync(`${installed}.away`, installed);
  }
});

test('its own version is that of the manifest, and the library loads in Node 22', () => {
  const read = (name: string) =>
    JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')) as {
      version: string;
      exports: Record<string, unknown>;
    };
  const options = { cwd: project, env: toEnv(), encoding: 'utf8' } as const;
  const version = spawnSync(node22, [join(project, 'node_modules/.bin/klendathu-cli'), '--version'], options);
  expect(version).toMatchObject({ status: 0, stdout: `${read('klendathu-cli').version}\n`, stderr: '' });
  const code =
    "import 'klendathu'; const { PROTOCOL_VERSION } = await import('klendathu/contract'); console.log(PROTOCOL_VERSION)";
  expect(spawnSync(node22, ['--input-type=module', '-e', code], options)).toMatchObject({
    status: 0,
    stdout: '1\n',
    stderr: '',
  });
});

const OLD_PROGRAM = `
  import { arm, implement, install, investigate } from 'klendathu';
  arm();
  const thrown = new TypeError('the original');
  const outcome = {};
  for (const mode of ['live', 'record']) {
    const run = investigate(thrown, { mode });
    await run.then(() => (outcome[mode] = 'recorded'), ({ code, cause }) => (outcome[mode] = [code, cause === thrown]));
  }
  await implement('p', {}, {}).catch(({ code }) => (outcome.implement = code));
  console.log(JSON.stringify(outcome));
  install({ mode: 'record' });
  throw thrown;`;

test.each([
  [18, { live: ['node-outdated', true], record: ['node-outdated', true], implement: 'node-outdated' }],
  [20, { live: ['node-outdated', true], record: 'recorded', implement: 'node-outdated' }],
] as const)('on Node %i it loads, names the version it needs, and loses no error', (major, outcome) => {
  const node = installNode(OLD[major]);
  const options = { cwd: project, env: toEnv(), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(node, ['--input-type=module', '-e', OLD_PROGRAM], options);
  expect(JSON.parse(stdout.split('\n')[0]!)).toEqual(outcome);
  expect(stderr).toContain('TypeError: the original');
  expect(status).toBe(1);
});

test('the example of the README gives a report', async () => {
  const readme = readFileSync(join(project, 'node_modules/klendathu-cli/README.md'), 'utf8');
  const [, example = ''] = /```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  expect(example.trim().split('\n').length).toBeLessThanOrEqual(10);
  await using server = await startServer(STORY);
  await using host = await startTestHost({ context: { order: {} } });
  const script = example
    .replace(/^npm install .*$/m, '')
    .replace(/^export ANTHROPIC_API_KEY=.*$/m, '')
    .replace('http://127.0.0.1:4711/mcp', host.url);
  const child = spawn('sh', ['-c', script], { cwd: project, env: toEnv(server.url) });
  let text = '';
  child.stdout.on('data', (chunk) => (text += chunk));
  const [code] = (await once(child, 'close')) as [number];
  expect([code, text]).toEqual([0, 'It is undefined.\n']);
});

const LIBRARY = join(root, 'apps/debug/investigate');

test.skipIf(!existsSync(LIBRARY))('the library finds the CLI that is installed beside it, from Node 22', async () => {
  await using server = await startServer(STORY);
  writeFileSync(
    join(project, 'pay.mjs'),
    `import { investigate } from 'klendathu';
const order = {};
try {
  order.total.value;
} catch (error) {
  console.log(String(await investigate({ error, order }, { model: 'anthropic/claude-sonnet-5-5' })));
}
`,
  );
  const child = spawn(node22, ['pay.mjs'], { cwd: project, env: toEnv(server.url) });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (text.stdout += chunk));
  child.stderr.on('data', (chunk) => (text.stderr += chunk));
  const [code] = (await once(child, 'close')) as [number];
  expect([code, text.stdout], text.stderr).toEqual([0, 'It is undefined.\n']);
});

/** The examples of the README of the library, in their order. */
function readExamples(): [first: string, watched: string, implemented: string, ...others: string[]] {
  const readme = readFileSync(join(project, 'node_modules/klendathu/README.md'), 'utf8');
  return readme.match(/(?<=```js\n)[^]*?(?=```)/g) as ReturnType<typeof readExamples>;
}

async function runModule(node: string, code: string, env = toEnv()) {
  writeFileSync(join(project, 'example.mjs'), code);
  const child = spawn(node, ['example.mjs'], { cwd: project, env });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (text.stdout += chunk));
  child.stderr.on('data', (chunk) => (text.stderr += chunk));
  const [exitCode] = (await once(child, 'close')) as [number];
  return { code: exitCode, ...text };
}

test.each(['22', '24'])('the examples of the README of the library, on Node %s', async (major) => {
  const node = major === '22' ? node22 : process.execPath;
  const [first, watched, implemented] = readExamples();
  await using server = await startServer(STORY);
  expect(await runModule(node, first, toEnv(server.url))).toEqual({
    code: 0,
    stdout: 'It is undefined.\n',
    stderr: '',
  });
  await using second = await startServer(STORY);
  const before = `import { ContextItem, investigate } from 'klendathu';\nconst [error, user] = [new Error('x'), { id: 1 }];\n`;
  const run = await runModule(node, before + watched, toEnv(second.url));
  expect([run.code, run.stderr]).toEqual([0, '']);
  expect(run.stdout.trim().split('\n')).toEqual(expect.arrayContaining(['turn', 'tool_call', 'summary']));
  const calls = [{ name: 'set_result', input: { result: { total: 3 } } }];
  await using third = await startServer({ steps: [{ reply: { calls } }] });
  const imports = `import { implement } from 'klendathu';\nimport { z } from 'zod';\nconst order = { items: [1, 2] };\n`;
  const made = await runModule(node, `${imports}${implemented}\nconsole.log(total);`, toEnv(third.url));
  expect(made).toEqual({ code: 0, stdout: '3\n', stderr: '' });
});

test('the example of the README on Node 20 names the version that it needs; records work', async () => {
  const node = installNode(OLD[20]);
  const [first] = readExamples();
  const live = await runModule(node, first);
  expect(live.code).toBe(1);
  expect(live.stderr).toContain("code: 'node-outdated'");
  expect(live.stderr).toContain('22.12');
  expect(live.stderr).toContain("reading 'toFixed'");
  const recorded = await runModule(node, first.replace('{ context:', "{ mode: 'record', context:"));
  expect([recorded.code, recorded.stderr]).toEqual([0, '']);
  const [, path = ''] = /^Recorded: (.*)$/m.exec(recorded.stdout) ?? [];
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ runtime: `node ${OLD[20]}` });
  const options = { cwd: project, env: toEnv(), encoding: 'utf8' } as const;
  const listed = spawnSync(node, [join(project, 'node_modules/.bin/klendathu'), 'records'], options);
  expect([listed.status, listed.stdout]).toEqual([0, expect.stringContaining('toFixed')]);
});
