import { Worker } from 'node:worker_threads';
import { getHeapStatistics } from 'node:v8';
import type { Inspector } from '../inspector/inspector.ts';

/** Ends an evaluation in this thread that takes too much memory. */
export interface MemoryWatch {
  /** Resolves when it works, or cannot work here. */
  ready: Promise<void>;
  /** Runs code of the inspector under watch. @returns True if it was ended. */
  watch: (run: () => void) => boolean;
  close(): void;
}

/** Megabytes that one evaluation may take. */
const MOST = 256;
const { wait, notify, load, store, compareExchange } = Atomics;
/** Milliseconds until the thread has sent the end. */
const SENT_MS = 5000;
const IDLE = 0;
const RUNNING = 1;
const ENDED = 2;

/**
 * The thread sleeps until an evaluation begins. It compares the memory of the process with that at the beginning, and
 * ends the evaluation by the inspector, which is the only way to end code of another thread.
 */
const WATCHER = `
const { workerData, parentPort } = require('node:worker_threads');
const { Session } = require('node:inspector');
const state = new Int32Array(workerData);
parentPort.postMessage('ready');
const rss = () => process.memoryUsage.rss() / 2 ** 20;
const end = () => {
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.terminateExecution');
  Atomics.store(state, 2, 1);
  Atomics.notify(state, 2);
  Atomics.wait(state, 0, ${ENDED});
  // A connection would keep the program from its end.
  session.disconnect();
};
for (;;) {
  Atomics.wait(state, 0, ${IDLE});
  while (Atomics.load(state, 0) === ${RUNNING})
    if (rss() > state[1] && Atomics.compareExchange(state, 0, ${RUNNING}, ${ENDED}) === ${RUNNING}) end();
    else Atomics.wait(state, 0, ${RUNNING}, 2);
}`;

export function createMemoryWatch(inspector: Inspector): MemoryWatch {
  const state = new Int32Array(new SharedArrayBuffer(12));
  let worker: Worker | undefined;
  const { promise: ready, resolve } = withResolvers();
  try {
    worker = new Worker(WATCHER, { eval: true, workerData: state.buffer, execArgv: [], env: {}, stdin: false });
    worker.unref();
    worker.once('message', resolve);
    worker.once('error', () => {
      worker = undefined;
      resolve();
    });
  } catch {
    // Threads are not allowed here.
    resolve();
  }
  return {
    ready,
    watch(run) {
      if (worker === undefined) {
        run();
        return false;
      }
      state[1] = Math.floor(process.memoryUsage.rss() / 2 ** 20 + readRoom());
      store(state, 2, 0);
      store(state, 0, RUNNING);
      notify(state, 0);
      try {
        run();
      } finally {
        if (compareExchange(state, 0, RUNNING, IDLE) !== RUNNING) {
          wait(state, 2, 0, SENT_MS);
          absorb(inspector);
        }
      }
      const isEnded = load(state, 0) === ENDED;
      store(state, 0, IDLE);
      notify(state, 0);
      return isEnded;
    },
    close: () => void worker?.terminate(),
  };
}

/** The end may come after the evaluation: it must not reach the program. */
function absorb(inspector: Inspector): void {
  inspector.post('Runtime.evaluate', { expression: 'for (;;);', timeout: 100, silent: true });
}

function readRoom(): number {
  const { heap_size_limit, used_heap_size } = getHeapStatistics();
  return Math.max(16, Math.min(MOST, (heap_size_limit - used_heap_size) / 2 ** 20 / 3));
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
