import { type EventStream, toFrame } from './event-stream.ts';
import { type HubSources, SessionHub } from './session-hub.ts';

/** The hubs of the sessions that have subscribers. */
export class SessionHubs {
  readonly #sources: HubSources;
  readonly #hubs = new Map<string, SessionHub>();
  readonly #others = new Set<EventStream>();

  constructor(sources: HubSources) {
    this.#sources = sources;
  }

  /** @param session A complete id. */
  follow(session: string, { stream, after }: { stream: EventStream; after: number }): void {
    let hub = this.#hubs.get(session);
    if (!hub) {
      const handle = this.#sources.klaus.handle(session);
      hub = new SessionHub(this.#sources, handle, () => this.#hubs.delete(session));
      this.#hubs.set(session, hub);
    }
    hub.add(stream, after);
  }

  /** Adds a stream that another module writes to, so that it is ended at shutdown. */
  addOther(stream: EventStream): void {
    this.#others.add(stream);
    stream.onClose(() => this.#others.delete(stream));
  }

  get subscribers(): { session: number; prompt: number } {
    const session = [...this.#hubs.values()].reduce((sum, hub) => sum + hub.subscribers, 0);
    return { session, prompt: this.#others.size };
  }

  endDeleted(session: string): void {
    this.#hubs.get(session)?.end('gone', () => ({ session }));
  }

  endUnreadable(session: string, error: unknown): void {
    this.#hubs.get(session)?.endUnreadable(error);
  }

  /** The server shuts down. */
  end(bye: { reason: string; retryMs: number }): void {
    for (const hub of [...this.#hubs.values()]) hub.end('bye', (after) => ({ ...bye, after }));
    for (const stream of [...this.#others]) stream.end(toFrame('bye', JSON.stringify(bye)));
  }
}
