import { randomBytes } from 'node:crypto';
import { recordOutput } from '../evaluate/console-capture.ts';
import { createEvaluator } from '../evaluate/evaluator.ts';
import { createRedactor, type Redactor } from '../redact/create-redactor.ts';
import { createTools } from './debug-tools.ts';
import { createLiveSubject } from './live-subject.ts';
import type { Subject } from './subject.ts';
import type { Access, ConsoleEntry, ContextEntry, ErrorSummary, Findings, StackFrame } from '../contract/index.ts';

export interface DebugServerOptions {
  /** The thrown value; undefined for `implement`, and for an investigation without an error. */
  error: unknown;
  /** The items by name, without `ContextItem` around them. Live references. */
  context: Readonly<Record<string, unknown>>;
  /** Descriptions of items. */
  descriptions?: Readonly<Record<string, string>>;
  /** Default `read`. */
  access?: Access;
  /** Milliseconds for one evaluation. Default 5000. */
  evalTimeoutMs?: number;
  /** Evaluations that are allowed. Default: no limit. */
  maxEvals?: number;
  /** Values, and patterns for values, that are masked in addition to the built-in rules. */
  redact?: readonly (string | RegExp)[];
  onReport?: (findings: Findings) => void;
  /** Offers `set_result` and `fail_implementation`. */
  implement?: {
    /** The reasons why a value is refused; empty for a valid one. */
    validate: (value: unknown) => Promise<readonly string[]>;
    /** Called with a valid result. */
    onResult: (value: unknown) => void;
    onRefused: (reason: string) => void;
    /** Calls of `set_result` that are allowed. Default 5. */
    attempts?: number;
  };
}

/** An MCP server on 127.0.0.1 through which an agent looks into this process. */
export interface DebugServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/mcp` */
  readonly url: string;
  /** Bearer token. */
  readonly token: string;
  /** What the input of the CLI says about the error and its context. */
  readonly callStack: readonly StackFrame[];
  readonly context: readonly ContextEntry[];
  readonly error: ErrorSummary | undefined;
  /** 16 hexadecimal digits; equal for errors with the same cause. */
  readonly fingerprint: string;
  /** Also ends running evaluations. Never rejects. */
  close(): Promise<void>;
}

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
