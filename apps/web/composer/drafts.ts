import type { Part } from '@klaus/core/protocol';
import { readStored, writeStored } from '../state/storage.ts';
import { createStore } from '../state/store.ts';
import type { Attachment } from './attachment.ts';

/** A message that is not sent yet. */
export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** Set if the message was sent without a response. An edit clears it. */
  held?: { command: string; delivery: 'steer' | 'queue' };
}

export const EMPTY_DRAFT: Draft = { text: '', attachments: [] };

const KEY = 'klaus.drafts';

/** Maximum number of stored drafts, and of characters of one. A browser stores about 5 MB for a page. */
const MAX_DRAFTS = 20;
const MAX_STORED = 200_000;

/** Milliseconds without typing after which drafts are stored. */
const PAUSE_MS = 300;

/** Drafts by key. They outlive their field and, except for large attachments, the page. */
export const drafts = createStore<ReadonlyMap<string, Draft>>(readSaved());

let timer: ReturnType<typeof setTimeout> | undefined;

export function changeDraft(name: string, part: Partial<Pick<Draft, 'text' | 'attachments'>>): void {
  const { text, attachments } = drafts.get().get(name) ?? EMPTY_DRAFT;
  put(name, { text, attachments, ...part });
}

/** Marks a message that may not have arrived, with the command id under which it was sent. */
export function holdDraft(name: string, held: NonNullable<Draft['held']>): void {
  put(name, { ...(drafts.get().get(name) ?? EMPTY_DRAFT), held });
}

function put(name: string, next: Draft): void {
  const all = new Map(drafts.get());
  // The most recently changed draft is last in the map and dropped last.
  all.delete(name);
  if (next.text !== '' || next.attachments.length > 0) all.set(name, next);
  drafts.set(all);
  clearTimeout(timer);
  timer = setTimeout(saveDrafts, PAUSE_MS);
}

export function attachToDraft(name: string, made: Attachment): void {
  changeDraft(name, { attachments: [...(drafts.get().get(name) ?? EMPTY_DRAFT).attachments, made] });
}

export function addToDraft(name: string, words: string): void {
  const { text } = drafts.get().get(name) ?? EMPTY_DRAFT;
  const gap = text === '' || /\s$/.test(text) ? '' : ' ';
  changeDraft(name, { text: `${text}${gap}${words}` });
}

export function returnToDraft(name: string, parts: readonly Part[]): void {
  const { text, attachments } = drafts.get().get(name) ?? EMPTY_DRAFT;
  const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const restored = parts.flatMap((part): Attachment[] => {
    const key = crypto.randomUUID();
    if (part.type === 'image') return [{ key, name: part.mediaType, size: part.data.length, part }];
    return part.type === 'file' ? [{ key, name: part.name, size: part.text?.length ?? 0, part }] : [];
  });
  changeDraft(name, {
    text: [...(text === '' ? [] : [text]), ...words].join('\n'),
    attachments: [...attachments, ...restored],
  });
}

export function clearDrafts(): void {
  clearTimeout(timer);
  drafts.set(new Map());
  saveDrafts();
}

export function saveDrafts(): void {
  const stored: [string, Draft][] = [];
  for (const [name, draft] of [...drafts.get()].slice(-MAX_DRAFTS)) {
    const isSmall = JSON.stringify(draft).length <= MAX_STORED;
    if (isSmall) stored.push([name, draft]);
    else if (draft.text.length <= MAX_STORED) stored.push([name, { text: draft.text, attachments: [] }]);
  }
  writeStored(KEY, stored);
}

function readSaved(): ReadonlyMap<string, Draft> {
  const stored = readStored(KEY);
  return new Map(Array.isArray(stored) ? stored.filter(isSaved) : []);
}

function isSaved(entry: unknown): entry is [string, Draft] {
  const draft: Partial<Draft> | null | undefined = Array.isArray(entry) ? entry[1] : undefined;
  return typeof draft?.text === 'string' && Array.isArray(draft.attachments);
}
