// Covers adapters/mcp: servers that break the protocol or end, each in one way. None loses more than what is at fault.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import type { Sandbox, SessionTools, ToolContext } from '@klaus/core/agent';
import { isKlausError } from '@klaus/core/protocol';
import { expect, test } from 'vitest';
import { createSessionTools, inspectServer, toMcpServer } from '../../../adapters/mcp/index.ts';
import type { BadServer } from './bad-server.ts';
import { serveHttp } from './serve-http.ts';

const SERVERS = join(import.meta.dirname, 'servers');
const PROGRAM = join(import.meta.dirname, 'serve-stdio.fixture.ts');

/** A call that hangs ends with the time limit of the test. */
const LIMITS = { timeoutMs: 3_600_000, memoryMb: 4_096, processes: 1_024 };

/** The user has accepted no descriptions, and knows that `read` only reads. */
const MARKED = { read: () => undefined, readReading: () => ['read'], write: () => {} };

/** An entry of `.mcp.json` for a running server, and how often it was started. */
async function start(bad: BadServer, { file, folder }: { file: string; folder: string }) {
  if (bad.over === 'stdio') {
    const counter = join(folder, 'starts');
    writeFileSync(counter, '');
    const entry = { command: process.execPath, args: [PROGRAM, join(SERVERS, file), counter] };
    return { entry, starts: () => readFileSync(counter).length, [Symbol.dispose]: () => {} };
  }
  const served = await serveHttp(bad);
  return { ...served, entry: { type: bad.over, url: served.url } };
}

function openTools(entry: unknown, { folder, sandbox }: { folder: string; sandbox: Sandbox }): SessionTools {
  const server = { name: 'bad', read: () => toMcpServer('bad', entry, {}), pins: MARKED };
  return createSessionTools([server], {
    ...{ session: 'S', workspace: folder, isSandboxed: false, isUnconfined: true },
    allows: () => true,
    exec: (request) => sandbox.exec({ ...request, limits: LIMITS }),
    learn: () => {},
  });
}

async function call(tools: SessionTools, { name, input = {} }: { name: string; input?: object }) {
  const { signal } = new AbortController();
  const context = { signal, execLimits: LIMITS, progress: () => {} } as unknown as ToolContext;
  try {
    const tool = await tools.find(`mcp__bad__${name}`, signal);
    const intent = await tool.prepare!(input, context);
    const { text, isError } = await tool.run(input, context, intent);
    return { outcome: isError ? 'error' : 'ok', text };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return { outcome: error.code, text: error.message };
  }
}

test.concurrent.each(readdirSync(SERVERS))('%s', async (file) => {
  const { server: bad } = (await import(join(SERVERS, file))) as { server: BadServer };
  const { tools: names, lost = [], noted = [], calls = [], starts } = bad.expected;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  const sandbox = await createSandbox({ workspace: folder, home: folder, choice: 'host' });
  try {
    using server = await start(bad, { file, folder });
    if (names || lost.length > 0 || noted.length > 0) {
      const inspected = await inspectServer({
        ...{ name: 'bad', server: toMcpServer('bad', server.entry, {}), workspace: folder, sandbox },
        signal: new AbortController().signal,
      });
      if (names) expect(inspected.tools.map(({ name }) => name)).toEqual(names);
      const reported = (isLost: boolean) =>
        inspected.problems.filter((each) => each.isLost === isLost).map(({ tool }) => tool);
      expect({ lost: reported(true), noted: reported(false) }).toEqual({ lost, noted });
    }
    const before = server.starts();
    const tools = openTools(server.entry, { folder, sandbox });
    try {
      for (const each of calls) {
        const { outcome, text } = await call(tools, each);
        expect({ outcome, text }).toEqual({ outcome: each.outcome, text: expect.stringContaining(each.text ?? '') });
      }
    } finally {
      await tools.close();
    }
    if (starts !== undefined) expect(server.starts() - before).toBe(starts);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
