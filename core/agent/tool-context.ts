import type { BlobRef } from '../protocol/index.ts';
import type { ToolContext } from './ports/tool.ts';
import type { BlobWriter } from './ports/store.ts';
import { allowsTool, createSecretScanner, type Redactor, toFilesView, toFingerprint } from '../policy/index.ts';
import type { Ids } from './ports/ids.ts';
import type { Sandbox } from './ports/sandbox.ts';
import { createMemory } from './memory.ts';
import { openedOf } from './state.ts';
import { searchTools } from './search-tools.ts';
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
    memory: createMemory(engine.openKnowledge(workspace.root), { redactor, session: work.session }),
    recall: engine.openRecall(work.session),
    findTools: createToolFinder(work),
    openBlob: () => createRedactedBlob(engine.store.writeBlob(), redactor),
    findSecrets: createSecretFinder(redactor, (text) => engine.ids.digest(text)),
  };
}

/** What the request holds already and what the grant does not hold need not be found. */
function createToolFinder({ engine, state }: Work): ToolContext['findTools'] {
  const offered = new Set(openedOf(state).tools);
  return (query) => {
    const now = engine.clock.now();
    const names = engine.tools.names.filter((name) => !offered.has(name) && allowsTool(state.grant, name, now));
    return { found: searchTools(query, engine.tools.specs(names)), names };
  };
}

/** Looks by rules and for the values that the redactor knows; a value inside a finding of a rule is not said twice. */
function createSecretFinder(redactor: Redactor, digest: Ids['digest']): ToolContext['findSecrets'] {
  const scanner = createSecretScanner({ digest });
  return (text, options = {}) => {
    const findings = scanner.scan(text, options);
    for (const { rule, line, start, end } of redactor.findValues(text)) {
      if (findings.some((finding) => finding.start < end && finding.end > start)) continue;
      const fingerprint = toFingerprint(digest, { rule, path: options.path, secret: text.slice(start, end) });
      findings.push({ rule, line, start, end, fingerprint });
    }
    findings.sort((a, b) => a.start - b.start);
    return findings.map(({ rule, line, fingerprint }) => ({ rule, line, fingerprint }));
  };
}

/** A sandbox that is opened by the first command: a run that only reads does not pay for one. */
function lazily(work: Work): Sandbox {
  return {
    name: openedOf(work.state).sandbox,
    exec: async (request) => {
      const files = toFilesView(work.state.grant, {
        workspace: openedOf(work.state).workspace,
        now: work.engine.clock.now(),
      });
      return (await work.sandbox()).exec(files ? { ...request, files } : request);
    },
  };
}

/** Longest text held back while a secret may not be complete yet. */
const LONGEST_HELD = 64 * 1_024;

/** Characters at the end of what is there that may be the beginning of a secret, also of one that was wrapped. */
const SEAM = 4_096;

/** Bytes of one output that are kept; a command that never stops writing must not fill the disk. */
const LONGEST_BLOB = 256 * 1_024 * 1_024;

/** A blob writer that takes secrets out, also those that stand over two chunks; a private key is held until its last line. */
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
      if (held.length < 2 * SEAM) return;
      const longest = held.length - SEAM;
      const end = held.lastIndexOf('\n', longest - 1) + 1;
      const seam = end > 0 ? end : held.length >= LONGEST_HELD ? longest : 0;
      if (seam === 0) return;
      const head = redactor.redactHead(held, seam);
      writer.write(encoder.encode(head.text));
      held = held.slice(head.length);
    },
    async finish() {
      held += decoder.decode();
      flush(held.length);
      return await writer.finish();
    },
    abort: () => writer.abort(),
  };
}
