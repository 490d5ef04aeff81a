import type { Part } from '@klaus/core/protocol';
import { createStore } from '../state/store.ts';
import type { Attachment } from './attachment.ts';

/** A message that was not sent yet. */
export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** It was sent and nobody answered; a change of it makes it another message. */
  held?: { command: string; delivery: 'steer' | 'queue' };
}

export const EMPTY_DRAFT: Draft = { text: '', attachments: [] };

const KEY = 'klaus.drafts';

/** Drafts that are kept in the browser, and characters of one with what is attached: it gives a page about 5 MB. */
const MAX_DRAFTS = 20;
const MAX_KEPT = 200_000;

/** Milliseconds after which what was typed is kept. */
const PAUSE_MS = 300;

/** What is being written, by where. It outlives its field and, but for large attachments, the page. */
export const drafts = createStore<ReadonlyMap<string, Draft>>(readSaved());

let timer: ReturnType<typeof setTimeout> | undefined;

export function changeDraft(name: string, part: Partial<Pick<Draft, 'text' | 'attachments'>>): void {
  const { text, attachments } = drafts.get().get(name) ?? EMPTY_DRAFT;
  put(name, { text, attachments, ...part });
}

/** Keeps a message that was sent and may not have arrived, under the name that it was sent by. */
export function holdDraft(name: string, held: NonNullable<Draft['held']>): void {
  put(name, { ...(drafts.get().get(name) ?? EMPTY_DRAFT), held });
}

function put(name: string, next: Draft): void {
  const all = new Map(drafts.get());
  // The last that was touched stands last, and is the last to be dropped.
  all.delete(name);
  if (next.text !== '' || next.attachments.length > 0) all.set(name, next);
  drafts.set(all);
  clearTimeout(timer);
  timer = setTimeout(saveDrafts, PAUSE_MS);
}

/** Puts words behind what is there. */
export function addToDraft(name: string, words: string): void {
  const { text } = drafts.get().get(name) ?? EMPTY_DRAFT;
  const gap = text === '' || /\s$/.test(text) ? '' : ' ';
  changeDraft(name, { text: `${text}${gap}${words}` });
}

/** A message that was sent, as a draft again: behind what is there. */
export function returnToDraft(name: string, parts: readonly Part[]): void {
  const { text, attachments } = drafts.get().get(name) ?? EMPTY_DRAFT;
  const words = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const back = parts.flatMap((part): Attachment[] => {
    const key = crypto.randomUUID();
    if (part.type === 'image') return [{ key, name: part.mediaType, size: part.data.length, part }];
    return part.type === 'file' ? [{ key, name: part.name, size: part.text?.length ?? 0, part }] : [];
  });
  changeDraft(name, {
    text: [...(text === '' ? [] : [text]), ...words].join('\n'),
    attachments: [...attachments, ...back],
  });
}

/** Forgets all of them, as who signs out would want. */
export function clearDrafts(): void {
  clearTimeout(timer);
  drafts.set(new Map());
  saveDrafts();
}

export function saveDrafts(): void {
  const kept: [string, Draft][] = [];
  for (const [name, draft] of [...drafts.get()].slice(-MAX_DRAFTS)) {
    const isSmall = JSON.stringify(draft).length <= MAX_KEPT;
    if (isSmall) kept.push([name, draft]);
    else if (draft.text.length <= MAX_KEPT) kept.push([name, { text: draft.text, attachments: [] }]);
  }
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // The browser keeps nothing, or no more: the draft lives as long as the page.
  }
}

function readSaved(): ReadonlyMap<string, Draft> {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '[]') as [string, Draft][];
    return new Map(kept.filter(([, { text, attachments }]) => typeof text === 'string' && Array.isArray(attachments)));
  } catch {
    return new Map();
  }
}
