import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { isMissing, toStart } from '@klaus/adapters/system';
import type { DiagnosticsOptions } from '@klaus/core/agent';
import type { ProtocolConnection } from 'vscode-languageserver-protocol/node';
import type { LanguageServer } from './language-servers.ts';
import { readProblems, toFileUri, type CheckedProblem } from './problems.ts';

/** Maximum milliseconds for an answer after the first one, for which a server loads the project. */
const ANSWER_MS = 5_000;
/**
 * Milliseconds without another list of problems after which the last one counts as complete, for the first file and for
 * later ones: servers send what they find in several lists.
 */
const QUIET_MS = { first: 1_500, later: 500 };
/** Milliseconds in which a server ends by itself. */
const END_MS = 500;
/** A server runs at most this long. */
const LIFE_MS = 3_600_000;
const MEMORY_MB = 2_048;
/** Bytes that a server sends for one file. One that sends more is ended. */
const MAX_BYTES = 64 * 1_024 * 1_024;
/** Lists of problems for one text. The last of them counts. */
const MAX_LISTS = 100;

/** A running server. */
export interface ServerConnection {
  /** Undefined while it runs; `missing` if there is no such program. */
  readonly ended: 'missing' | 'crashed' | undefined;
  /**
   * Sends the text of a file and waits for its problems.
   *
   * @returns Undefined if the server ended or did not answer in time.
   */
  check(
    file: { path: string; language: string; text: string },
    signal: AbortSignal,
  ): Promise<CheckedProblem[] | undefined>;
  close(): Promise<void>;
}

interface OpenFile {
  version: number;
  text: string;
  problems: CheckedProblem[] | undefined;
  lists: number;
}

/** Starts a server in the sandbox. @throws never: a server that cannot start has `ended`. */
export async function startServer(
  server: LanguageServer,
  { workspace, exec, timeoutMs }: DiagnosticsOptions,
): Promise<ServerConnection> {
  const lsp = await import('vscode-languageserver-protocol/node');
  const input = new PassThrough();
  const output = new PassThrough();
  const stop = new AbortController();
  let ended: ServerConnection['ended'];
  let size = 0;
  const exited = exec({
    command: toStart(server.program, server.words),
    stdin: input,
    onOutput(chunk, stream) {
      if (stream !== 'stdout') return;
      size += chunk.length;
      if (size > MAX_BYTES) return stop.abort();
      output.write(Buffer.from(chunk));
    },
    keepBytes: 4_096,
    limits: { timeoutMs: LIFE_MS, memoryMb: MEMORY_MB },
    signal: stop.signal,
  }).then(
    (end) => void (ended = isMissing(end) ? 'missing' : 'crashed'),
    () => void (ended = 'crashed'),
  );
  const files = new Map<string, OpenFile>();
  const changed = new Set<OnProblems>();
  const connection = lsp.createProtocolConnection(
    new lsp.StreamMessageReader(output),
    new lsp.StreamMessageWriter(input),
  );
  listen(connection, ({ uri, version, problems }) => {
    const file = files.get(uri);
    // A list for an earlier text says nothing about this one.
    if (!file || (typeof version === 'number' && version !== file.version) || file.lists >= MAX_LISTS) return;
    file.lists++;
    file.problems = readProblems(problems, file.text);
    for (const notify of changed) notify(uri, file.lists === MAX_LISTS);
  });
  connection.listen();
  const root = pathToFileURL(workspace).href;
  const initialized = connection
    .sendRequest('initialize', {
      processId: null,
      rootUri: root,
      workspaceFolders: [{ uri: root, name: 'workspace' }],
      capabilities: {
        textDocument: { publishDiagnostics: { versionSupport: true }, synchronization: {} },
        workspace: { configuration: true, workspaceFolders: true },
      },
    })
    .then(() => connection.sendNotification('initialized', {}));
  const isReady = race(
    initialized.then(() => true),
    { exited, ms: timeoutMs },
  ).catch(() => undefined);
  let isFirst = true;
  return {
    get ended() {
      return ended;
    },
    async check({ path, language, text }, signal) {
      if ((await isReady) !== true || ended !== undefined || signal.aborted) return undefined;
      const uri = pathToFileURL(`${workspace}/${path}`).href;
      const known = files.get(uri);
      if (known?.text === text && known.problems) return known.problems;
      const file: OpenFile = { version: (known?.version ?? 0) + 1, text, problems: undefined, lists: 0 };
      size = 0;
      files.set(uri, file);
      const answered = untilQuiet(changed, uri, isFirst ? QUIET_MS.first : QUIET_MS.later);
      const { version } = file;
      const document = { uri, version };
      const sent = known
        ? connection.sendNotification('textDocument/didChange', { textDocument: document, contentChanges: [{ text }] })
        : connection.sendNotification('textDocument/didOpen', {
            textDocument: { ...document, languageId: language, text },
          });
      await race(
        sent.then(() => answered.done),
        { exited, signal, ms: isFirst ? timeoutMs : Math.min(timeoutMs, ANSWER_MS) },
      ).catch(() => {});
      answered.stop();
      isFirst &&= file.problems === undefined;
      return file.problems;
    },
    async close() {
      if (ended === undefined) {
        const polite = connection.sendRequest('shutdown').then(() => connection.sendNotification('exit'));
        await race(
          polite.then(() => exited),
          { exited, ms: END_MS },
        ).catch(() => {});
      }
      stop.abort();
      connection.dispose();
      input.end();
      await exited;
    },
  };
}

