import { isProblemError } from '@klaus/server/client';
import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';
import { toReason } from '../ui/empty.tsx';

/** Does something that a person asked for; where it fails, says why. Undefined: it failed. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    showFailure(error);
    return undefined;
  }
}

/** What became of something that was sent. `unreached`: nobody answered; whether it arrived is not known. */
export type SendResult = 'taken' | 'refused' | 'unreached';

/** Sends something that can be sent again, whether or not it arrived; where it is refused, says why. */
export async function trySend(work: () => Promise<unknown>): Promise<SendResult> {
  try {
    await work();
    return 'taken';
  } catch (error) {
    if (isProblemError(error) && error.problem.status === 0) return 'unreached';
    showFailure(error);
    return 'refused';
  }
}

function showFailure(error: unknown): void {
  showToast({ kind: 'error', text: text().app.failed, detail: toReason(error) });
}
