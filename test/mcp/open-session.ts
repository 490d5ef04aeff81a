import { join } from 'node:path';
import { openMcpConfiguration, type Event, type Session } from '@klaus/sdk';
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
    env,
    open = {},
    user = 'none',
    reading = {},
  }: Pick<TestEngineOptions, 'settings' | 'files' | 'env'> & {
    open?: object;
    user?: PlayOptions['user'];
    /** Tools by server that the user marked as ones that only read. The user accepts the descriptions of the server. */
    reading?: Readonly<Record<string, readonly string[]>>;
  } = {},
): Promise<McpTest> {
  const engine = await createTestEngine({
    files: { '.mcp.json': JSON.stringify({ mcpServers: servers }), ...files },
    ...(settings ? { settings } : {}),
    ...(env ? { env } : {}),
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
  const mcp = openMcpConfiguration({
    cwd: engine.place.workspace,
    env: { ...engine.place.env, KLAUS_SANDBOX: 'host' },
  });
  for (const [name, tools] of Object.entries(reading)) {
    await mcp.trust(name);
    (await mcp.review(name, { signal: new AbortController().signal })).accept(tools);
  }
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
