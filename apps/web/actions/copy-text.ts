import { showToast } from '../state/toasts.ts';
import { text } from '../text/text.ts';
import { attempt } from './attempt.ts';

export async function copyText(copied: string): Promise<void> {
  const done = await attempt(async () => {
    await navigator.clipboard.writeText(copied);
    return true;
  });
  if (done) showToast({ kind: 'info', text: text().app.copied, lastsMs: 2_000 });
}
