import { addToDraft } from '../composer/drafts.ts';

const PARTS = ['share-title', 'share-text', 'share-url'] as const;

/**
 * What another program shared with the installed page becomes the draft of a new session. It is removed from the
 * address, so that a reload does not add it again. Nothing is sent.
 */
export function takeShared(): void {
  const url = new URL(location.href);
  const shared = PARTS.flatMap((name) => url.searchParams.get(name)?.trim() || []);
  if (shared.length === 0) return;
  for (const name of PARTS) url.searchParams.delete(name);
  history.replaceState(null, '', `${url.pathname}${url.search}#/`);
  addToDraft('home', [...new Set(shared)].join('\n'));
}
