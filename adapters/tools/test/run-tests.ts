import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import { defineTool, type ToolContext } from '@klaus/core/agent';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { OutputKeeper } from '../shell/output-keeper.ts';
import { findRunner, type Runner } from './runner.ts';
import { describeSummary, isEmpty, toTestSummary } from './test-summary.ts';

const input = z.object({
  path: z.string().optional().describe('a test file'),
  pattern: z.string().optional().describe('part of the names of tests'),
  timeoutMs: z.number().min(1).optional(),
});
type Input = z.infer<typeof input>;

/** Runs the project's tests in the sandbox. */
export const runTests = defineTool({
  name: 'run_tests',
  description:
    "Run the project's tests (its npm test script, vitest, jest or node --test). Gives counts, failing tests and the output.",
  input,
  effects: ['execute'],
  resume: 'tell',
  async prepare(options, context) {
    const { command } = await choose(options, context);
    return { title: `run tests: ${command}`, access: [{ kind: 'exec', command }], command };
  },
  async run(options, context, intent) {
    const command = intent.command ?? (await choose(options, context)).command;
    const timeoutMs = options.timeoutMs === undefined ? context.execLimits.timeoutMs : Math.floor(options.timeoutMs);
    const keeper = new OutputKeeper(context);
    try {
      const result = await context.sandbox.exec({
        command,
        cwd: context.workspace.root,
        // Runners watch, draw and colour on a terminal, and some only believe CI that there is none.
        env: { CI: 'true', NO_COLOR: '1', FORCE_COLOR: '0' },
        limits: { ...context.execLimits, timeoutMs },
        onOutput: keeper.take,
        keepBytes: 0,
        signal: context.signal,
      });
      const { text, blob } = await keeper.finish();
      const summary = toTestSummary(text);
      return {
        text: [`$ ${command}`, describeSummary(summary), ...describeEnd(result, timeoutMs), '', text.trimEnd()]
          .filter((line, i) => line !== '' || i > 2)
          .join('\n'),
        isError: !isSuccess(result) || isEmpty(summary),
        detail: { ...summary, exitCode: result.exitCode, timedOut: result.timedOut, durationMs: result.durationMs },
        // A run without a test that says "green" is evidence of nothing.
        ...(isSuccess(result) && isEmpty(summary) ? {} : { evidence: { command, exitCode: result.exitCode } }),
        ...(blob ? { blob } : {}),
      };
    } catch (error) {
      keeper.abort();
      throw error;
    }
  },
});

async function choose(options: Input, context: ToolContext): Promise<Runner> {
  for (const [name, word] of [
    ['path', options.path],
    ['pattern', options.pattern],
  ] as const) {
    if (word !== undefined && (word.includes('\0') || !word.isWellFormed() || word.length > 4_096)) {
      throw new KlausError('tool.failed', `The ${name} is not valid text.`);
    }
  }
  if (options.path === undefined) return findRunner(context, options);
  const { relative } = await context.workspace.resolve(options.path);
  if (!(await context.workspace.stat(options.path)))
    throw new KlausError('tool.failed', `${options.path} does not exist.`);
  return findRunner(context, { ...options, path: relative === '' ? undefined : relative });
}