/** Called with the address of a file; `isLast`: no other list for its text counts. */
type OnProblems = (uri: string, isLast: boolean) => void;

/** A list of problems, as a server sends it. */
interface ProblemList {
  uri: string;
  version: unknown;
  problems: readonly unknown[];
}
type Given = { uri?: unknown; version?: unknown; diagnostics?: unknown } | undefined;

/** Answers what servers ask of an editor. */
function listen(connection: ProtocolConnection, onProblems: (list: ProblemList) => void): void {
  connection.onNotification('textDocument/publishDiagnostics', (given: Given) => {
    const uri = toFileUri(given?.uri);
    if (uri === undefined || !Array.isArray(given?.diagnostics)) return;
    onProblems({ uri, version: given.version, problems: given.diagnostics as unknown[] });
  });
  connection.onRequest('workspace/configuration', (given: { items?: unknown } | undefined) =>
    Array.isArray(given?.items) ? given.items.map(() => null) : [],
  );
  connection.onRequest('workspace/workspaceFolders', () => null);
  connection.onRequest('client/registerCapability', () => null);
  connection.onRequest('client/unregisterCapability', () => null);
  connection.onRequest('window/workDoneProgress/create', () => null);
  // A server that writes what is no message is ended by the time limits.
  connection.onError(() => {});
  connection.onUnhandledNotification(() => {});
}

/** Resolves when a file has got problems and no other list followed for a moment. */
function untilQuiet(
  changed: Set<OnProblems>,
  wanted: string,
  quietMs: number,
): { done: Promise<void>; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let notify: OnProblems | undefined;
  const done = new Promise<void>((resolve) => {
    notify = (uri, isLast) => {
      if (uri !== wanted) return;
      clearTimeout(timer);
      if (isLast) resolve();
      else timer = setTimeout(resolve, quietMs);
    };
    changed.add(notify);
  });
  const stop = (): void => {
    clearTimeout(timer);
    if (notify) changed.delete(notify);
  };
  return { done, stop };
}

/** Undefined when the server ends, the time is over, or the signal aborts. */
async function race<T>(
  wanted: Promise<T>,
  { exited, signal, ms }: { exited: Promise<void>; signal?: AbortSignal; ms: number },
): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
    onAbort = () => resolve(undefined);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([wanted, exited.then(() => undefined), over]);
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener('abort', onAbort);
  }
}
