// Covers adapters/mcp: servers that break the protocol or end, each in one way. None loses more than what is at fault.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inspectServer, toMcpServer } from '../../../adapters/mcp/index.ts';
import { callTool, openHost, openTools } from '../open-tools.ts';
import type { BadServer } from './bad-server.ts';
import { serveHttp } from './serve-http.ts';

const SERVERS = join(import.meta.dirname, 'servers');
const PROGRAM = join(import.meta.dirname, 'serve-stdio.fixture.ts');

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

test.concurrent.each(readdirSync(SERVERS))('%s', async (file) => {
  const { server: bad } = (await import(join(SERVERS, file))) as { server: BadServer };
  const { tools: names, lost = [], noted = [], calls = [], starts } = bad.expected;
  const folder = mkdtempSync(join(tmpdir(), 'mcp-'));
  const sandbox = await openHost(folder);
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
    const tools = openTools(server.entry, { folder, sandbox, reading: ['read'] });
    try {
      for (const each of calls) {
        const { outcome, text } = await callTool(tools, each.name, each.input);
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
