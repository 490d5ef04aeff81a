import { headOf } from '@klaus/core/cut-text';
import { isKlausError, KlausError, optional } from '@klaus/core/protocol';
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  UrlElicitationRequiredError,
  type GetPromptResult,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type Tool as ServerTool,
} from '@modelcontextprotocol/client';
import { CallTimer } from './call-timer.ts';
import { EndedError, findLoss } from './connection-loss.ts';
import { toFailure } from './failure.ts';
import type { ToolProblem } from './messages/repair-tools.ts';
import { selectTools } from './messages/select-tools.ts';
import type { SessionLogin } from './oauth.ts';
import { schemaValidator } from './schema-validator.ts';
import type { McpServer } from './server-config.ts';
import { ServerQuestions, type Ask } from './server-questions.ts';
import { HttpTransport } from './transports/http-transport.ts';
import type { ServerTransport } from './transports/server-transport.ts';
import { SseTransport } from './transports/sse-transport.ts';
import { StdioTransport, type StdioOptions } from './transports/stdio-transport.ts';

/** Milliseconds that a server has to start and to list what it has. */
const START_MS = 60_000;
/** Milliseconds for the answer of a server that speaks the newer version of the protocol; an older one may be silent. */
const PROBE_MS = 5_000;
/** Milliseconds that a connection has to end. */
const CLOSE_MS = 2_000;

export interface ConnectOptions {
  name: string;
  server: McpServer;
  /** Runs the program of a stdio server. */
  exec: StdioOptions['exec'];
  /** Mounts of a stdio server. */
  binds?: StdioOptions['binds'];
  /** The stored login of a server over HTTP. */
  login?: SessionLogin;
  signal: AbortSignal;
  /** The server has other tools now. */
  onToolsChanged?: () => void;
  /** Milliseconds. Default 60,000. */
  startMs?: number;
  /** True: questions of the server during a call go to `ask` of the call. Default false: it is said to be impossible. */
  asks?: boolean;
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress?: (text: string) => void;
  /** Asks the user. The time-out does not run during this time. Default: declines. */
  ask?: Ask;
}

export interface ListedServerTools {
  tools: readonly ServerTool[];
  problems: readonly ToolProblem[];
}

/**
 * A connection to a server that has been started or reached. Its methods throw KlausError `mcp.failed`, `cancelled`; the
 * cause of an error is a `ConnectionLoss` if the connection is gone.
 */
export interface McpConnection {
  /** Name and version that the server reported. */
  readonly server: string;
  /** Version of the protocol. */
  readonly protocol: string;
  readonly instructions: string | undefined;
  readonly hasResources: boolean;
  readonly hasPrompts: boolean;
  readonly isOpen: boolean;
  /** The tools that can be called, and what is wrong with them or with others. */
  tools(signal: AbortSignal): Promise<ListedServerTools>;
  prompts(signal: AbortSignal): Promise<readonly Prompt[]>;
  prompt(name: string, input: Record<string, string>, options: CallOptions): Promise<GetPromptResult>;
  resources(options: CallOptions): Promise<readonly Resource[]>;
  resource(uri: string, options: CallOptions): Promise<ReadResourceResult>;
  call(tool: ServerTool, input: Record<string, unknown>, options: CallOptions): Promise<unknown>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** @throws KlausError `mcp.failed`, `auth`, `cancelled`, `sandbox.*`. */
export async function connectServer(options: ConnectOptions): Promise<McpConnection> {
  const { server, signal, startMs = START_MS } = options;
  if (server.kind === 'http' && server.over === 'sse')
    return await connectOnce(options, { mode: 'legacy' }).catch((error: unknown) => Promise.reject(unwrap(error)));
  // A silent address is not there; a silent program may speak the older version.
  const probeMs = server.kind === 'http' ? startMs : Math.min(PROBE_MS, startMs);
  try {
    return await connectOnce(options, { mode: 'auto', probe: { timeoutMs: probeMs } });
  } catch (error) {
    const isOther = error instanceof EndedError || isRefusal(error);
    if (server.kind === 'http' || signal.aborted || !isOther) throw unwrap(error);
    // Some programs of the older version end at a request that they do not know. A slow one of the newer version
    // refuses the older handshake.
    const negotiation: Negotiation =
      error instanceof EndedError ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs: startMs } };
    return await connectOnce(options, negotiation).catch((other: unknown) => Promise.reject(unwrap(other)));
  }
}

function unwrap(error: unknown): unknown {
  return error instanceof EndedError ? error.reason : error;
}

type Negotiation = NonNullable<NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation']>;

function isRefusal(error: unknown): boolean {
  return error instanceof KlausError && error.cause instanceof ProtocolError;
}

