import { tailOf } from '@klaus/core/cut-text';
import type { AgentProcess } from '@klaus/core/agent';
import { isKlausError, KlausError, messageOf } from '@klaus/core/protocol';
import { serializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { ServerMessages } from '../messages/server-messages.ts';
import type { ServerTransport } from './server-transport.ts';

/** Bytes of one message. */
const MAX_MESSAGE = 16 * 1_024 * 1_024;
/** Bytes of error output after which the server is ended. */
const MAX_STDERR = 64 * 1_024 * 1_024;
/** Lines that are no messages, after which the server is ended. Some servers print a greeting. */
const MAX_GARBAGE = 100;
/** Characters of error output in a message. */
const SHOWN = 600;
const NEWLINE = 10;

export interface StdioOptions extends Pick<AgentProcess, 'command' | 'env' | 'binds'> {
  /** Name of the server, for messages. */
  name: string;
  /** Runs the program until `signal` is aborted. */
  readonly exec: (request: AgentProcess) => Promise<{ exitCode: number | null; signal: string | null }>;
}

/** A connection to a server over the standard streams of its program. */
export class StdioTransport implements ServerTransport {
  readonly messages = new ServerMessages();
  /** The SDK recognises a transport over standard streams by these fields, and treats a silent server as an older one. */
  readonly stderr = null;
  readonly pid = null;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: StdioOptions;
  readonly #stop = new AbortController();
  readonly #input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 1_024 });
  readonly #writer = this.#input.writable.getWriter();
  #ended: Promise<KlausError> | undefined;
  /** The start of a message whose end has not arrived. */
  #parts: Buffer[] = [];
  #length = 0;
  #garbage = 0;
  #errors = '';
  #errorBytes = 0;
  #failure: KlausError | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** Resolves with the reason when the program has ended. Never rejects. */
  get ended(): Promise<KlausError> {
    return this.#ended ?? Promise.resolve(this.#fail('was not started'));
  }

  get isRefused(): boolean {
    return this.#failure !== undefined;
  }

  async start(): Promise<void> {
    const { command, env, binds, exec } = this.#options;
    const request: AgentProcess = {
      command,
      stdin: this.#input.readable,
      signal: this.#stop.signal,
      onOutput: (chunk, stream) => (stream === 'stdout' ? this.#read(chunk) : this.#readError(chunk)),
      env,
      binds,
    };
    this.#ended = exec(request).then(
      ({ exitCode, signal }) => {
        const how = signal === null ? `with code ${exitCode}` : `by ${signal}`;
        return this.#failure ?? this.#fail(`ended ${how}${this.#said()}`);
      },
      (error: unknown) => {
        if (this.#failure) return this.#failure;
        return isKlausError(error) ? error : this.#fail(messageOf(error));
      },
    );
    void this.#ended.then(() => {
      void this.#writer.abort().catch(() => {});
      this.onclose?.();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.messages.send(message);
    // A server that does not read its input is ended by the time-out of the request.
    void this.#writer.write(Buffer.from(serializeMessage(message))).catch(() => {});
  }

  async close(): Promise<void> {
    await this.#writer.close().catch(() => {});
    this.#stop.abort();
    await this.#ended;
  }

  #fail(reason: string): KlausError {
    return new KlausError('mcp.failed', `The MCP server ${this.#options.name} ${reason}`, {
      hint: `\`klaus mcp test ${this.#options.name}\` starts it alone.`,
    });
  }

  #end(reason: string): void {
    this.#failure ??= this.#fail(`${reason}${this.#said()}`);
    this.#parts = [];
    this.#stop.abort();
  }

  #said(): string {
    const text = this.#errors.trim();
    return text === '' ? '.' : `: ${text}${/[.!?]$/.test(text) ? '' : '.'}`;
  }

  #readError(chunk: Uint8Array): void {
    this.#errorBytes += chunk.length;
    this.#errors = tailOf(this.#errors + Buffer.from(chunk.subarray(-SHOWN * 4)).toString('utf8'), SHOWN);
    if (this.#errorBytes > MAX_STDERR) this.#end(`wrote more than ${MAX_STDERR} bytes of error output`);
  }

  #read(chunk: Uint8Array): void {
    if (this.#failure) return;
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      // The chunk is reused after this call.
      const line = Buffer.concat([...this.#parts, chunk.subarray(from, at)]).toString('utf8');
      this.#parts = [];
      this.#length = 0;
      from = at + 1;
      this.#readLine(line);
      if (this.#failure) return;
    }
    this.#length += chunk.length - from;
    if (this.#length > MAX_MESSAGE) return this.#end(`sent a message of more than ${MAX_MESSAGE} bytes`);
    if (from < chunk.length) this.#parts.push(Buffer.from(chunk.subarray(from)));
  }

  #readLine(line: string): void {
    if (line.trim() === '') return;
    let messages: JSONRPCMessage[];
    try {
      messages = this.messages.receive(JSON.parse(line));
    } catch {
      this.#garbage++;
      if (this.#garbage > MAX_GARBAGE) this.#end('writes text that is no message of the protocol to standard output');
      return;
    }
    for (const message of messages) this.onmessage?.(message);
  }
}
