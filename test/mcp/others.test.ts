// Covers adapters/mcp, sdk/mcp: servers of other makers from the registries, in the loop.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, type TestContext } from 'vitest';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { needPackages } from './install.ts';
import { runCalls, use } from './open-session.ts';
import { callTool, openHost, openTools } from './open-tools.ts';

const settings = { 'sandbox.driver': 'bubblewrap' };
const EVERYTHING = '@modelcontextprotocol/server-everything';
const FILES = '@modelcontextprotocol/server-filesystem';
const PACKAGES = [`${EVERYTHING}@2026.8.31`, `${FILES}@2026.8.31`];
const PYTHON = 'mcp-server-time==2026.10.19';

test(
  'server-everything over standard streams: text, images, structured content, progress, resources',
  { timeout: 120_000 },
  async (context) => {
    const modules = await needPackages(context, PACKAGES);
    const entry = { command: process.execPath, args: [join(modules, EVERYTHING, 'dist/index.js'), 'stdio'] };
    await using run = await runCalls(
      { all: entry },
      [
        { name: 'tool_search', input: { query: 'echo sum image' } },
        use('mcp__all__echo', { message: 'hello' }),
        use('mcp__all__get-sum', { a: 2, b: 3 }),
        use('mcp__all__get-sum', { a: 'two' }),
        use('mcp__all__get-tiny-image'),
        use('mcp__all__get-structured-content', { location: 'New York' }),
        use('mcp__all__list_resources'),
      ],
      { settings },
    );
    const [search, echo, sum, wrong, image, structured, resources] = run.results;
    expect(search!.output).toContain('mcp__all__echo');
    expect(echo!.output).toContain('hello');
    expect(sum!.output).toContain('5');
    expect(wrong).toMatchObject({ outcome: 'error', detail: { code: 'tool.input' } });
    expect(image!.output).toContain('image/png');
    expect(structured!.detail).toMatchObject({ structured: { conditions: expect.any(String) } });
    expect(resources!.output).toContain('demo://');
    expect(await run.session.replay()).toMatchObject({ outcome: 'equal' });
  },
);

test('server-everything over HTTP', { tags: ['long'], timeout: 120_000 }, async (context) => {
  const modules = await needPackages(context, PACKAGES);
  const port = await findPort();
  await startEverything(modules, { kind: 'streamableHttp', port });
  await using run = await runCalls(
    { web: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } },
    [use('mcp__web__echo', { message: 'hello' }), use('mcp__web__get-sum', { a: 2, b: 3 })],
    { settings, reading: { web: ['echo', 'get-sum'] } },
  );
  // The first result is content of others: the second call, which sends data to an address, asks.
  expect(run.results).toMatchObject([
    { outcome: 'ok', output: expect.stringContaining('hello') },
    { outcome: 'denied', output: expect.stringContaining('untrusted') },
  ]);
});

test(
  'server-filesystem sees the workspace, and writes only with a call that may',
  { tags: ['long'], timeout: 120_000 },
  async (context) => {
    const modules = await needPackages(context, PACKAGES);
    const entry = { command: process.execPath, args: [join(modules, FILES, 'dist/index.js'), '.'] };
    await using run = await runCalls(
      { files: entry },
      [
        use('mcp__files__read_text_file', { path: 'a.txt' }),
        use('mcp__files__write_file', { path: 'b.txt', content: 'written' }),
        use('mcp__files__read_text_file', { path: '/etc/passwd' }),
      ],
      { settings, files: { 'a.txt': 'some text' } },
    );
    const [read, written, outside] = run.results;
    expect(read).toMatchObject({ outcome: 'ok', output: expect.stringContaining('some text') });
    expect(written).toMatchObject({ outcome: 'ok' });
    expect(readFileSync(join(run.engine.place.workspace, 'b.txt'), 'utf8')).toBe('written');
    expect(outside).toMatchObject({ outcome: 'error' });
  },
);

