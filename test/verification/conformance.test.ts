// Covers apps/claude-code/verification: the official conformance suite of the Model Context Protocol.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { npm } from '../../bench/peers/npm.ts';
import { startKlaus } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

/** The first version that knows 2026-07-28. */
const VERSION = '0.2.0-alpha.12';
const PACKAGE = '@modelcontextprotocol/conformance';

/** The suite also tests prompts, resources and tools with fixed names, which this server does not have. */
const LACKS =
  /Tool '?\w+'? not found|Method not found|^Not testable: server (?:does not list|exposes no)|^Expected InputRequiredResult|^Prerequisite failed: could not get initial InputRequiredResult/;

interface Checked {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** Without the registry the test is skipped, with the reason; in CI it fails. */
async function needSuite(context: TestContext): Promise<string> {
  const cache = join(import.meta.dirname, '../../node_modules/.cache/mcp-conformance');
  const folder = join(cache, VERSION);
  try {
    if (!existsSync(folder)) {
      mkdirSync(cache, { recursive: true });
      const part = mkdtempSync(`${folder}.`);
      await npm(['install', '--prefix', part, '--ignore-scripts', `${PACKAGE}@${VERSION}`], part);
      if (existsSync(folder)) rmSync(part, { recursive: true });
      else renameSync(part, folder);
    }
    return join(folder, 'node_modules', PACKAGE, 'dist/index.js');
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return context.skip(`${PACKAGE} cannot be fetched: ${String(error).split('\n')[0]}`);
  }
}

/** The suite cannot send a token. */
async function addToken(target: string, token: string): Promise<{ url: string } & Disposable> {
  const proxy = createServer((asked, answered) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const passed = request(target, { method: asked.method, headers }, (answer) => {
      answered.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(answered);
    });
    passed.on('error', () => answered.destroy());
    answered.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    [Symbol.dispose]: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

for (const { cases, tags } of splitCases(
  [
    // As measured: it may only grow.
    ['2025-11-25', 36],
    ['2026-07-28', 87],
  ] as const,
  1,
))
  test.for(cases)('the requirements of %s hold', { tags, timeout: 240_000 }, async ([version, least], context) => {
    const suite = await needSuite(context);
    using place = createTestHome();
    const running = startKlaus(['mcp', '--http'], { place, env: { KLAUS_MCP_TOKEN: 'a-token' } });
    await running.printed('stdout', '\n');
    const { url } = JSON.parse(running.text.stdout) as { url: string };
    using proxy = await addToken(url, 'a-token');
    const results = join(place.home, 'results');
    const words = ['server', '--url', proxy.url, '--spec-version', version, '--suite', 'all', '-o', results];
    const child = spawn(process.execPath, [suite, ...words], { stdio: 'ignore', env: place.env });
    await once(child, 'close');
    running.kill('SIGTERM');
    expect((await running.ended).code).toBe(0);
    const checks = readdirSync(results).flatMap(
      (scenario) => JSON.parse(readFileSync(join(results, scenario, 'checks.json'), 'utf8')) as Checked[],
    );
    const failed = checks.filter(({ status, errorMessage = '' }) => status === 'FAILURE' && !LACKS.test(errorMessage));
    expect(failed).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(least);
  });
