import type { ClipboardEvent } from 'react';
import { useStore } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { formatBytes } from '../text/format.ts';
import { text } from '../text/text.ts';
import { fromFile, fromText, isLong, MAX_BYTES, type Attachment } from './attachment.ts';
import { attachToDraft, changeDraft, drafts, holdDraft, EMPTY_DRAFT, type Draft } from './drafts.ts';

export function useDraft(name: string) {
  const draft = useStore(drafts).get(name) ?? EMPTY_DRAFT;
  const change = (part: Partial<Draft>) => changeDraft(name, part);
  const add = (made: Attachment) => attachToDraft(name, made);
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
  return { draft, change, hold: (held: NonNullable<Draft['held']>) => holdDraft(name, held), attach, paste };
}

function toRefusal(why: 'tooLarge' | 'notText', name: string): string {
  const t = text().composer;
  return why === 'tooLarge' ? t.tooLarge(name, formatBytes(MAX_BYTES)) : t.notText(name);
}
