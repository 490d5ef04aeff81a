import { go, route, toSession } from '../state/route.ts';
import { addToDraft } from '../composer/drafts.ts';

/** What the page's parts listen to, where a command is theirs to do. */
export type Signal =
  | 'focus-search'
  | 'focus-message'
  | 'jump-to-end'
  | 'choose-model'
  | 'choose-mode'
  | 'attach'
  | 'stop'
  | 'rename'
  | 'copy-answer'
  | 'find-in-file'
  | 'go-to-line';

export function signal(name: Signal): void {
  dispatchEvent(new CustomEvent('klaus', { detail: name }));
}

/** Puts a file into the message that is being written, and goes there. */
export function mention(path: string): void {
  const at = route.get();
  if (at.page !== 'session') return;
  addToDraft(at.id, `@${path} `);
  go(toSession(at.id));
  // The message field comes with the page that was just asked for.
  setTimeout(() => signal('focus-message'), 50);
}
