import { createSandbox } from '@klaus/adapters/sandboxes';
import type { Sandbox, SessionTools, ToolContext } from '@klaus/core/agent';
import { isKlausError } from '@klaus/core/protocol';
import { createSessionTools, toMcpServer } from '../../adapters/mcp/index.ts';

/** A call that hangs ends with the time limit of the test. */
const LIMITS = { timeoutMs: 3_600_000, memoryMb: 4_096, processes: 1_024 };

export const openHost = (folder: string): Promise<Sandbox> =>
  createSandbox({ workspace: folder, home: folder, choice: 'host' });

interface OpenToolsOptions {
  folder: string;
  sandbox: Sandbox;
  /** Tools that the user has marked as ones that only read. */
  reading?: readonly string[];
  /** Ends a program that is running. */
  stop?: () => AbortSignal;
}

/** The tools of the server `one` with this entry, as a session on the host has them. */
export function openTools(entry: unknown, { folder, sandbox, reading = [], stop }: OpenToolsOptions): SessionTools {
  const pins = { read: () => undefined, readReading: () => reading, write: () => {} };
  return createSessionTools([{ name: 'one', read: () => toMcpServer('one', entry, {}), pins }], {
    ...{ session: 'S', workspace: folder, isSandboxed: false, isUnconfined: true },
    allows: () => true,
    exec: (request) => {
      const signals = [request.signal, stop?.()].filter((signal) => signal !== undefined);
      return sandbox.exec({ ...request, limits: LIMITS, signal: AbortSignal.any(signals) });
    },
    learn: () => {},
  });
}

/** Calls a tool. The outcome is `ok`, `error` for a result that is a failure, or the code of an error. */
export async function callTool(tools: SessionTools, name: string, input: object = {}) {
  const { signal } = new AbortController();
  const context = { signal, execLimits: LIMITS, progress: () => {} } as unknown as ToolContext;
  try {
    const tool = await tools.find(`mcp__one__${name}`, signal);
    const intent = await tool.prepare!(input, context);
    const { text, isError } = await tool.run(input, context, intent);
    return { outcome: isError ? 'error' : 'ok', text };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return { outcome: error.code, text: error.message };
  }
}
