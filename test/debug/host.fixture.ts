import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { runInNewContext } from 'node:vm';

/** What the server does with the call of a tool instead of answering it. */
type Fault = 'hang' | 'garbage' | 'die';

export interface TestHostOptions {
  context?: Record<string, unknown>;
  /** Default: only `eval`. */
  tools?: readonly string[];
  fault?: Fault;
  /** The first request already meets the fault. */
  isFaultyAtOnce?: boolean;
  token?: string;
  /** Results of `set_result` by order; the last one is repeated. */
  results?: readonly { accepted: boolean; errors?: string[] }[];
}

/** A call of a tool that reached the program. */
export interface ReceivedCall {
  name: string;
  arguments: Record<string, unknown>;
}

export interface TestHost extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly ReceivedCall[];
  close(): Promise<void>;
}

const SCHEMAS: Readonly<Record<string, object>> = {
  eval: { type: 'object', properties: { code: { type: 'string' } }, required: ['code'], additionalProperties: false },
  set_result: { type: 'object', properties: { result: {} }, required: ['result'] },
  fail_implementation: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
  report: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

interface Request {
  id?: number;
  method: string;
  params?: { name: string; arguments: Record<string, unknown>; protocolVersion?: string };
}

/** An MCP server over streamable HTTP by hand, as a program in any language has it. */
export async function startTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const { tools = ['eval'], fault, isFaultyAtOnce, token, results = [{ accepted: true }] } = options;
  const calls: ReceivedCall[] = [];
  let tried = 0;
  const call = ({ name, arguments: input }: ReceivedCall): object => {
    if (name === 'set_result') return toResult(results[Math.min(tried++, results.length - 1)]);
    if (name !== 'eval') return toResult({ accepted: true });
    try {
      const context = options.context ?? {};
      const value = runInNewContext(String(input['code']), { context, ...context }) as unknown;
      return toResult({ result: String(value), console: [] });
    } catch (error) {
      return { content: [{ type: 'text', text: String(error) }], isError: true };
    }
  };
  const answer = ({ method, params }: Request): object => {
    if (method === 'initialize') {
      const serverInfo = { name: 'test', version: '1' };
      return { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo };
    }
    if (method !== 'tools/list') return call(params!);
    return {
      tools: tools.map((name) => ({
        name,
        description: `The tool ${name}.`,
        inputSchema: SCHEMAS[name] ?? { type: 'object' },
      })),
    };
  };
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      if (token !== undefined && request.headers.authorization !== `Bearer ${token}`) return end(response, 401, '');
      if (request.method !== 'POST') return end(response, 405, '');
      const message = JSON.parse(body) as Request;
      if (message.id === undefined) return end(response, 202, '');
      if (message.method === 'tools/call') calls.push(message.params!);
      if (fault && (isFaultyAtOnce || message.method === 'tools/call')) return breakWith(fault, response);
      end(response, 200, JSON.stringify({ jsonrpc: '2.0', id: message.id, result: answer(message) }));
    });
  });
  const breakWith = (kind: Fault, response: ServerResponse): void => {
    if (kind === 'garbage') end(response, 200, 'this is {no JSON');
    if (kind === 'die') {
      server.close();
      server.closeAllConnections();
    }
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function toResult(value: unknown): object {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request as AsyncIterable<Buffer>) text += chunk.toString();
  return text;
}

function end(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
