import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Message {
  id?: number | string;
  method?: string;
  params?: { name?: string; cursor?: string };
}

/** A request over standard input. */
export interface StdioRequest {
  message: Message;
  /** How often the program was started before. */
  starts: number;
  readonly write: (text: string) => void;
}

/** A request over HTTP; `message` is that of a POST. */
export interface HttpRequest {
  message: Message | undefined;
  request: IncomingMessage;
  response: ServerResponse;
  /** How often a client sent `initialize` before. */
  starts: number;
  /** How often a client sent this method before. */
  seen: number;
  /** With `sse`: the open stream of events. */
  stream: ServerResponse | undefined;
}

interface Call {
  name: string;
  input?: Record<string, unknown>;
  /** `ok`, `error` for a result that is a failure, or the code of an error. */
  outcome: string;
  /** A part of the result. */
  text?: string;
}

/** A server that breaks the protocol, or ends, in one way. It has the tool `echo`. */
export interface BadServer {
  over: 'stdio' | 'http' | 'sse';
  /** Further entries of its list of tools. */
  tools?: readonly unknown[];
  /** Results by method, in place of the usual ones. */
  results?: Readonly<Record<string, unknown>>;
  /** True if it answered. */
  onStdio?(request: StdioRequest): boolean;
  /** True if it answered. */
  onHttp?(request: HttpRequest): boolean;
  expected: {
    /** Names of tools that can be used. */
    tools?: readonly string[];
    /** Names of tools that are reported: those that cannot be used, and those with a fault. */
    lost?: readonly string[];
    noted?: readonly string[];
    /** Calls one after another. */
    calls?: readonly Call[];
    /** Number of `initialize` requests. */
    starts?: number;
  };
}

const ECHO = { name: 'echo', inputSchema: { type: 'object' } };
/** The user knows that it only reads. */
const READ = { name: 'read', inputSchema: { type: 'object' } };

export function defineServer(server: BadServer): BadServer {
  return server;
}

/** The usual answer to a request; undefined for a notification. */
export function toAnswer({ tools = [], results = {} }: BadServer, { id, method, params }: Message) {
  if (id === undefined || method === undefined) return undefined;
  const usual: Readonly<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'bad', version: '1' },
    },
    'tools/list': { tools: [ECHO, READ, ...tools] },
    'tools/call': { content: [{ type: 'text', text: `called ${params?.name}` }] },
    ...results,
  };
  const answer = Object.hasOwn(usual, method)
    ? { result: usual[method] }
    : { error: { code: -32_601, message: 'Method not found' } };
  return { jsonrpc: '2.0', id, ...answer };
}
