import { createCheckpoint } from '@klaus/adapters/tools';
import type { ToolContext } from '@klaus/core/agent';

/** What takes less is not reported. */
const EVERY_MS = 1_000;

/** Makes a checkpoint; one that takes more than a second reports live, each second, for how long it has been at work. */
export async function reportCheckpoint(context: ToolContext, message: string): ReturnType<typeof createCheckpoint> {
  const begun = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - begun) / 1_000);
    context.progress(`saving a checkpoint of the workspace, ${seconds} s\n`);
  }, EVERY_MS);
  try {
    return await createCheckpoint(context, message);
  } finally {
    clearInterval(timer);
  }
}
