import type { ServerResponse } from 'node:http';

const KEEP_ALIVE_MS = 15_000;
/** Milliseconds after which an EventSource reconnects. */
const RETRY_MS = 1_000;
/** Bytes of unsent data above which a client counts as slow. */
const HIGH_WATER = 1_024 * 1_024;

/** One server-sent event in the wire format. */
export function toFrame(event: string, data: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`;
}

export class EventStream {
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  readonly #closers = new Set<() => void>();
  #closed = false;

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>) {
    this.#response = response;
    // The end of the connection ends the stream. Chunked encoding would double the work for a thousand clients.
    response.removeHeader('transfer-encoding');
    response.writeHead(200, {
      ...headers,
      connection: 'close',
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // A buffering proxy would delay every event.
      'x-accel-buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    response.socket?.setNoDelay(true);
    this.#timer = setInterval(() => this.write(': \n\n'), KEEP_ALIVE_MS).unref();
    response.on('close', () => this.#end());
    // The client is gone: 'close' follows.
    response.on('error', () => {});
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True while the client is too slow. */
  get isBehind(): boolean {
    return this.#response.writableLength > HIGH_WATER;
  }

  /** Writes frames; does nothing once closed. */
  write(frames: string | Uint8Array): void {
    if (!this.#closed) this.#response.write(frames);
  }

  /** Resolves when the client has caught up or is gone. */
  async drained(): Promise<void> {
    if (this.#closed || !this.#response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        this.#response.off('drain', done);
        this.#closers.delete(done);
        resolve();
      };
      this.#response.once('drain', done);
      this.#closers.add(done);
    });
  }

  onClose(closer: () => void): void {
    if (this.#closed) closer();
    else this.#closers.add(closer);
  }

  end(frame = ''): void {
    if (this.#closed) return;
    this.#response.end(frame);
    this.#end();
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    for (const closer of this.#closers) closer();
    this.#closers.clear();
  }
}
