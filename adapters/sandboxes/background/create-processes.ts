import { closeSync, constants, existsSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes, ProcessStatus, WaitFor } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { ownName } from '../process/owner.ts';
import { removeSessionHome } from '../home/session-home.ts';
import { isListening } from './listening.ts';
import { listNumbers, readIdentity, readRecord, toSessionFolder, writeRecord } from './process-files.ts';
import { readOutput } from './process-output.ts';
import { hasBegun, readStatus } from './process-status.ts';
import { closeProcess } from './close-process.ts';
import { endProcess, waitForStart, waitUntil } from './stop-process.ts';
import { KLAUS_ENDED } from './supervisor.ts';
import { watched } from './watch-process.ts';
import { listNames } from '@klaus/adapters/system';

const GRACE_MS = 3_000;
const SEARCH_BYTES = 1_048_576;

/** The background processes of all sessions. */
export interface ProcessHome {
  open(session: string): Processes;
  /** All processes, grouped by session. */
  list(): ProcessStatus[];
  /** Ends processes of this Klaus process that are not marked to survive, and stops watching the others. */
  close(): Promise<ProcessStatus[]>;
  /** Ends all processes of a session and removes their files. */
  remove(session: string): Promise<void>;
  sessions(): string[];
  /** Size of the files of a session in bytes. */
  size(session: string): number;
  /**
   * Removes the output of processes that have ended.
   *
   * @param options.endedBefore Unix milliseconds.
   * @returns Removed bytes.
   */
  dropOutput(session: string, options: { endedBefore: number; dryRun: boolean }): number;
}

/** @param options.home Klaus's own state; its folder `processes` is readable by its owner only. */
export function createProcesses(options: { home: string }): ProcessHome {
  const { home } = options;
  const root = join(home, 'processes');
  const open = (session: string): Processes => createSessionProcesses(toSessionFolder(home, session), session);
  return {
    open,
    list: () =>
      listNames(root)
        .sort()
        .flatMap((session) => open(session).list()),
    async close() {
      const own = [...watched].filter(([folder]) => folder.startsWith(`${root}/`));
      const ended: ProcessStatus[] = [];
      for (const [folder, watch] of own) {
        const record = readRecord(folder);
        if (record && !record.survives && record.owner === ownName()) {
          const wasRunning = readStatus(folder)?.state === 'running';
          await endProcess(folder, { reason: KLAUS_ENDED, graceMs: GRACE_MS });
          await watch.waitForEnd();
          const status = readStatus(folder);
          if (wasRunning && status) ended.push(status);
        } else await watch.release();
      }
      return ended;
    },
    async remove(session) {
      const processes = open(session);
      for (const { id } of processes.list()) await processes.stop(id, { reason: 'its session was deleted' });
      rmSync(toSessionFolder(home, session), { recursive: true, force: true });
      removeSessionHome(home, session);
    },
    sessions: () => listNames(root).sort(),
    size(session) {
      const folder = toSessionFolder(home, session);
      return sum(listNumbers(folder).flatMap((number) => listFiles(join(folder, `p${number}`))));
    },
    dropOutput(session, { endedBefore, dryRun }) {
      const ended = open(session)
        .list()
        .filter(({ state, endedAt, startedAt }) => state !== 'running' && (endedAt ?? startedAt) < endedBefore);
      const files = ended
        .flatMap(({ id }) => listFiles(join(toSessionFolder(home, session), id)))
        .filter(({ file }) => /\/output\.\d+$/.test(file));
      if (!dryRun) for (const { file } of files) rmSync(file, { force: true });
      return sum(files);
    },
  };
}

function listFiles(folder: string): { file: string; size: number }[] {
  return listNames(folder).flatMap((name) => {
    const file = join(folder, name);
    const found = statSync(file, { throwIfNoEntry: false });
    return found?.isFile() ? [{ file, size: found.size }] : [];
  });
}

