import { randomBytes } from 'node:crypto';
import { recordOutput } from '../evaluate/console-capture.ts';
import { createEvaluator } from '../evaluate/evaluator.ts';
import { createRedactor, type Redactor } from '../redact/create-redactor.ts';
import { createTools } from './debug-tools.ts';
import type { DebugServer, DebugServerOptions } from './debug-server-options.ts';
import { createLiveSubject } from './live-subject.ts';
import type { Subject } from './subject.ts';
import type { ConsoleEntry } from '../contract/index.ts';

export type { DebugServer, DebugServerOptions };

/**
 * Starts the server. The error is looked at once; `locals` of frames need a capture before the throw (`arm`).
 *
 * @throws {Error} If no port can be opened.
 */
export async function startDebugServer(options: DebugServerOptions): Promise<DebugServer> {
  const redactor = createRedactor({ redact: options.redact });
  const subject = createLiveSubject({ ...options, redactor });
  return serveSubject(subject, { ...options, redactor });
}

interface ServeOptions extends Omit<DebugServerOptions, 'error' | 'context' | 'redact'> {
  redactor: Redactor;
  /** For a record: what its program printed. Default: what this process prints from now on. */
  printed?: readonly ConsoleEntry[];
}

/** Serves a subject of any kind. */
export async function serveSubject(
  subject: Subject,
  { redactor, printed, access = 'read', ...options }: ServeOptions,
): Promise<DebugServer> {
  // Only with the first investigation: importing the library must be cheap.
  const [{ McpServer }, { registerTools }, { serveHttp }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./register-tools.ts'),
    import('./serve-http.ts'),
  ]);
  const evaluator = createEvaluator({ context: subject.values, redactor });
  const output = printed ? toOutput(printed) : recordOutput(redactor);
  const tools = createTools({ ...options, access, subject, evaluator, output, redactor });
  const token = randomBytes(32).toString('base64url');
  const factory = (): InstanceType<typeof McpServer> => {
    const server = new McpServer({ name: 'klendathu', version: '0.1.0' }, { capabilities: { tools: {} } });
    registerTools(server, tools);
    return server;
  };
  const http = await serveHttp(factory, token);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> =>
    (closing ??= (async () => {
      evaluator.close();
      output.end();
      await http.close().catch(() => {});
    })());
  const { frames: callStack, context, error, fingerprint } = subject;
  return { url: http.url, token, callStack, context, error, fingerprint, close, [Symbol.asyncDispose]: close };
}

function toOutput(entries: readonly ConsoleEntry[]): ReturnType<typeof recordOutput> {
  return { entries: (since) => entries.filter(({ seq }) => seq > since), end: () => {} };
}
