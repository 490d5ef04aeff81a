import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { HookHost } from '@klaus/core/agent';
import { orUndefined } from '../or-undefined.ts';

/** Bytes of an answer. */
const MAX_ANSWER = 1_024 * 1_024;

/**
 * @param at.home The home folder of the user.
 * @param at.state Klaus's own folder, by default `~/.klaus`.
 */
export function createHookHost({ home, state }: { home: string; state: string }): HookHost {
  return {
    get folders() {
      const folders = [join(state, 'hooks'), join(home, '.claude/hooks')];
      return folders.flatMap((folder) => orUndefined(() => realpathSync.native(folder)) ?? []);
    },
    async post({ url, headers, body, timeoutMs, signal }) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        redirect: 'error',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      return { status: response.status, text: await readAnswer(response) };
    },
  };
}

/** @throws Error for an answer that is too large. */
async function readAnswer({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error(`The answer has more than ${MAX_ANSWER} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
