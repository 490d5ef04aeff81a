import type { BlobRef } from '../protocol/index.ts';
import type { ToolContext } from './ports/tool.ts';
import type { BlobWriter } from './ports/store.ts';
import type { Redactor } from '../policy/index.ts';
import type { Sandbox } from './ports/sandbox.ts';
import { openedOf } from './state.ts';
import type { Work } from './work.ts';

/** Everything a call may use. `call` names it to the doors that watch its progress. */
export async function createToolContext(work: Work, call: string): Promise<ToolContext> {
  const { engine, redactor } = work;
  const workspace = await work.workspace();
  let offset = 0;
  return {
    workspace,
    sandbox: lazily(work),
    signal: work.stop,
    session: work.session,
    progress(text) {
      engine.store.emitLive({ type: 'tool.progress', session: work.session, call, offset, text });
      offset += text.length;
    },
    execLimits: engine.settings.execLimits,
    maxSearchResults: engine.settings.maxSearchResults,
    gitIdentity: engine.settings.gitIdentity,
    restoreSecrets: (text, current) => redactor.restore(text, current),
    openBlob: () => createRedactedBlob(engine.store.writeBlob(), redactor),
    findSecrets: (text) => redactor.find(text).map(({ rule, line }) => ({ rule, line })),
  };
}

/** A sandbox that is opened by the first command: a run that only reads does not pay for one. */
function lazily(work: Work): Sandbox {
  return {
    name: openedOf(work.state).sandbox,
    exec: async (request) => (await work.sandbox()).exec(request),
  };
}

/** Longest text held back while a secret may not be complete yet. */
const LONGEST_HELD = 64 * 1_024;

/** Characters at the end of a long line that may be the beginning of a secret. */
const SEAM = 4_096;

/** Where a line that is too long to hold may be cut: before its end, and through no secret. */
function findSeam(text: string, redactor: Redactor): number {
  const seam = text.length - SEAM;
  return redactor.find(text).find((hit) => hit.start < seam && hit.end > seam)?.start || seam;
}

/** Bytes of one output that are kept; a command that never stops writing must not fill the disk. */
const LONGEST_BLOB = 256 * 1_024 * 1_024;

/** A blob writer that takes secrets out, line by line; a private key is held until its last line. */
export function createRedactedBlob(
  writer: BlobWriter,
  redactor: Redactor,
): { write(chunk: Uint8Array): void; finish(): Promise<BlobRef>; abort(): void } {
  const decoder = new TextDecoder('utf-8', { fatal: false });
  const encoder = new TextEncoder();
  let held = '';
  let length = 0;
  const flush = (upTo: number): void => {
    if (upTo > 0) writer.write(encoder.encode(redactor.redact(held.slice(0, upTo))));
    held = held.slice(upTo);
  };
  return {
    write(chunk) {
      if (length > LONGEST_BLOB) return;
      length += chunk.length;
      if (length > LONGEST_BLOB) {
        held += `\n[… what came after ${LONGEST_BLOB} bytes was not kept]\n`;
        return;
      }
      held += decoder.decode(chunk, { stream: true });
      const key = held.lastIndexOf('-----BEGIN ');
      const open = key >= 0 && !/-----END [^\n]*\n/.test(held.slice(key));
      if (open) flush(key);
      if (open && held.length < LONGEST_HELD) return;
      const end = held.lastIndexOf('\n') + 1;
      flush(end > 0 ? end : held.length >= LONGEST_HELD ? findSeam(held, redactor) : 0);
    },
    async finish() {
      held += decoder.decode();
      flush(held.length);
      return await writer.finish();
    },
    abort: () => writer.abort(),
  };
}
