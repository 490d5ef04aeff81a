import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ImagePart } from '@klaus/sdk';

/** An image, and the pixels to which it is reduced. */
export interface SixelJob {
  /** Base64. */
  data: string;
  mediaType: ImagePart['mediaType'];
  width: number;
  height: number;
}

const MAX_MS = 10_000;
const MAX_HEAP_MB = 512;

/**
 * Decodes an image and encodes it as sixel data with at most 256 colours, in a thread of its own.
 *
 * @returns The device control string; undefined for a file that cannot be decoded, or not in ten seconds.
 */
export async function drawSixel(job: SixelJob): Promise<string | undefined> {
  const worker = new Worker(join(import.meta.dirname, 'sixel-worker.ts'), {
    workerData: job,
    execArgv: [],
    // Nothing but the screen writes to the terminal.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  worker.unref();
  const timer = setTimeout(() => void worker.terminate(), MAX_MS).unref();
  const drawn = await new Promise<string | undefined>((resolve) => {
    worker.once('message', resolve);
    worker.once('error', () => resolve(undefined));
    worker.once('exit', () => resolve(undefined));
  });
  clearTimeout(timer);
  return drawn;
}
