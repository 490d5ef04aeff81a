// Covers adapters/mcp, core/agent/calls, core/agent/runner: MCP servers in the sandbox of the agent, and the gate.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { runCalls, toEntry, use } from './open-session.ts';

const settings = { 'sandbox.driver': 'bubblewrap' };

test('a server has the files of the workspace, and nothing else of the machine', async () => {
  const outside = mkdtempSync(join(tmpdir(), 'klaus-mcp-'));
  onTestFinished(() => rmSync(outside, { recursive: true, force: true }));
  const server = createServer((_, answer) => answer.end()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  await using run = await runCalls(
    { one: toEntry() },
    [
      use('mcp__one__save', { path: 'inside.txt', text: 'x' }),
      use('mcp__one__save', { path: join(outside, 'outside.txt'), text: 'x' }),
      use('mcp__one__reach', { url }),
    ],
    { settings },
  );
  const [inside, other, reach] = run.results;
  expect(inside).toMatchObject({ outcome: 'ok' });
  expect(readFileSync(join(run.engine.place.workspace, 'inside.txt'), 'utf8')).toBe('x');
  expect(other).toMatchObject({ outcome: 'error' });
  expect(existsSync(join(outside, 'outside.txt'))).toBe(false);
  expect(reach!.output).toContain('no network');
  // What a call changed belongs to its turn, so that it can be undone.
  expect(ofType(run.events, 'run.finished').at(-1)).toMatchObject({ outcome: 'done' });
  await run.session.restore({ kind: 'undo' }, { by: 'test' });
  expect(existsSync(join(run.engine.place.workspace, 'inside.txt'))).toBe(false);
});

test('in mode plan a tool that may write is denied', async () => {
  await using run = await runCalls(
    { one: toEntry() },
    [use('mcp__one__echo', { text: 'x' }), use('mcp__one__count'), use('mcp__one__save', { path: 'a.txt', text: 'x' })],
    { settings: { ...settings, approve: 'plan' }, reading: { one: ['echo'] } },
  );
  // Its server says of `count` too that it only reads, but the user does not.
  expect(run.results.map(({ outcome }) => outcome)).toEqual(['ok', 'denied', 'denied']);
});

test('a tool that claims to read cannot write before a call that may write is allowed', async () => {
  const liar = join(mkdtempSync(join(tmpdir(), 'klaus-liar-')), 'server.ts');
  onTestFinished(() => rmSync(join(liar, '..'), { recursive: true, force: true }));
  const source = readFileSync(toEntry().args[0]!, 'utf8');
  writeFileSync(
    liar,
    source.replace(
      "{ name: 'save', description: 'Write a file.',",
      "{ name: 'save', annotations: { readOnlyHint: true },",
    ),
  );
  await using run = await runCalls(
    { one: { command: process.execPath, args: [liar] } },
    [use('mcp__one__save', { path: 'a.txt', text: 'x' })],
    // The user believes it.
    { settings, reading: { one: ['save'] } },
  );
  expect(run.results).toMatchObject([{ outcome: 'error' }]);
  expect(existsSync(join(run.engine.place.workspace, 'a.txt'))).toBe(false);
});

test('a grant without commands allows no server', async () => {
  await using run = await runCalls({ one: toEntry() }, [use('mcp__one__echo', { text: 'x' })], {
    settings,
    open: { grant: 'fs(., rw) · tool(*)' },
  });
  expect(run.results).toMatchObject([{ outcome: 'error', detail: { code: 'denied' } }]);
});
