import { executionAsyncId } from 'node:async_hooks';

const runtime = process;
const immediately = setImmediate;
const capture = runtime.setUncaughtExceptionCaptureCallback.bind(runtime);
const hasCapture = runtime.hasUncaughtExceptionCaptureCallback.bind(runtime);

/**
 * Calls a function in which V8 may end the execution of code, as the last thing of a callback of the event loop. Code of
 * the runtime that is ended leaves its entry on the stack of asynchronous contexts, and the runtime then ends the process.
 * It clears the stack after an uncaught exception: one that no listener receives is thrown here.
 */
export function keepAsyncStack(run: () => void): void {
  const id = executionAsyncId();
  run();
  if (executionAsyncId() === id || hasCapture()) return;
  capture(() => {});
  immediately(() => capture(null));
  throw new Error('The stack of asynchronous contexts is cleared.');
}
