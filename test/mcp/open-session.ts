import { join } from 'node:path';
import type { Event, Session } from '@klaus/sdk';
import { play, type PlayOptions } from '../fixtures/play.ts';
import { createTestEngine, ofType, type TestEngine, type TestEngineOptions } from '../fixtures/engine.ts';

export const FIXTURE = join(import.meta.dirname, 'server.fixture.ts');

/** An entry of `.mcp.json` for the server of the tests. */
export function toEntry(...args: string[]) {
  return { command: process.execPath, args: [FIXTURE, ...args] };
}

export const use = (name: string, input: object = {}) => ({ name: 'use_tool', input: { name, input } });

export interface McpTest extends AsyncDisposable {
  engine: TestEngine;
  session: Session;
  events: Event[];
  results: { name: string; outcome: string; output: string; detail: unknown; isUntrusted: boolean }[];
}

/** Opens a session with these servers, which the user trusts, and runs one call in each turn. */
export async function runCalls(
  servers: Readonly<Record<string, unknown>>,
  calls: readonly { name: string; input: object }[],
  {
    settings,
    files,
    open = {},
    user = 'none',
  }: Pick<TestEngineOptions, 'settings' | 'files'> & { open?: object; user?: PlayOptions['user'] } = {},
): Promise<McpTest> {
  const engine = await createTestEngine({
    files: { '.mcp.json': JSON.stringify({ mcpServers: servers }), ...files },
    ...(settings ? { settings } : {}),
    script: {
      steps: [
        ...calls.map(({ name, input }, turn) => ({
          when: { turn },
          reply: { calls: [{ name, input: JSON.parse(JSON.stringify(input)) }] },
        })),
        { when: { turn: calls.length }, reply: { text: 'Done.' } },
      ],
    },
  });
  const session = await engine.klaus.open({ trustCommand: true, ...open });
  await play(engine.klaus, session, { user, prompt: 'go' });
  const events = await Array.fromAsync(session.events());
  return {
    engine,
    session,
    events,
    results: ofType(events, 'tool.finished').map(({ name, outcome, output, detail, untrusted }) => ({
      isUntrusted: untrusted !== undefined,
      name,
      outcome,
      output,
      detail,
    })),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  };
}
