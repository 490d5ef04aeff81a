import { signal } from '../actions/signal.ts';
import type { Attachment } from '../composer/attachment.ts';
import { attachToDraft } from '../composer/drafts.ts';
import { closeOverlay } from '../state/overlay.ts';
import { isTouched } from '../keys/is-touched.ts';

/** Adds an attachment to a draft, closes the dialog and returns to the message. */
export function attachMade(draft: string, made: Attachment): void {
  attachToDraft(draft, made);
  closeOverlay();
  // The dialog returns the focus first. A keyboard on the screen would cover the page.
  if (!isTouched()) setTimeout(() => signal('focus-message'), 50);
}