async function connectOnce(options: ConnectOptions, negotiation: Negotiation): Promise<McpConnection> {
  const { name, signal, onToolsChanged = () => {}, startMs = START_MS, asks = false } = options;
  const client = new Client(
    { name: 'klaus', title: 'Klaus', version: '1' },
    {
      versionNegotiation: negotiation,
      jsonSchemaValidator: schemaValidator,
      ...(asks ? { capabilities: { elicitation: { form: { applyDefaults: true }, url: {} } } } : {}),
      listChanged: { tools: { onChanged: onToolsChanged, autoRefresh: false, debounceMs: 0 } },
    },
  );
  const questions = new ServerQuestions(name);
  if (asks)
    client.setRequestHandler('elicitation/create', (request, { mcpReq }) =>
      questions.answer(request.params, mcpReq.signal),
    );
  // A broken stream is reported by the request that it breaks.
  client.onerror = () => {};
  const transport = createTransport(options);
  const close = async (): Promise<void> => {
    await Promise.race([client.close().catch(() => {}), new Promise((done) => setTimeout(done, CLOSE_MS).unref())]);
    if (transport.ended) await transport.close();
  };
  let isOpen = true;
  try {
    await within((limits) => client.connect(transport, limits), { ms: startMs, signal, transport, questions });
  } catch (error) {
    await close();
    if (error instanceof EndedError && !signal.aborted) throw error;
    throw toFailure(name, unwrap(error), signal);
  }
  client.onclose = () => void (isOpen = false);
  const info = client.getServerVersion();
  const perform = async <T>(work: (limits: Limits) => Promise<T>, { onProgress, ...at }: CallOptions): Promise<T> => {
    const { signal: stop, timeoutMs: ms, ask } = at;
    const onprogress = onProgress && ((progress: Progress): void => onProgress(toProgressText(progress)));
    const limited = (limits: Limits): Promise<T> => work({ ...limits, ...optional({ onprogress }) });
    const run = (): Promise<T> => within(limited, { ms, signal: stop, transport, questions, ask });
    const fail = (error: unknown): KlausError => {
      const failure = toFailure(name, unwrap(error), stop);
      const loss = stop.aborted
        ? undefined
        : findLoss(error, transport.sessionId !== undefined || transport instanceof SseTransport);
      if (!loss) return failure;
      isOpen = false;
      void close();
      return new KlausError(failure.code, failure.message, { ...optional({ hint: failure.hint }), cause: loss });
    };
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof UrlElicitationRequiredError) || !ask) throw fail(error);
      if (!(await questions.open(error.elicitations, { ask, signal: stop }))) throw fail(error);
      return await run().catch((other: unknown) => Promise.reject(fail(other)));
    }
  };
  const capabilities = client.getServerCapabilities() ?? {};
  const start = (stop: AbortSignal): CallOptions => ({ signal: stop, timeoutMs: startMs });
  return {
    server: headOf([info?.title ?? info?.name ?? name, info?.version ?? ''].join(' ').trim(), 200),
    protocol: client.getNegotiatedProtocolVersion() ?? 'unknown',
    instructions: client.getInstructions(),
    hasResources: capabilities.resources !== undefined,
    hasPrompts: capabilities.prompts !== undefined,
    get isOpen() {
      return isOpen;
    },
    async tools(stop) {
      if (!capabilities.tools) return { tools: [], problems: [] };
      const listed = await perform((at) => client.listTools(undefined, { ...at, cacheMode: 'refresh' }), start(stop));
      const { tools, problems } = selectTools(name, listed.tools);
      return { tools, problems: [...transport.messages.problems, ...problems] };
    },
    prompts: async (stop) =>
      capabilities.prompts ? (await perform((at) => client.listPrompts(undefined, at), start(stop))).prompts : [],
    prompt: (prompt, input, at) => perform((limit) => client.getPrompt({ name: prompt, arguments: input }, limit), at),
    resources: async (at) => (await perform((limit) => client.listResources(undefined, limit), at)).resources,
    resource: (uri, at) => perform((limit) => client.readResource({ uri }, limit), at),
    call: ({ outputSchema: _, ...tool }, input, at) =>
      perform(
        (limit) => client.callTool({ name: tool.name, arguments: input }, { ...limit, toolDefinition: tool }),
        at,
      ),
    close,
  };
}

function createTransport({ name, server, exec, binds, login }: ConnectOptions): ServerTransport {
  if (server.kind === 'http')
    return server.over === 'sse'
      ? new SseTransport(server, { name, login })
      : new HttpTransport(server, { name, login });
  const { command, args, env } = server;
  return new StdioTransport({ name, command: [command, ...args], env, exec, binds });
}

interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

function toProgressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? `${progress}` : `${progress}/${total}`;
  return `${message === undefined ? count : `${count} ${headOf(message, 500)}`}\n`;
}

type Limits = { timeout: number; maxTotalTimeout: number; signal: AbortSignal };

/** The client has no limit that can be paused. */
const NO_LIMIT = { timeout: 2 ** 31 - 1, maxTotalTimeout: 2 ** 31 - 1 };

interface Within {
  ms: number;
  signal: AbortSignal;
  transport: ServerTransport;
  questions: ServerQuestions;
  ask?: Ask;
}

/** Rejects at the time-out, the abort and the end of the program, and then cancels the request at the server. */
async function within<T>(
  start: (limits: Limits) => Promise<T>,
  { ms, signal, transport, questions, ask }: Within,
): Promise<T> {
  const stop = new AbortController();
  const timer = new CallTimer(ms);
  const end = questions.begin({ timer, ask });
  const work = start({ ...NO_LIMIT, signal: stop.signal });
  work.catch(() => {});
  const { promise: left, reject } = Promise.withResolvers<never>();
  left.catch(() => {});
  const abort = (): void => reject(new KlausError('cancelled', 'Cancelled.'));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const { promise: gone, reject: fall } = Promise.withResolvers<never>();
  gone.catch(() => {});
  // The transport starts in this turn of the event loop.
  const toEnded = (reason: KlausError): EndedError => new EndedError(reason, transport.isRefused ?? false);
  queueMicrotask(() => void transport.ended?.then((reason) => fall(toEnded(reason))));
  try {
    return await Promise.race([work, timer.expired, left, gone]);
  } catch (error) {
    stop.abort(isKlausError(error) ? error.message : undefined);
    // The client reports a closed connection before the reason is known.
    if (transport.ended && isClosed(error)) throw toEnded(await Promise.race([transport.ended, timer.expired, left]));
    throw error;
  } finally {
    end();
    timer.close();
    signal.removeEventListener('abort', abort);
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed;
}
