import { createCheckpoint } from '@klaus/adapters/tools';
import type { ToolContext } from '@klaus/core/agent';

/** Milliseconds. Shorter checkpoints are not reported. */
const EVERY_MS = 1_000;

/** Creates a checkpoint. One that takes more than a second reports its duration every second. */
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
