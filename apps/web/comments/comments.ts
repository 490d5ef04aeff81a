import { readStored, writeStored } from '../state/storage.ts';
import { createStore, type Store } from '../state/store.ts';
import { toPlaceKey, type LineComment, type LinePlace } from './comment.ts';

const KEY = 'klaus.comments';

/** Maximum number of sessions and questions whose comments are stored. The oldest are dropped. */
const MAX_SCOPES = 50;

type Stored = [scope: string, comments: readonly LineComment[]];

const stores = new Map<string, Store<readonly LineComment[]>>();

/** The comments of one change. @param scope Id of a session or of a question. */
export function commentsOf(scope: string): Store<readonly LineComment[]> {
  let store = stores.get(scope);
  if (!store) {
    const known = readAll().find(([name]) => name === scope)?.[1] ?? [];
    stores.set(scope, (store = createStore<readonly LineComment[]>(known)));
    const own = store;
    store.subscribe(() => save(scope, own.get()));
  }
  return store;
}

/** Opens the editor of a new comment, or the one that the line has. */
export function openComment(store: Store<readonly LineComment[]>, place: LinePlace): void {
  const key = toPlaceKey(place);
  const known = store.get().find((comment) => toPlaceKey(comment) === key && comment.draft !== undefined);
  if (known) return;
  store.set([...store.get(), { ...place, id: crypto.randomUUID(), text: '', draft: '' }]);
}

export function changeComment(store: Store<readonly LineComment[]>, id: string, change: Partial<LineComment>): void {
  store.set(store.get().map((comment) => (comment.id === id ? { ...comment, ...change } : comment)));
}

/** Closes the editor of a comment and keeps its former text. A comment without one is removed. */
export function cancelComment(store: Store<readonly LineComment[]>, { id, text }: LineComment): void {
  if (text === '') removeComment(store, id);
  else closeEditor(store, id, text);
}

/** Stores the text of the editor. An empty one removes the comment. */
export function saveComment(store: Store<readonly LineComment[]>, { id, draft = '' }: LineComment): void {
  if (draft.trim() === '') removeComment(store, id);
  else closeEditor(store, id, draft.trim());
}

function closeEditor(store: Store<readonly LineComment[]>, id: string, text: string): void {
  store.set(
    store.get().map((comment) => {
      if (comment.id !== id) return comment;
      const { draft: _, ...rest } = comment;
      return { ...rest, text };
    }),
  );
}

export function removeComment(store: Store<readonly LineComment[]>, id: string): void {
  store.set(store.get().filter((comment) => comment.id !== id));
}

function save(scope: string, comments: readonly LineComment[]): void {
  const others = readAll().filter(([name]) => name !== scope);
  writeStored(KEY, comments.length === 0 ? others : [...others, [scope, comments]].slice(-MAX_SCOPES));
}

function readAll(): Stored[] {
  const stored = readStored(KEY);
  return Array.isArray(stored) ? stored.filter(isStored) : [];
}

function isStored(entry: unknown): entry is Stored {
  if (!Array.isArray(entry) || typeof entry[0] !== 'string' || !Array.isArray(entry[1])) return false;
  return entry[1].every(
    (it: Partial<LineComment> | null) =>
      typeof it?.id === 'string' &&
      typeof it.path === 'string' &&
      typeof it.line === 'number' &&
      typeof it.quote === 'string' &&
      typeof it.text === 'string' &&
      (it.side === 'old' || it.side === 'new'),
  );
}

/** Removes all comments of this browser, when the user signs out. */
export function clearComments(): void {
  for (const store of stores.values()) store.set([]);
  writeStored(KEY, []);
}
