import { headOf } from '@klaus/sdk/cut-text';
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { VERSION } from '@klaus/sdk/version';
import { CliFailure } from '../program/cli-failure.ts';

/** A tool of the MCP server of the program. */
export interface HostTool {
  name: string;
  description: string;
  inputSchema: Readonly<Record<string, unknown>>;
}

export interface HostResult {
  text: string;
  isError: boolean;
  /** The JSON of the result, if it has any. */
  data: unknown;
}

/** The MCP server inside the failing program. */
export interface HostConnection {
  readonly tools: readonly HostTool[];
  /** Host name and port of the server. */
  readonly host: string;
  readonly port: number;
  /**
   * @param options.timeoutMs Milliseconds for the answer.
   * @throws HostTimeout, and CliFailure `server` if the server cannot be reached or does not speak MCP.
   */
  call(
    name: string,
    input: Record<string, unknown>,
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<HostResult>;
  /** Never rejects. */
  close(): Promise<void>;
}

/** The server did not answer in time. It may still be there. */
export class HostTimeout extends Error {}

export interface ConnectOptions {
  url: string;
  token?: string;
  timeoutMs: number;
  signal: AbortSignal;
}

const HTTP_PORT = 80;
const HTTPS_PORT = 443;
const CLOSE_MS = 1_000;

/** @throws CliFailure `server`, `cancelled`. */
export async function connectHost({ url, token, timeoutMs, signal }: ConnectOptions): Promise<HostConnection> {
  const address = new URL(url);
  const client = new Client({ name: 'klendathu-cli', version: VERSION });
  // A broken stream is reported by the request that it breaks.
  client.onerror = () => {};
  const transport = new StreamableHTTPClientTransport(address, {
    requestInit: token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const close = async (): Promise<void> => {
    const late = new Promise<void>((resolve) => setTimeout(resolve, CLOSE_MS).unref());
    await Promise.race([client.close().catch(() => {}), late]);
  };
  let tools: HostTool[];
  try {
    const limits = { timeout: timeoutMs, maxTotalTimeout: timeoutMs, signal };
    await within(client.connect(transport, limits), { timeoutMs, signal });
    const listed = await within(client.listTools(undefined, limits), { timeoutMs, signal });
    tools = listed.tools.map(({ name, description = '', inputSchema }) => ({ name, description, inputSchema }));
  } catch (error) {
    await close();
    if (signal.aborted) throw new CliFailure('cancelled', 'It was cancelled before the program was reached.');
    throw unreachable(url, error);
  }
  return {
    tools,
    host: address.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(address.port) || (address.protocol === 'https:' ? HTTPS_PORT : HTTP_PORT),
    async call(name, input, options) {
      try {
        const { signal: stop, timeoutMs: timeout } = options;
        const calling = client.callTool(
          { name, arguments: input },
          { timeout, maxTotalTimeout: timeout, signal: stop },
        );
        return toResult(await within(calling, { timeoutMs: timeout, signal: stop }));
      } catch (error) {
        if (options.signal.aborted) throw error;
        if (isTimeout(error)) throw new HostTimeout(`The program did not answer within ${options.timeoutMs} ms.`);
        // Errors of the protocol are answers, such as one about invalid arguments.
        if (isAnswer(error)) return { text: error.message, isError: true, data: undefined };
        throw unreachable(url, error);
      }
    },
    close,
  };
}

/** Rejects at the time-out or the abort, also if the client itself still waits. */
async function within<T>(
  work: Promise<T>,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<T> {
  work.catch(() => {});
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error('cancelled'));
  const timer = setTimeout(() => reject(new HostTimeout(`no answer within ${timeoutMs} ms`)), timeoutMs);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof HostTimeout || (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout);
}

function isAnswer(error: unknown): error is Error {
  return error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult);
}

function unreachable(url: string, error: unknown): CliFailure {
  const cause = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : '';
  return new CliFailure('server', `The MCP server of the program cannot be used at ${url}: ${headOf(cause, 500)}`, {
    hint: 'The program has ended, does not listen at this address, or refuses the token.',
    cause: error,
  });
}

function toResult(result: Awaited<ReturnType<Client['callTool']>>): HostResult {
  const {
    content = [],
    structuredContent,
    isError,
  } = result as {
    content?: readonly { type: string; text?: string }[];
    structuredContent?: unknown;
    isError?: boolean;
  };
  const texts = content.map((part) => (part.type === 'text' ? (part.text ?? '') : `[${part.type}]`));
  const text = texts.length > 0 ? texts.join('\n') : JSON.stringify(structuredContent ?? null);
  return { text, isError: isError === true, data: structuredContent ?? toJson(text) };
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
