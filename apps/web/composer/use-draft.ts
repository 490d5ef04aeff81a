import { useState, type ClipboardEvent } from 'react';
import { showToast } from '../state/toasts.ts';
import { formatBytes } from '../text/format.ts';
import { text } from '../text/text.ts';
import { fromFile, fromText, isLong, MAX_BYTES, type Attachment } from './attachment.ts';

/** A message that was not sent yet. */
export interface Draft {
  text: string;
  attachments: readonly Attachment[];
  /** It was sent and nobody answered; a change of it makes it another message. */
  held?: { command: string; delivery: 'steer' | 'queue' };
}

const drafts = new Map<string, Draft>();

const EMPTY: Draft = { text: '', attachments: [] };

/** Where the words of a draft outlive a page that is loaded again. */
const toKey = (name: string) => `klaus.draft.${name}`;

function read(name: string): Draft {
  const known = drafts.get(name);
  if (known) return known;
  try {
    return { ...EMPTY, text: sessionStorage.getItem(toKey(name)) ?? '' };
  } catch {
    // A browser that keeps nothing.
    return EMPTY;
  }
}

function keep(name: string, draft: Draft): void {
  drafts.set(name, draft);
  try {
    if (draft.text === '') sessionStorage.removeItem(toKey(name));
    else sessionStorage.setItem(toKey(name), draft.text);
  } catch {
    // Not kept: the draft lives as long as the page.
  }
}

/** The draft of this name. It outlives its field: who goes to another session finds it again. */
export function useDraft(name: string): {
  draft: Draft;
  change: (part: Partial<Pick<Draft, 'text' | 'attachments'>>) => void;
  hold: (held: NonNullable<Draft['held']>) => void;
  attach: (files: readonly File[]) => Promise<void>;
  paste: (event: ClipboardEvent) => void;
} {
  const [draft, setDraft] = useState<Draft>(() => read(name));
  const take = (next: Draft) => {
    keep(name, next);
    setDraft(next);
  };
  const change = (part: Partial<Draft>) => {
    const { held: _, ...rest } = read(name);
    take({ ...rest, ...part });
  };
  const hold = (held: NonNullable<Draft['held']>) => take({ ...read(name), held });
  const add = (made: Attachment) => change({ attachments: [...read(name).attachments, made] });
  const attach = async (files: readonly File[]) => {
    for (const file of files) {
      const made = await fromFile(file);
      if (typeof made !== 'string') add(made);
      else showToast({ kind: 'error', text: toRefusal(made, file.name) });
    }
  };
  const paste = (event: ClipboardEvent) => {
    const { files } = event.clipboardData;
    const pasted = files.length > 0 ? '' : event.clipboardData.getData('text/plain');
    if (files.length > 0) void attach([...files]);
    else if (isLong(pasted)) add(fromText(text().composer.pastedName(draft.attachments.length + 1), pasted));
    else return;
    event.preventDefault();
  };
  return { draft, change, hold, attach, paste };
}

function toRefusal(why: 'tooLarge' | 'notText', name: string): string {
  const t = text().composer;
  return why === 'tooLarge' ? t.tooLarge(name, formatBytes(MAX_BYTES)) : t.notText(name);
}
