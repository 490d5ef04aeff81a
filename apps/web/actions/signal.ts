import { go, route, toSession } from '../state/route.ts';
import { addToDraft } from '../composer/drafts.ts';

export type Signal =
  | 'focus-search'
  | 'focus-message'
  | 'jump-to-end'
  | 'choose-model'
  | 'choose-mode'
  | 'attach'
  | 'fill-placeholder'
  | 'stop'
  | 'rename'
  | 'copy-answer'
  | 'find-in-file'
  | 'go-to-line';

export function signal(name: Signal): void {
  dispatchEvent(new CustomEvent('klaus', { detail: name }));
}

export function mention(path: string): void {
  const at = route.get();
  if (at.page !== 'session') return;
  addToDraft(at.id, `@${path} `);
  go(toSession(at.id));
  // The message field is mounted together with the new page.
  setTimeout(() => signal('focus-message'), 50);
}
