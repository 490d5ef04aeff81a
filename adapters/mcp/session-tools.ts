import type { SessionTools, SessionToolsHost, Tool } from '@klaus/core/agent';
import { KlausError, quoteShellWord, toKlausError, toNearest } from '@klaus/core/protocol';
import { z } from 'zod';
import { connectServer, type McpConnection } from './connect-server.ts';
import { lossOf, toLostFailure } from './connection-loss.ts';
import type { ToolProblem } from './messages/repair-tools.ts';
import { toBinds, toPlace, type McpServer } from './server-config.ts';
import { toPrompt, type ServerPrompt } from './server-prompt.ts';
import { toServerTools } from './server-tools.ts';
import { toMaker, type PerformOptions, type ServerToolsOptions } from './tool-base.ts';
import { ReviewedTools, type AskUser } from './reviewed-tools.ts';
import type { PinStore } from './tool-pins.ts';
import { createSessionLogin, toLoginSecrets, type LoginStore } from './oauth.ts';
import type { AllowsPlace } from './oauth-access.ts';

export interface SessionServer {
  name: string;
  /** @throws KlausError `config` if its entry cannot be used any more. */
  read(): McpServer;
  /** Values of the entry that are secret. */
  secrets?(): readonly { name: string; value: string }[];
  /** Called with the prompts that the server has when its tools are listed. */
  onPrompts?(prompts: readonly ServerPrompt[]): void;
  /** What the user knows about its tools. Default: nothing is stored. */
  pins?: PinStore;
  /** The stored login of an HTTP server. */
  login?: LoginStore;
}

/** A network without a limit: only such a grant gives a program the network. */
const EVERY_HOST = { kind: 'net', host: '*', port: 443 } as const;

/** The tools of the servers of a session. A server starts with the first search for tools, or the first call of one. */
export function createSessionTools(servers: readonly SessionServer[], host: SessionToolsHost): SessionTools {
  const opened = new Map(servers.map((server) => [server.name, new OpenServer(server, host)]));
  return {
    async list(signal, ask) {
      const question: AskUser | undefined = ask && ((message, { from }) => ask({ from, message, fields: [] }, signal));
      const found = await Promise.all(
        [...opened].map(async ([name, server]) => {
          try {
            return { ...(await server.list(signal, question)), failures: [] };
          } catch (error) {
            return {
              tools: [],
              notices: [],
              source: undefined,
              failures: [toFailureText(name, toKlausError(error, 'mcp.failed'))],
            };
          }
        }),
      );
      return {
        tools: found.flatMap(({ tools }) => tools),
        failures: found.flatMap(({ failures }) => failures),
        notices: found.flatMap(({ notices }) => notices),
        sources: new Map(
          found.flatMap(({ tools, source }) =>
            source === undefined ? [] : tools.map(({ name }): [string, string] => [name, source]),
          ),
        ),
      };
    },
    async find(name, signal) {
      const [, server = ''] = /^mcp__(.+?)__/.exec(name) ?? [];
      try {
        const own = opened.get(server);
        if (!own)
          throw new KlausError('tool.unknown', `This session has no MCP server ${server || name}.`, toHint(servers));
        const tools = await own.tools(signal);
        const tool = tools.find((each) => each.name === name);
        if (tool) return tool;
        const near = toNearest(
          name,
          tools.map((each) => each.name),
        );
        const hint = near === undefined ? 'tool_search finds its tools.' : `Did you mean ${near}?`;
        throw new KlausError('tool.unknown', `The MCP server ${server} has no tool ${name}.`, { hint });
      } catch (error) {
        // The reason can be a text of the server.
        const from = opened.has(server) ? toMaker(server) : ({ origin: 'local' } as const);
        return { ...toRefusing(name, toKlausError(error, 'mcp.failed')), ...from };
      }
    },
    async close() {
      await Promise.all([...opened.values()].map((server) => server.close()));
    },
  };
}

/** The message of a failure can be a text of the server, which a list of tools must not contain. */
function toFailureText(name: string, { code, message, hint = '' }: KlausError): string {
  if (code !== 'mcp.failed') return `${message} ${hint}`.trim();
  return `The MCP server ${name} cannot be used. \`klaus mcp test ${name}\` shows the reason.`;
}

function toHint(servers: readonly SessionServer[]): { hint?: string } {
  return servers.length === 0 ? {} : { hint: `Its servers: ${servers.map(({ name }) => name).join(', ')}.` };
}

/** In place of a tool that cannot be used: its call is refused with the reason, before any effect. */
function toRefusing(name: string, error: KlausError): Tool<unknown> {
  const fail = (): Promise<never> => Promise.reject(error);
  return { name, description: '', input: z.unknown(), effects: ['read'], resume: 'tell', prepare: fail, run: fail };
}

class OpenServer {
  readonly #server: SessionServer;
  readonly #host: SessionToolsHost;
  readonly #closing = new AbortController();
  #connection: Promise<McpConnection> | undefined;
  /** True if the program may change files. */
  #writes = false;
  #tools: Promise<Tool<unknown>[]> | undefined;
  /** The connection over which they were listed. */
  #listed: McpConnection | undefined;
  readonly #reviewed: ReviewedTools;
  readonly #notices: string[] = [];
  /** Number of tools that cannot be used, as it was reported last. */
  #lost = 0;

  constructor(server: SessionServer, host: SessionToolsHost) {
    this.#server = server;
    this.#host = host;
    this.#reviewed = new ReviewedTools(server.name, server.pins);
  }

