import { isProblemError } from '@klaus/server/client';
import { hasAccess } from '../state/access.ts';
import { host } from '../state/host.ts';
import { go } from '../state/route.ts';
import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';
import { toReason } from '../ui/empty.tsx';

/** Runs an action of the user. On failure it shows the reason and resolves with undefined. */
export async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    showFailure(error);
    return undefined;
  }
}

/** The result of sending. `unknown`: no response, so it is not known whether the request arrived. */
export type SendResult = 'accepted' | 'rejected' | 'unknown';

/** Sends an idempotent request. On rejection it shows the reason. */
export async function trySend(work: () => Promise<unknown>): Promise<SendResult> {
  try {
    await work();
    return 'accepted';
  } catch (error) {
    if (isProblemError(error) && error.problem.status === 0) return 'unknown';
    showFailure(error);
    return 'rejected';
  }
}

function showFailure(error: unknown): void {
  if (!isProblemError(error))
    return void showToast({ kind: 'error', text: text().app.failed, detail: toReason(error) });
  // The server names the failure, and what to do about it.
  const { title, detail, code } = error.problem;
  const toKeys = { label: text().app.settings, run: () => go({ page: 'settings', section: 'keys' }) };
  const canSetKey = code === 'auth' && hasAccess('admin') && host.get().settings?.hasSettings === true;
  showToast({ kind: 'error', text: title, detail, ...(canSetKey ? { action: toKeys } : {}) });
}
