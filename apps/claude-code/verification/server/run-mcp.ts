import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { messageOf } from '@klaus/sdk/message-of';
import { beginEnvironments } from '../chain/begin-environments.ts';
import { createServer, type ServerOptions } from './create-server.ts';
import { createRoots } from './roots.ts';
import { serveHttp } from './serve-http.ts';

export interface McpOptions {
  /** Folders in which the tools work. */
  roots: readonly string[];
  engine: ServerOptions['engine'];
  stdin: Readable;
  /** Gets messages of the protocol only. */
  stdout: Writable;
  log: (text: string) => void;
  /** Ends the server. */
  signal: AbortSignal;
  /** Serves HTTP on this port instead of standard input and output; 0 means a free one. */
  port?: number;
  /** For HTTP. Default: a random one. */
  token?: string;
  /** Receives the address when the HTTP server is ready. */
  onListening?: (listening: { url: string; token: string }) => void;
}

/**
 * Serves the Model Context Protocol until the client ends the connection, or `signal` is aborted.
 *
 * @throws StageFailure `workspace.missing` for a root that is no folder.
 */
export async function runMcp(options: McpOptions): Promise<void> {
  const { engine, stdin, stdout, log, signal, port } = options;
  const roots = createRoots(options.roots);
  const onError = (error: Error): void => log(error.message);
  const ready = beginEnvironments(roots.folders, engine).catch((error: unknown) => log(messageOf(error)));
  const factory = () => createServer({ roots, engine, ready });
  if (port !== undefined) {
    const token = options.token ?? randomBytes(32).toString('hex');
    await using server = await serveHttp(factory, { port, token, onError });
    options.onListening?.({ url: server.url, token });
    if (!signal.aborted) await once(signal, 'abort');
    return;
  }
  const transport = new StdioServerTransport(stdin, stdout);
  const ended = once(stdin, 'close');
  const server = serveStdio(factory, { transport, onerror: onError });
  const stop = signal.aborted ? Promise.resolve() : once(signal, 'abort');
  await Promise.race([ended, stop]);
  await server.close();
  await ready;
}
