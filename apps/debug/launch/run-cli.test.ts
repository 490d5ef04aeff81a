import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import type { StatusMessage } from '../contract/index.ts';
import { readReport } from './judge-end.ts';
import { isScript, runCli } from './run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'klendathu-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

let scripts = 0;

/** Runs a script as the CLI. */
async function run(
  code: string,
  { input, signal = new AbortController().signal }: { input?: unknown; signal?: AbortSignal } = {},
) {
  const cli = join(folder, `${(scripts += 1)}.mjs`);
  writeFileSync(cli, `import { writeSync, readFileSync } from 'node:fs';\n${code}`);
  const messages: StatusMessage[] = [];
  const events: unknown[] = [];
  const command = { cli, node: process.execPath, env: { PATH: process.env['PATH']! }, folder };
  const end = await runCli(command, input, {
    signal,
    onStatus: (message) => messages.push(message),
    onEvent: (event) => events.push(event),
  });
  return { end, messages, events };
}

const SUMMARY = JSON.stringify({ type: 'summary', turns: 1, cost: 0.5, timestamp: 't' });
const REPORT = JSON.stringify({ text: 'found', evidence: [], stats: { turns: 1, cost: 0.5 } });

test('input, messages, events and the report pass', async () => {
  const { end, messages, events } = await run(
    `writeSync(2, readFileSync(0, 'utf8') + '\\n');
     writeSync(2, ${JSON.stringify(`${SUMMARY}\n`)});
     writeSync(3, '{"type":"run.started"}\\nnothing\\n{"a":1}\\n');
     writeSync(1, ${JSON.stringify(REPORT)});`,
    { input: { type: 'turn', turnNumber: 1, timestamp: 't' } },
  );
  expect(messages).toEqual([{ type: 'turn', turnNumber: 1, timestamp: 't' }, JSON.parse(SUMMARY)]);
  expect(events).toEqual([{ type: 'run.started' }]);
  expect(end).toMatchObject({ exitCode: 0, summary: { cost: 0.5 } });
  expect(await readReport(end, undefined)).toMatchObject({ text: 'found' });
});

test('what is no message on standard error becomes a log message, with an end of its length', async () => {
  const { end, messages } = await run(
    `writeSync(2, 'a\\n\\n{"type":"turn"}\\n');
     for (let at = 0; at < 200; at++) writeSync(2, Buffer.alloc(65536, 255));
     writeSync(2, '\\n' + ${JSON.stringify(SUMMARY)} + '\\nend');
     writeSync(1, ${JSON.stringify(REPORT)});`,
  );
  expect(messages.map(({ type }) => type)).toEqual(['log', 'log', 'log', 'summary', 'log']);
  expect(JSON.stringify(messages).length).toBeLessThan(10_000);
  expect(await readReport(end, undefined)).toMatchObject({ text: 'found' });
});

test.each([
  ['killed', `process.kill(process.pid, 'SIGKILL')`, 'cli-died'],
  ['crashed', `throw new Error('defect')`, 'cli-died'],
  ['without a report', '', 'cli-outdated'],
  ['with text', `writeSync(1, 'The cause is …')`, 'cli-outdated'],
  ['with an incomplete report', `writeSync(1, '{"text":1}')`, 'cli-outdated'],
  ['an unknown option', `console.error("error: unknown option '--json'"); process.exit(1)`, 'cli-outdated'],
  [
    'with its own error',
    `writeSync(2, '{"type":"log","level":"error","code":"auth","message":"no key","hint":"Set X","timestamp":"t"}\\n'); process.exit(3)`,
    'auth',
  ],
  ['with an exit code and a summary', `writeSync(2, ${JSON.stringify(`${SUMMARY}\n`)}); process.exit(7)`, 'limit'],
])('%s: a typed error with the original error as its cause', async (_, code, expected) => {
  const subject = new Error('original');
  const { end } = await run(code);
  await expect(readReport(end, subject)).rejects.toMatchObject({
    name: 'KlendathuError',
    code: expected,
    cause: subject,
  });
});

test('an abort ends the CLI and the programs that it started, also if they ignore signals', async () => {
  const stop = new AbortController();
  const pidFile = join(folder, 'pids');
  const running = run(
    `import { spawn } from 'node:child_process';
     process.on('SIGTERM', () => {});
     const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' });
     await new Promise((resolve) => child.once('spawn', resolve));
     (await import('node:fs')).writeFileSync(${JSON.stringify(pidFile)}, process.pid + ' ' + child.pid);
     setInterval(() => {}, 1000);`,
    { signal: stop.signal },
  );
  const pids = await vi.waitFor(() => readPids(pidFile), { timeout: 30_000 });
  stop.abort();
  expect((await running).end).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 30_000 });
});

test.each(['SIGKILL', 'SIGINT'] as const)('a host that ends by %s leaves no CLI', async (signal) => {
  const pidFile = join(folder, `pids-${signal}`);
  const cli = join(folder, `host-cli-${signal}.mjs`);
  writeFileSync(
    cli,
    `import { writeFileSync } from 'node:fs';
     writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`,
  );
  const command = { cli, node: process.execPath, env: {}, folder };
  const host = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { runCli } from ${JSON.stringify(join(import.meta.dirname, 'run-cli.ts'))};
     await runCli(${JSON.stringify(command)}, {}, { signal: new AbortController().signal, onStatus() {}, onEvent() {} });`,
  ]);
  const pids = await vi.waitFor(() => readPids(pidFile), { timeout: 30_000 });
  host.kill(signal);
  await once(host, 'exit');
  await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 30_000 });
});

test('a program that cannot be started is missing', async () => {
  const command = { cli: join(folder, 'none.mjs'), node: join(folder, 'no-node'), env: {}, folder };
  const listeners = { signal: new AbortController().signal, onStatus() {}, onEvent() {} };
  await expect(runCli(command, {}, listeners)).rejects.toMatchObject({ code: 'cli-missing' });
});

test('a file without an extension is a script by its first line', () => {
  const path = join(folder, 'program');
  writeFileSync(path, '#!/usr/bin/env node\n');
  expect(isScript(path)).toBe(true);
  writeFileSync(path, '#!/bin/sh\n');
  expect(isScript(path)).toBe(false);
});

function readPids(path: string): number[] {
  const pids = readFileSync(path, 'utf8').split(' ').map(Number);
  expect(pids.every((pid) => pid > 0)).toBe(true);
  return pids;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie of another parent is dead.
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
