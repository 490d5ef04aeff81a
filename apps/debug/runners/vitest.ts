// For `setupFiles` of vitest: investigates each failed test in its process, before the hooks that clean up.
import * as vitest from 'vitest';
import { armTests } from './arm-tests.ts';
import { investigateTest } from './investigate-test.ts';
import { readRunSettings } from './run-settings.ts';

interface Task {
  name: string;
  fullTestName?: string;
  file: { filepath: string };
  fails?: boolean;
  result?: { state: string; errors?: readonly object[] };
}

interface Runner {
  getTestFn(task: Task): () => unknown;
  prototype: { runTask?: (task: Task) => Promise<void> };
}

armTests();
const investigated = new WeakSet<Task>();

function investigateTask(task: Task, error: unknown) {
  investigated.add(task);
  return investigateTest({ title: task.fullTestName ?? task.name, file: task.file.filepath, error });
}

// Vitest keeps only a copy of an error, without its variables. Here is the original.
const { TestRunner } = vitest as unknown as { TestRunner?: Runner };
if (TestRunner !== undefined && TestRunner.prototype.runTask === undefined) {
  TestRunner.prototype.runTask = async (task) => {
    try {
      await TestRunner.getTestFn(task)();
    } catch (error) {
      // `ctx.skip()` throws too.
      if (!task.fails && !isSkip(error)) await investigateTask(task, error);
      throw error;
    }
  };
}

// Failures outside of the function of a test.
vitest.afterEach(async (context) => {
  const task = context.task as unknown as Task;
  const [error] = task.result?.errors ?? [];
  if (task.result?.state !== 'fail' || task.fails || error === undefined || investigated.has(task)) return;
  await investigateTask(task, toError(error));
}, readRunSettings().options.timeoutMs + 10_000);

function isSkip(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'VITEST_PENDING';
}

function toError(copy: object): Error {
  const { message, stack, ...rest } = copy as { message?: string; stack?: string };
  return Object.assign(new Error(message), rest, stack === undefined ? {} : { stack });
}