function sum(files: readonly { size: number }[]): number {
  return files.reduce((total, { size }) => total + size, 0);
}

function createSessionProcesses(folder: string, session: string): Processes {
  const toFolder = (id: string): string => join(folder, id);
  const find = (id: string): ProcessStatus | undefined =>
    /^p[1-9]\d{0,8}$/.test(id) ? readStatus(toFolder(id)) : undefined;
  const known = (id: string): ProcessStatus => {
    const status = find(id);
    if (!status) throw new KlausError('tool.failed', `There is no background process ${id}.`);
    return status;
  };
  return {
    list: () => listNumbers(folder).flatMap((number) => find(`p${number}`) ?? []),
    find,
    reserve(request) {
      const id = `p${(listNumbers(folder).at(-1) ?? 0) + 1}`;
      const record = { ...request, session, id, owner: ownName(), startedAt: Date.now() };
      writeRecord(toFolder(id), record);
      return { id, folder: toFolder(id) };
    },
    read: (id, options) => readOutput((known(id), toFolder(id)), options),
    async wait(id, { until, timeoutMs, signal }) {
      known(id);
      const isMet = createCondition(toFolder(id), until);
      let met = false;
      let ended = false;
      await waitUntil(
        timeoutMs,
        () => {
          // The end is checked first, so that all output before it is searched.
          ended = find(id)?.state !== 'running';
          met = until.kind === 'exit' ? ended : isMet();
          return met || ended;
        },
        signal,
      );
      if (met) return 'met';
      if (ended) return 'ended';
      return signal?.aborted ? 'cancelled' : 'late';
    },
    async send(id, text) {
      if (known(id).state !== 'running') throw new KlausError('tool.failed', `${id} has ended and takes no input.`);
      feed(join(toFolder(id), 'input'), text, id);
    },
    async stop(id, { reason, graceMs = GRACE_MS }) {
      known(id);
      await endProcess(toFolder(id), { reason, graceMs });
      await closeProcess(toFolder(id));
      return known(id);
    },
    async takeOver() {
      const unwatched: string[] = [];
      for (const number of listNumbers(folder)) {
        const at = toFolder(`p${number}`);
        const record = readRecord(at);
        if (!record) continue;
        await waitForStart(at, () => hasBegun(at));
        if (!record.survives && record.owner !== ownName()) {
          await endProcess(at, { reason: KLAUS_ENDED, graceMs: 0 });
        }
        if (readStatus(at)?.state !== 'running') await closeProcess(at);
        else if (!watched.has(at)) unwatched.push(at);
      }
      return unwatched;
    },
  };
}

function createCondition(folder: string, until: WaitFor): () => boolean {
  if (until.kind === 'port') {
    const pid = readIdentity(folder)?.init.pid;
    return () => pid !== undefined && isListening(pid, until.port);
  }
  if (until.kind === 'exit') return () => false;
  let from = until.from;
  let tail = '';
  return () => {
    for (;;) {
      const { text, from: at, next } = readOutput(folder, { from, maxBytes: SEARCH_BYTES });
      const seen = (at === from ? tail : '') + text;
      if (seen.includes(until.text)) return true;
      if (next === from) return false;
      // The text may span two reads.
      tail = seen.slice(-(until.text.length - 1) || seen.length);
      from = next;
    }
  };
}

/** Writes to the input pipe. The supervising shell keeps both ends open, so that opening it does not block or end the input. */
function feed(pipe: string, text: string, id: string): void {
  if (!existsSync(pipe)) throw new KlausError('tool.failed', `${id} has ended and takes no input.`);
  const bytes = new TextEncoder().encode(text);
  let written = 0;
  try {
    const descriptor = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
    try {
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
    } finally {
      closeSync(descriptor);
    }
  } catch (cause) {
    const taken = written === 0 ? 'No byte was written' : `Only the first ${written} bytes were written`;
    throw new KlausError('tool.failed', `${id} does not read its input. ${taken}.`, { cause });
  }
}