test('mcp-server-time, a server in Python', { tags: ['long'], timeout: 180_000 }, async (context) => {
  const folder = await needPython(context);
  const entry = {
    command: '/usr/bin/env',
    args: ['python3', '-m', 'mcp_server_time', '--local-timezone', 'Europe/Berlin'],
    env: { PYTHONPATH: folder },
  };
  await using run = await runCalls(
    { time: entry },
    [use('mcp__time__convert_time', { source_timezone: 'UTC', time: '12:00', target_timezone: 'Asia/Tokyo' })],
    // Its packages are not below the workspace.
    { settings: { ...settings, 'sandbox.folders': [folder] } },
  );
  expect(run.results).toMatchObject([{ outcome: 'ok', output: expect.stringContaining('21:00') }]);
});

test.for([
  ['streamableHttp', 'http', '/mcp'],
  ['sse', 'sse', '/sse'],
] as const)(
  'server-everything over %s is used again after it was started again',
  { tags: ['long'], timeout: 120_000 },
  async ([kind, type, path], context) => {
    const modules = await needPackages(context, PACKAGES);
    const port = await findPort();
    using place = createTestHome();
    const entry = { type, url: `http://127.0.0.1:${port}${path}` };
    const tools = openTools(entry, { folder: place.workspace, sandbox: await openHost(place.workspace) });
    onTestFinished(() => tools.close());
    const first = await startEverything(modules, { kind, port });
    expect(await callTool(tools, 'echo', { message: 'one' })).toMatchObject({ outcome: 'ok' });
    first.kill('SIGKILL');
    await once(first, 'close');
    // Nothing is connected: the call was not performed.
    expect((await callTool(tools, 'echo', { message: 'two' })).outcome).toBe('mcp.failed');
    const second = await startEverything(modules, { kind, port });
    expect(await callTool(tools, 'echo', { message: 'three' })).toMatchObject({
      outcome: 'ok',
      text: expect.stringContaining('three'),
    });
    // The session of the connection is unknown to the server after that.
    second.kill('SIGKILL');
    await once(second, 'close');
    await startEverything(modules, { kind, port });
    expect(await callTool(tools, 'echo', { message: 'four' })).toMatchObject({ outcome: 'ok' });
  },
);

test(
  'server-everything over standard streams is started again after it was ended',
  { tags: ['long'], timeout: 120_000 },
  async (context) => {
    const modules = await needPackages(context, PACKAGES);
    using place = createTestHome();
    const entry = { command: process.execPath, args: [join(modules, EVERYTHING, 'dist/index.js'), 'stdio'] };
    const stops = [new AbortController()];
    const tools = openTools(entry, {
      ...{ folder: place.workspace, sandbox: await openHost(place.workspace) },
      stop: () => stops.at(-1)!.signal,
    });
    onTestFinished(() => tools.close());
    expect(await callTool(tools, 'echo', { message: 'one' })).toMatchObject({ outcome: 'ok' });
    stops.push(new AbortController());
    stops[0]!.abort();
    expect(await callTool(tools, 'echo', { message: 'two' })).toMatchObject({ outcome: 'ok' });
  },
);

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts the server at a port, and waits until it listens. It ends with the test. */
async function startEverything(modules: string, { kind, port }: { kind: string; port: number }): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(modules, EVERYTHING, 'dist/index.js'), kind], {
    env: { PATH: process.env['PATH'], PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  await pollUntil(async () => (await fetch(`http://127.0.0.1:${port}/none`).catch(() => undefined))?.status);
  return child;
}

/** The folder in which the Python package is installed, once. Without its registry the test is skipped, with the reason. */
async function needPython(context: TestContext): Promise<string> {
  const cache = join(import.meta.dirname, '../../node_modules/.cache/mcp');
  const folder = join(cache, PYTHON);
  try {
    if (!existsSync(folder)) {
      mkdirSync(cache, { recursive: true });
      const part = mkdtempSync(`${folder}.`);
      await promisify(execFile)('python3', [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--retries',
        '0',
        '--timeout',
        '15',
        '--target',
        part,
        PYTHON,
      ]);
      if (existsSync(folder)) rmSync(part, { recursive: true });
      else renameSync(part, folder);
    }
    return folder;
  } catch (error) {
    return context.skip(`${PYTHON} cannot be fetched: ${String(error).split('\n')[0]}`);
  }
}