  /** The tools that the user knows, after a question about those that changed. */
  async list(signal: AbortSignal, ask: AskUser | undefined) {
    let tools = await this.tools(signal);
    if (await this.#reviewed.ask(ask)) {
      this.#tools = undefined;
      tools = await this.tools(signal);
    }
    const notices = [...this.#notices.splice(0), ...this.#reviewed.takeNotices()];
    return { tools, notices, source: this.#reviewed.source };
  }

  /** The tools as the server lists them now; once for each connection and change. */
  async tools(signal: AbortSignal): Promise<Tool<unknown>[]> {
    // A server that was started again may have other tools.
    if (this.#listed?.isOpen === false) this.#tools = undefined;
    this.#tools ??= this.#load();
    const tools = this.#tools;
    tools.catch(() => {
      if (this.#tools === tools) this.#tools = undefined;
    });
    return unlessAborted(tools, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection?.then(
      (connection) => connection.close(),
      () => {},
    );
  }

  async #load(): Promise<Tool<unknown>[]> {
    const { signal } = this.#closing;
    return this.#perform((connection) => this.#loadFrom(connection), { writes: false, signal });
  }

  async #loadFrom(connection: McpConnection): Promise<Tool<unknown>[]> {
    const server = this.#read();
    this.#listed = connection;
    const options: ServerToolsOptions = {
      name: this.#server.name,
      server,
      workspace: this.#host.workspace,
      hasNetwork: this.#host.allows(EVERY_HOST),
      isUnconfined: this.#host.isUnconfined,
      perform: (work, at) => this.#perform(work, at),
      isReading: (tool) => this.#reviewed.isReading(tool),
      check: () => this.#check(server),
    };
    if (connection.hasPrompts && this.#server.onPrompts) {
      // They are only a help: a server that fails to list them keeps its tools.
      const prompts = await connection.prompts(this.#closing.signal).catch(() => undefined);
      if (prompts) this.#server.onPrompts(prompts.map(toPrompt));
    }
    const { tools, problems } = await connection.tools(this.#closing.signal);
    this.#reportLost(problems);
    return toServerTools(this.#reviewed.select(tools), connection, options);
  }

  /** The names are texts of the server, which a notice must not contain. */
  #reportLost(problems: readonly ToolProblem[]): void {
    const { length } = problems.filter(({ isLost }) => isLost);
    if (length === 0 || length === this.#lost) return;
    this.#lost = length;
    const { name } = this.#server;
    this.#notices.push(
      `Tools of the MCP server ${name} that cannot be used: ${length}. \`klaus mcp test ${name}\` names them.`,
    );
  }

  #read(): McpServer {
    const server = this.#server.read();
    this.#host.learn(this.#server.secrets?.() ?? []);
    this.#check(server);
    return server;
  }

  /** @throws KlausError `denied` if the present grant does not allow the server. */
  #check(server: McpServer): void {
    const { name } = this.#server;
    if (server.kind === 'http') {
      const place = toPlace(server);
      if (this.#host.allows({ kind: 'net', ...place })) return;
      throw new KlausError('denied', `The grant does not allow the address of the MCP server ${name}.`, {
        hint: `The user can grant net(${place.host}:${place.port}).`,
      });
    }
    const command = [server.command, ...server.args].map(quoteShellWord).join(' ');
    if (this.#host.allows({ kind: 'exec', command })) return;
    throw new KlausError('denied', `The grant does not allow the program of the MCP server ${name}.`);
  }

  /** A request that the server did not perform, or that only reads, is repeated once over another connection. */
  async #perform<T>(work: (connection: McpConnection) => Promise<T>, { writes, signal }: PerformOptions): Promise<T> {
    for (let isRepeated = false; ; isRepeated = true) {
      const connection = await unlessAborted(this.#connect(writes), signal);
      try {
        return await work(connection);
      } catch (error) {
        const loss = lossOf(error);
        if (!loss || signal.aborted) throw error;
        if (loss.isSent && writes) throw toLostFailure(this.#server.name, toKlausError(error, 'mcp.failed'));
        if (isRepeated) throw error;
      }
    }
  }

  /** The connection; a new one if it ended, or if its program may not change files and now has to. */
  #connect(writes: boolean): Promise<McpConnection> {
    const before = this.#connection;
    const isWider = writes && !this.#writes && this.#server.read().kind === 'stdio' && this.#host.isSandboxed;
    this.#writes ||= writes;
    const next = (async () => {
      const known = await before?.catch(() => undefined);
      if (known?.isOpen && !isWider) return known;
      await known?.close();
      return this.#open();
    })();
    this.#connection = next;
    return next;
  }

  async #open(): Promise<McpConnection> {
    const server = this.#read();
    const { name, login } = this.#server;
    const { workspace, exec } = this.#host;
    const writes = this.#writes;
    const stored = server.kind === 'http' ? await login?.read() : undefined;
    if (stored !== undefined) this.#host.learn(toLoginSecrets(stored).map((value) => ({ name: `mcp-${name}`, value })));
    const binds = server.kind === 'stdio' ? toBinds(server, workspace) : undefined;
    const allows: AllowsPlace = (place) => this.#host.allows({ kind: 'net', ...place });
    return connectServer({
      name,
      server,
      exec: (request) => exec(request, { writes }),
      asks: true,
      signal: this.#closing.signal,
      onToolsChanged: () => void (this.#tools = undefined),
      binds,
      login: stored === undefined ? undefined : createSessionLogin(login!, { name, allows }),
    });
  }
}

/** Rejects with `cancelled` when the caller leaves; the work continues for others. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const abort = (): void => reject(new KlausError('cancelled', 'Cancelled.'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
