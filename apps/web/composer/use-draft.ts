import { useState, type ClipboardEvent } from 'react';
import { showToast } from '../state/toasts.ts';
import { formatBytes } from '../text/format.ts';
import { text } from '../text/text.ts';
import { fromFile, fromText, isLong, MAX_BYTES, type Attachment } from './attachment.ts';

/** A message that was not sent yet. */
export interface Draft {
  text: string;
  attachments: readonly Attachment[];
}

const drafts = new Map<string, Draft>();

const EMPTY: Draft = { text: '', attachments: [] };

/** The draft of this name. It outlives its field: who goes to another session finds it again. */
export function useDraft(name: string): {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  attach: (files: readonly File[]) => Promise<void>;
  paste: (event: ClipboardEvent) => void;
} {
  const [draft, setDraft] = useState<Draft>(() => drafts.get(name) ?? EMPTY);
  const change = (part: Partial<Draft>) => {
    const next = { ...(drafts.get(name) ?? EMPTY), ...part };
    drafts.set(name, next);
    setDraft(next);
  };
  const add = (made: Attachment) => change({ attachments: [...(drafts.get(name) ?? EMPTY).attachments, made] });
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
  return { draft, change, attach, paste };
}

function toRefusal(why: 'tooLarge' | 'notText', name: string): string {
  const t = text().composer;
  return why === 'tooLarge' ? t.tooLarge(name, formatBytes(MAX_BYTES)) : t.notText(name);
}
