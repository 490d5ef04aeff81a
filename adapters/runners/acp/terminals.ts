import { tailOf } from '@klaus/core/cut-text';
import { randomUUID } from 'node:crypto';
import type { RunnerHost, ToolUse } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import type {
  CreateTerminalRequest,
  TerminalExitStatus,
  TerminalOutputResponse,
} from '@agentclientprotocol/sdk/unstable';
import { RequestError } from '@agentclientprotocol/sdk/unstable';

/** Bytes of output that a terminal keeps, if the agent does not limit it. */
const MAX_OUTPUT = 1_048_576;
const DAY_MS = 86_400_000;

interface Terminal {
  output: string;
  truncated: boolean;
  limit: number;
  stop: AbortController;
  use: Promise<ToolUse>;
  used?: ToolUse;
}

/** The terminals of an agent: each is one command of `run_command`, through the gate and in the sandbox. */
export class Terminals {
  readonly #terminals = new Map<string, Terminal>();
  readonly #host: RunnerHost;

  constructor(host: RunnerHost) {
    this.#host = host;
  }

  create({ command, args = [], env = [], cwd, outputByteLimit }: CreateTerminalRequest): string {
    const variables = env.map(({ name, value }) => `${name}=${quoteShellWord(value)}`);
    const line = args.length > 0 ? [command, ...args].map(quoteShellWord).join(' ') : command;
    const input = {
      command: variables.length > 0 ? `export ${variables.join(' ')}; ${line}` : line,
      timeoutMs: DAY_MS,
      ...(cwd ? { cwd } : {}),
    };
    const stop = new AbortController();
    const add = (text: string): void => {
      const all = terminal.output + text;
      terminal.output = all.length > terminal.limit ? tailOf(all, terminal.limit) : all;
      terminal.truncated ||= all.length > terminal.limit;
    };
    const use = this.#host.useTool('run_command', input, { signal: stop.signal, onOutput: add });
    const terminal: Terminal = { output: '', truncated: false, limit: outputByteLimit ?? MAX_OUTPUT, stop, use };
    const id = randomUUID();
    this.#terminals.set(id, terminal);
    use.then(
      (used) => {
        terminal.used = used;
        // Why a command did not run is not in its output.
        if (!hasRun(used)) add(used.output);
      },
      (error: unknown) => add(String(error)),
    );
    return id;
  }

  output(id: string): TerminalOutputResponse {
    const { output, truncated, used } = this.#find(id);
    return { output, truncated, ...(used ? { exitStatus: toExit(used) } : {}) };
  }

  async wait(id: string): Promise<TerminalExitStatus> {
    return toExit(await this.#find(id).use);
  }

  kill(id: string): void {
    this.#find(id).stop.abort();
  }

  release(id: string): void {
    this.kill(id);
    this.#terminals.delete(id);
  }

  #find(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (!terminal) throw RequestError.resourceNotFound(id);
    return terminal;
  }
}

function hasRun({ detail }: ToolUse): boolean {
  return typeof detail === 'object' && detail !== null && 'exitCode' in detail;
}

function toExit({ outcome, detail }: ToolUse): TerminalExitStatus {
  const { exitCode = null, signal = null } = (detail ?? {}) as { exitCode?: number | null; signal?: string | null };
  if (exitCode !== null || signal !== null) return { exitCode, signal };
  return outcome === 'cancelled' ? { exitCode: null, signal: 'SIGTERM' } : { exitCode: 126, signal: null };
}
