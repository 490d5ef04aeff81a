import { execFile } from 'node:child_process';
import type { ImagePart } from '@klaus/sdk';
import { toImagePart } from '@klaus/sdk/image-part';

const MAX_BYTES = 20 * 1_024 * 1_024;
const TIMEOUT_MS = 3_000;

/** Programs that write the image of the clipboard to standard output, one for each desktop. */
const COMMANDS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['wl-paste', '--type', 'image/png'],
  ['xclip', '-selection', 'clipboard', '-target', 'image/png', '-out'],
  ['pngpaste', '-'],
];

/** The image in the clipboard of this machine; undefined if there is none, or no program to read it. */
export async function readClipboardImage(): Promise<ImagePart | undefined> {
  for (const [program, ...args] of COMMANDS) {
    const bytes = await read(program, args);
    const part = bytes && toImagePart(bytes);
    if (part) return part;
  }
  return undefined;
}

function read(program: string, args: readonly string[]): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    execFile(program, args, { encoding: 'buffer', maxBuffer: MAX_BYTES, timeout: TIMEOUT_MS }, (error, stdout) =>
      resolve(error ? undefined : stdout),
    );
  });
}
