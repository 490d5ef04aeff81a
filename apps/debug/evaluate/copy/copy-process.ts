import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CopyAnswer, CopyRequest } from './copy-messages.ts';

/** A process in which code runs on copies. It starts with the first request, and again after one that ended it. */
export interface CopyProcess {
  /** One at a time. Never rejects. */
  run(request: CopyRequest): Promise<CopyAnswer>;
  close(): void;
}

const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './copy-program.ts' : './copy-program.js', import.meta.url),
);
/** Megabytes of its heap, and of everything: buffers are not on the heap. */
const HEAP = 256;
const MEMORY = 768;
/** Milliseconds for its start. */
const START_MS = 20_000;
/** Milliseconds in addition to those of the code: for the copies, and for functions that nothing interrupts. */
const GRACE_MS = 2000;
const WATCH_MS = 20;
const PAGE = 4096;

interface Started {
  child: ChildProcess;
  isReady: boolean;
}

export function createCopyProcess(): CopyProcess {
  let started: Started | undefined;
  const end = (): void => {
    started?.child.kill('SIGKILL');
    started = undefined;
  };
  return {
    async run(request) {
      let current: Started;
      try {
        current = started ??= start();
      } catch (error) {
        return { kind: 'unavailable', reason: String(error) };
      }
      const answer = await ask(current, request);
      if (answer.kind !== 'value' && answer.kind !== 'thrown') end();
      return answer;
    },
    close: end,
  };
}

function start(): Started {
  const permission = ['--permission', '--experimental-permission'].find((name) =>
    process.allowedNodeEnvironmentFlags.has(name),
  );
  const child = fork(PROGRAM, [], {
    execPath: process.execPath,
    execArgv: [
      `--max-old-space-size=${HEAP}`,
      '--no-warnings',
      // It reads its own modules, and nothing else is allowed: no file to write, no process, no thread, no addon.
      ...(permission === undefined ? [] : [permission, '--allow-fs-read=*']),
    ],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // It never keeps the program alive.
  child.unref();
  child.channel?.unref();
  child.on('error', () => {});
  const started = { child, isReady: false };
  child.once('message', () => void (started.isReady = true));
  return started;
}

function ask(started: Started, request: CopyRequest): Promise<CopyAnswer> {
  const { child } = started;
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout;
    const finish = (answer: CopyAnswer): void => {
      clearTimeout(timer);
      clearInterval(watch);
      child.off('message', onMessage);
      child.off('exit', onExit);
      child.off('error', onError);
      resolve(answer);
    };
    const limit = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => finish({ kind: 'timeout' }), ms);
    };
    const begin = (): void => {
      limit(request.timeoutMs + GRACE_MS);
      child.send(request, (error) => error && finish({ kind: 'unavailable', reason: error.message }));
    };
    const onMessage = (answer: CopyAnswer | 'ready'): void => (answer === 'ready' ? begin() : finish(answer));
    const onError = (error: Error): void => finish({ kind: 'unavailable', reason: error.message });
    // V8 ends a process that has no more memory.
    const onExit = (): void =>
      finish(started.isReady ? { kind: 'memory' } : { kind: 'unavailable', reason: 'its process does not start' });
    const watch = setInterval(() => {
      if (readMemory(child.pid) > MEMORY) finish({ kind: 'memory' });
    }, WATCH_MS);
    child.on('message', onMessage);
    child.once('exit', onExit);
    child.once('error', onError);
    if (started.isReady) begin();
    else limit(START_MS);
  });
}

/** Megabytes in memory; 0 where that is not known. */
function readMemory(pid: number | undefined): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE) / 2 ** 20;
  } catch {
    return 0;
  }
}
