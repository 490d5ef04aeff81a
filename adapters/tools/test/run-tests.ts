import { z } from 'zod';
import type { ToolContext, ToolOutput } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findPackageManager } from '../project/package-manager.ts';
import { toMissingModule, toMissingPackage, toMissingProgram, isMissing } from '../project/project-program.ts';
import { BRING_PYTHON, findPython } from '../project/python.ts';
import { findUninstalled } from '../project/uninstalled.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { checkWord } from '../shell/quote.ts';
import { runProgram, toProgramDetail, type ProgramRun } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';
import { findRunner } from './find-runner.ts';
import { RUNNERS } from './runner.ts';
import { describeSummary, isEmpty, toTestSummary } from './test-summary.ts';

const input = z.object({
  path: z.string().optional().describe('a test file'),
  pattern: z.string().optional().describe('part of test names'),
  runner: z.enum(RUNNERS).optional(),
  timeoutMs: z.number().min(1).optional(),
});
type Input = z.infer<typeof input>;

export const runTests = defineBuiltinTool({
  name: 'run_tests',
  description:
    "Run the project's tests with its npm test script or its runner. Returns counts, failing tests and the output.",
  input,
  effects: ['execute'],
  resume: 'tell',
  example: {
    files: {
      'package.json': '{"type":"module"}',
      'sum.test.js': "import test from 'node:test';\ntest('sum', () => {});\n",
    },
    input: {},
    output: 'Tests: 1 passed, 0 failed.',
  },
  async prepare(options, context) {
    const command = await choose(options, context);
    return { title: `run tests: ${command}`, access: [{ kind: 'exec', command }], command };
  },
  async run(options, context, intent) {
    const command = intent.command!;
    const run = await runProgram(context, { command, timeoutMs: options.timeoutMs });
    const missing = await findMissing(context, run);
    if (missing) return missing;
    const { result, timeoutMs, text, blob } = run;
    const summary = toTestSummary(text);
    const as = { kind: 'test' as const, runner: 'file' };
    // A successful run without tests is not evidence.
    const uninstalled = isSuccess(result) ? undefined : findUninstalled(context.workspace.root, text);
    const isWithoutTests = isSuccess(result) && isEmpty(summary);
    const evidence = isWithoutTests ? undefined : await toEvidence(context, { command, result, summary, as });
    return {
      text: [
        ...[
          `$ ${command}`,
          describeSummary(summary),
          ...describeEnd(result, timeoutMs),
          uninstalled?.hint ?? '',
        ].filter((line) => line !== ''),
        '',
        text.trimEnd(),
      ].join('\n'),
      isError: !isSuccess(result) || isEmpty(summary),
      detail: { ...summary, ...toProgramDetail(result), fetch: uninstalled?.command },
      evidence,
      blob,
    };
  },
});

/** The result for a missing runner; undefined if it exists. */
async function findMissing(context: ToolContext, { result, text }: ProgramRun): Promise<ToolOutput | undefined> {
  if (isMissing(result, text, 'python3')) return toMissingProgram('python3', BRING_PYTHON);
  if (result.exitCode === 1 && /^\S+: No module named pytest$/m.test(text)) {
    const uninstalled = findUninstalled(context.workspace.root, text);
    if (uninstalled) {
      const { hint, command } = uninstalled;
      return { text: `pytest was not found. ${hint}`, isError: true, detail: { missing: 'pytest', fetch: command } };
    }
    return toMissingModule('pytest', await findPython(context));
  }
  for (const program of ['vitest', 'jest', 'mocha']) {
    if (isMissing(result, text, program)) return toMissingPackage(context, program);
  }
  const { name, bring } = await findPackageManager(context);
  if (isMissing(result, text, name)) return toMissingProgram(name, bring);
  return undefined;
}

async function choose(options: Input, context: ToolContext): Promise<string> {
  for (const name of ['path', 'pattern'] as const) {
    const word = options[name];
    if (word === undefined) continue;
    if (checkWord(name, word).length > 4_096) throw toolFailed(`The ${name} is too long.`);
  }
  if (options.path === undefined) return findRunner(context, options);
  const { relative } = await context.workspace.resolve(options.path);
  if (!(await context.workspace.stat(options.path))) throw toolFailed(`${options.path} does not exist.`);
  return findRunner(context, { ...options, path: relative === '' ? undefined : relative });
}
