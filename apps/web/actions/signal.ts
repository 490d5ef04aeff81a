import { go, route, toSession } from '../state/route.ts';
import { addToDraft } from '../composer/drafts.ts';
import { focusNextField } from '../composer/next-focus.ts';

export type Signal =
  | 'focus-search'
  | 'focus-message'
  | 'jump-to-end'
  | 'choose-model'
  | 'choose-mode'
  | 'attach'
  | 'attach-diff'
  | 'attach-commit'
  | 'attach-failure'
  | 'attach-issue'
  | 'choose-effort'
  | 'fill-placeholder'
  | 'stop'
  | 'rename'
  | 'copy-answer'
  | 'find-in-file'
  | 'go-to-line'
  | 'next-line'
  | 'previous-line'
  | 'comment-line'
  | 'mark-viewed';

export function signal(name: Signal): void {
  dispatchEvent(new CustomEvent('klaus', { detail: name }));
}

export function mention(path: string): void {
  const at = route.get();
  if (at.page !== 'session') return;
  addToDraft(at.id, `@${path} `);
  focusNextField();
  go(toSession(at.id));
}
