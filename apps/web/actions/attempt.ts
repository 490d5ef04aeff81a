import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';
import { toReason } from '../ui/empty.tsx';

/** Does something that a person asked for; where it fails, says why. Undefined: it failed. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    showToast({ kind: 'error', text: text().app.failed, detail: toReason(error) });
    return undefined;
  }
}
