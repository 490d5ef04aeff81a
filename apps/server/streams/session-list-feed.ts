import type { ChangeMark, SessionRow } from '@klaus/sdk';
import type { SessionView } from '../contract/index.ts';
import { type EventStream, toFrame } from './event-stream.ts';
import { toSessionViews, type ViewSources } from './session-view.ts';
import { onTick } from '../runs/shared-timer.ts';

/** Sessions that a snapshot holds at most: the latest. */
const SNAPSHOT = 500;
/** Milliseconds in which changes are collected before they are told. */
const COLLECT_MS = 100;

export interface HostFeedOptions extends ViewSources {
  /** Until when the delete of a session can be taken back, in Unix milliseconds; undefined for one that stays. */
  deletedUntil: (session: string) => number | undefined;
}

/** Tells everybody who looks at the list what became of each session. Runs only while somebody does. */
export class HostFeed {
  readonly #sources: HostFeedOptions;
  readonly #streams = new Set<EventStream>();
  /** What was told last, by session. */
  readonly #told = new Map<string, { text: string; view: SessionView }>();
  readonly #changed = new Set<string>();
  readonly #stops: (() => void)[] = [];
  /** Since the last tick. */
  #hasCommits = false;
  #mark: ChangeMark | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(sources: HostFeedOptions) {
    this.#sources = sources;
  }

  get subscribers(): number {
    return this.#streams.size;
  }

  add(stream: EventStream): void {
    if (this.#streams.size === 0) this.#open();
    // What is not told yet is in the snapshot.
    this.#flush();
    this.#streams.add(stream);
    stream.onClose(() => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#close();
    });
    const sessions = [...this.#told.values()].map(({ view }) => view);
    stream.write(toFrame('snapshot', JSON.stringify({ sessions })));
  }

  /** Something changed that no event says. */
  changed(session: string): void {
    if (this.#streams.size === 0) return;
    this.#changed.add(session);
    this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS).unref();
  }

  end(bye: unknown): void {
    for (const stream of [...this.#streams]) stream.end(toFrame('bye', JSON.stringify(bye)));
  }

  #open(): void {
    const { klaus, queue } = this.#sources;
    this.#mark = klaus.store.view.changedSessions().mark;
    const rows = klaus.store.view.sessions({ limit: SNAPSHOT }).filter(({ id }) => !this.#isDeleted(id));
    for (const view of toSessionViews(this.#sources, rows))
      this.#told.set(view.id, { text: JSON.stringify(view), view });
    this.#stops.push(
      onTick(() => this.#tick()),
      klaus.store.view.watch(() => {
        this.#hasCommits = true;
        this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS).unref();
      }),
      queue.onChange((session) => this.changed(session)),
    );
  }

  #close(): void {
    for (const stop of this.#stops.splice(0)) stop();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#told.clear();
    this.#changed.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { klaus } = this.#sources;
    const { mark, sessions } = klaus.store.view.changedSessions(this.#mark);
    this.#mark = mark;
    const ids = new Set([...sessions, ...this.#changed]);
    this.#changed.clear();
    for (const id of ids) this.#tell(id, klaus.store.view.session(id));
  }

  #tell(id: string, row: SessionRow | undefined): void {
    if (row?.id !== id || this.#isDeleted(id)) {
      // Also one that is older than the snapshot: whoever asked for more may show it.
      this.#told.delete(id);
      this.#send('removed', { session: id, undoUntil: this.#sources.deletedUntil(id) ?? null });
      return;
    }
    const [view] = toSessionViews(this.#sources, [row]);
    const text = JSON.stringify(view);
    if (this.#told.get(id)?.text === text) return;
    this.#told.set(id, { text, view: view! });
    this.#send('session', view);
  }

  /** Whoever is too slow for a list begins again with a new snapshot. */
  #send(event: string, data: unknown): void {
    const frame = toFrame(event, JSON.stringify(data));
    for (const stream of [...this.#streams]) {
      if (stream.isBehind) stream.end();
      else stream.write(frame);
    }
  }

  #tick(): void {
    const { klaus } = this.#sources;
    const hasCommits = this.#hasCommits;
    this.#hasCommits = false;
    for (const [id, { view }] of this.#told) {
      // Deleted, taken or left by another process: none is an event of its log, and only the last is no commit.
      if (hasCommits && klaus.store.view.head(id) === undefined) this.changed(id);
      const mayChange = view.held || (hasCommits && (view.state === 'running' || view.state === 'interrupted'));
      if (mayChange && view.held !== klaus.store.view.isClaimed(id)) this.changed(id);
    }
  }

  #isDeleted(session: string): boolean {
    return this.#sources.deletedUntil(session) !== undefined;
  }
}
