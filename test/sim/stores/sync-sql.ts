import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

/** A statement for the thread, or the address of the database to which it connects. */
export type SqlRequest = { text: string; values: readonly unknown[] };
export type SqlAnswer = { rows: unknown[] } | { error: string };

/** Milliseconds after which a statement counts as failed. */
const TIMEOUT_MS = 30_000;

/**
 * A connection to Postgres whose statements block this thread: a thread of its own runs them. The checks of a simulation
 * read durable data at the moment of an effect.
 */
export class SyncSql implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #channel = new MessageChannel();
  /** Grows with each answer. */
  readonly #answers = new Int32Array(new SharedArrayBuffer(4));

  constructor(url: string) {
    const { port2 } = this.#channel;
    this.#worker = new Worker(join(import.meta.dirname, 'sync-sql-thread.ts'), {
      workerData: { url, port: port2, answers: this.#answers },
      transferList: [port2],
    });
    this.#worker.unref();
  }

  /** @throws Error of the statement. */
  all<Row>(text: string, values: readonly unknown[] = []): Row[] {
    const before = Atomics.load(this.#answers, 0);
    this.#channel.port1.postMessage({ text, values } satisfies SqlRequest);
    if (Atomics.wait(this.#answers, 0, before, TIMEOUT_MS) === 'timed-out') throw new Error(`No answer to: ${text}`);
    const { message } = receiveMessageOnPort(this.#channel.port1) as { message: SqlAnswer };
    if ('error' in message) throw new Error(`${message.error}: ${text}`);
    return message.rows as Row[];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#channel.port1.close();
    await this.#worker.terminate();
  }
}
