import type { ChangeMark, SessionRow } from '@klaus/sdk';
import type { SeenFolders } from '../access/seen-folders.ts';
import type { SessionView } from '../contract/index.ts';
import { type EventStream, toFrame } from './event-stream.ts';
import { toAttention, type AttentionSources } from './attention-view.ts';
import { toSessionViews } from './session-view.ts';
import { toAncestors } from '../runs/session-tree.ts';
import { everySecond } from '../runs/shared-timer.ts';

/** Most sessions of a snapshot, the latest first. */
const SNAPSHOT = 500;
/** Milliseconds for which changes are collected before they are sent. */
const COLLECT_MS = 100;

/** Sends the changes of all sessions to the subscribers of the list. Runs only while there are any. */
export class SessionListFeed {
  readonly #sources: AttentionSources;
  readonly #streams = new Map<EventStream, SeenFolders>();
  /** The last view that was sent, by session. */
  readonly #sent = new Map<string, { text: string; view: SessionView }>();
  readonly #changed = new Set<string>();
  readonly #stops: (() => void)[] = [];
  /** True if there were commits since the last tick. */
  #hasCommits = false;
  /** The last list that was sent, as JSON, by the folders that its readers see. */
  readonly #attention = new Map<string, string>();
  #mark: ChangeMark | undefined;
  #guardSeq = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(sources: AttentionSources) {
    this.#sources = sources;
  }

  get subscribers(): number {
    return this.#streams.size;
  }

  /** @param seen What the reader of the stream may see. */
  add(stream: EventStream, seen: SeenFolders): void {
    if (this.#streams.size === 0) this.#open();
    // The snapshot includes the pending changes.
    this.#flush();
    this.#streams.set(stream, seen);
    stream.onClose(() => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) this.#close();
    });
    const sessions = [...this.#sent.values()].flatMap(({ view }) => (seen.sees(view.workspace) ? [view] : []));
    stream.write(toFrame('snapshot', JSON.stringify({ sessions })));
    const attention = JSON.stringify(toAttention(this.#sources, { seen }));
    this.#attention.set(toKey(seen), attention);
    stream.write(toFrame('attention', attention));
    if (seen.isComplete) stream.write(toFrame('guard', JSON.stringify({ seq: this.#guardSeq })));
  }

  /** A change that is not in the log of the session. */
  changed(session: string): void {
    if (this.#streams.size === 0) return;
    this.#changed.add(session);
    this.#timer ??= setTimeout(() => this.#flush(), COLLECT_MS).unref();
  }

  end(bye: unknown): void {
    for (const stream of [...this.#streams.keys()]) stream.end(toFrame('bye', JSON.stringify(bye)));
  }

  #open(): void {
    const { klaus, queue } = this.#sources;
    this.#mark = klaus.store.view.changedSessions().mark;
    const rows = klaus.store.view
      .sessions({ limit: SNAPSHOT, archived: false })
      .filter(({ id }) => !this.#isDeleted(id));
    for (const view of toSessionViews(this.#sources, rows))
      this.#sent.set(view.id, { text: JSON.stringify(view), view });
    this.#guardSeq = klaus.store.view.guardSeq();
    this.#stops.push(
      everySecond(() => this.#tick()),
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
    this.#sent.clear();
    this.#changed.clear();
    this.#attention.clear();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const { klaus } = this.#sources;
    const { mark, sessions } = klaus.store.view.changedSessions(this.#mark);
    this.#mark = mark;
    const changed = [...sessions, ...this.#changed];
    this.#changed.clear();
    // The state of a session depends on that of the sessions below it.
    const ids = new Set(changed.flatMap((id) => [id, ...toAncestors(klaus.store.view, id)]));
    let isOther = false;
    for (const id of ids) isOther = this.#sendChange(id, klaus.store.view.session(id)) || isOther;
    // Without a changed session, another process may have marked one as seen.
    if (isOther || ids.size === 0) this.#sendAttention();
    this.#sendGuard();
  }

  #sendGuard(): void {
    const seq = this.#sources.klaus.store.view.guardSeq();
    if (seq === this.#guardSeq) return;
    this.#guardSeq = seq;
    this.#send(toFrame('guard', JSON.stringify({ seq })), ({ isComplete }) => isComplete);
  }

  /** Persons who see the same folders get the same list. */
  #sendAttention(): void {
    for (const [key, seen] of new Map([...this.#streams.values()].map((each) => [toKey(each), each]))) {
      const text = JSON.stringify(toAttention(this.#sources, { seen }));
      if (this.#attention.get(key) === text) continue;
      this.#attention.set(key, text);
      this.#send(toFrame('attention', text), (each) => toKey(each) === key);
    }
  }

  /** True if what the session needs from the user may be different. */
  #sendChange(id: string, row: SessionRow | undefined): boolean {
    if (row?.id !== id || this.#isDeleted(id)) {
      // Also for sessions that are not in the snapshot: a client may have loaded more.
      const workspace = this.#sent.get(id)?.view.workspace ?? (row?.id === id ? row.workspace : '');
      this.#sent.delete(id);
      const removed = { session: id, undoUntil: this.#sources.undoUntil(id) ?? null };
      this.#send(toFrame('removed', JSON.stringify(removed)), ({ sees }) => sees(workspace));
      return true;
    }
    const [view] = toSessionViews(this.#sources, [row]);
    const text = JSON.stringify(view);
    const before = this.#sent.get(id);
    if (before?.text === text) return false;
    this.#sent.set(id, { text, view: view! });
    this.#send(toFrame('session', text), ({ sees }) => sees(row.workspace));
    return !before || !isSame(before.view, view!);
  }

  /**
   * Sends to those who may see it. A client that is too slow is disconnected and starts again with a new snapshot.
   */
  #send(frame: string, isFor: (seen: SeenFolders) => boolean): void {
    for (const [stream, seen] of [...this.#streams]) {
      if (!isFor(seen)) continue;
      if (stream.isBehind) stream.end();
      else stream.write(frame);
    }
  }

  #tick(): void {
    const { klaus } = this.#sources;
    const hasCommits = this.#hasCommits;
    this.#hasCommits = false;
    for (const [id, { view }] of this.#sent) {
      // Another process deleted, claimed or released the session. None of these is an event, and only the release is no commit.
      if (hasCommits && klaus.store.view.head(id) === undefined) this.changed(id);
      const mayChange = view.held || (hasCommits && (view.state === 'running' || view.state === 'interrupted'));
      if (mayChange && view.held !== klaus.store.view.isClaimed(id)) this.changed(id);
    }
    if (hasCommits) this.#sendAttention();
  }

  #isDeleted(session: string): boolean {
    return this.#sources.undoUntil(session) !== undefined;
  }
}

/** Equal for persons who see the same. */
function toKey({ isComplete, folders }: SeenFolders): string {
  return JSON.stringify({ isComplete, folders });
}

/** True if both need the same from the user. */
function isSame(a: SessionView, b: SessionView): boolean {
  return a.state === b.state && a.questions === b.questions && a.problem === b.problem && a.title === b.title;
}
