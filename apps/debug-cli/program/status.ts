import type { StatusMessage, Summary } from 'klendathu/contract';
import type { CliFailure } from './cli-failure.ts';

/** A status message without its time. */
type Untimed<M> = M extends StatusMessage ? Omit<M, 'timestamp'> : never;

/** The standard error of the program: one JSON object on each line. */
export interface Status {
  send(message: Untimed<StatusMessage>): void;
  log(message: string, level?: 'info' | 'warning' | 'error'): void;
  /** Texts of all warnings so far. */
  readonly warnings: readonly string[];
  /** The error that ends the run. */
  fail(failure: CliFailure): void;
  /** The last message. Nothing is written after it. */
  end(summary: Omit<Summary, 'type' | 'timestamp'>): Summary;
}

/**
 * Takes over standard error: also warnings of Node, the console and everything that a library writes there become
 * messages.
 */
export function openStatus(): Status {
  const warnings: string[] = [];
  const write = process.stderr.write.bind(process.stderr) as (text: string) => boolean;
  let isOpen = true;
  const put = (message: StatusMessage): void => {
    if (!isOpen) return;
    write(`${JSON.stringify(message)}\n`);
    if (message.type === 'summary') isOpen = false;
  };
  const now = (): string => new Date().toISOString();
  const status: Status = {
    warnings,
    send: (message) => put({ ...message, timestamp: now() }),
    log(message, level = 'info') {
      if (level === 'warning') warnings.push(message);
      put({ type: 'log', message, level, timestamp: now() });
    },
    fail: ({ code, message, hint, stack, cause }) => {
      const trace = cause instanceof Error ? cause.stack : stack;
      const text = process.env['KLAUS_DEBUG'] === '1' && trace ? `${message}\n${trace}` : message;
      put({ type: 'log', level: 'error', message: text, code, hint, timestamp: now() });
    },
    end(summary) {
      const message: Summary = { type: 'summary', ...summary, timestamp: now() };
      put(message);
      return message;
    },
  };
  redirect(status);
  return status;
}

function redirect(status: Status): void {
  // A reader that has gone away is no reason to end.
  process.stderr.on('error', () => {});
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => status.log(`${name}: ${message}`, 'warning'));
  process.stderr.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    for (const line of text.split('\n')) if (line.trim() !== '') status.log(line);
    const done = rest.find((each) => typeof each === 'function') as (() => void) | undefined;
    if (done) process.nextTick(done);
    return true;
  }) as typeof process.stderr.write;
  const print = (...words: unknown[]): void => status.log(words.map(String).join(' '));
  for (const name of ['log', 'info', 'debug', 'warn', 'error'] as const) globalThis.console[name] = print;
}
