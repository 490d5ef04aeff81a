import { isProblemError } from '@klaus/server/client';
import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';
import { toReason } from '../ui/empty.tsx';

/** Does something that a person asked for; where it fails, says why. Undefined: it failed. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    sayFailure(error);
    return undefined;
  }
}

/** What became of something that was sent. `unreached`: nobody answered; whether it arrived is not known. */
export type Sent = 'taken' | 'refused' | 'unreached';

/** Sends something that can be sent again, whether or not it arrived; where it is refused, says why. */
export async function trySend(work: () => Promise<unknown>): Promise<Sent> {
  try {
    await work();
    return 'taken';
  } catch (error) {
    if (isProblemError(error) && error.problem.status === 0) return 'unreached';
    sayFailure(error);
    return 'refused';
  }
}

function sayFailure(error: unknown): void {
  showToast({ kind: 'error', text: text().app.failed, detail: toReason(error) });
}
