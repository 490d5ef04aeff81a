import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findProjectProgram, isMissing, toMissing } from '../project/project-program.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { quote } from '../shell/quote.ts';
import { runProgram, toProgramDetail } from '../shell/run-program.ts';
import { describeDiagnostics, toListed } from './diagnostics.ts';
import { toEslintDiagnostics } from './eslint-output.ts';
import { toPathWords } from './paths.ts';

/** Bytes of the report, which holds the source of every file that has a complaint. */
const KEEP_BYTES = 32 * 1024 * 1024;
const NO_CONFIG = /couldn't find (?:a|an eslint\.config|a configuration)|No ESLint configuration found/i;

const input = z.object({ paths: z.array(z.string()).optional() });

/** Lints with the project's ESLint. */
export const eslintCheck = defineBuiltinTool({
  name: 'eslint_check',
  description: "Lint the project, or some paths, with the project's ESLint.",
  input,
  deferred: true,
  effects: ['execute'],
  // A check that is made twice says what is there now.
  resume: 'repeat',
  example: {
    files: { 'eslint.config.mjs': 'export default [{}];\n' },
    packages: ['eslint'],
    input: {},
    output: '0 errors',
  },
  async prepare(options, context) {
    const command = await choose(options, context);
    return { title: `lint: ${command.slice(0, 120)}`, access: [{ kind: 'exec', command }], command };
  },
  async run(options, context, intent) {
    const command = intent.command ?? (await choose(options, context));
    const { result, timeoutMs } = await runProgram(context, { command, keepBytes: KEEP_BYTES, quiet: true });
    if (isMissing(result, result.stderr, 'eslint')) return toMissing(context, { program: 'eslint', brings: 'eslint' });
    const evidence = await toEvidence(context, { command, result, as: { kind: 'lint', runner: 'eslint' } });
    const report = toEslintDiagnostics(result.stdout, context.workspace.root);
    if (!report) {
      const said = result.stderr.trim() || result.stdout.trim();
      const notes = NO_CONFIG.test(said)
        ? ['ESLint has no configuration in this project. Write an eslint.config.js at its root first.']
        : [];
      const whole = result.truncated ? ['[the report is too long to be read: give fewer paths]'] : [];
      return {
        text: [
          `$ ${command}`,
          ...notes,
          ...whole,
          ...describeEnd(result, timeoutMs),
          said.slice(0, 10_000).toWellFormed(),
        ].join('\n'),
        isError: true,
        detail: toProgramDetail(result),
      };
    }
    const lines = [
      `$ ${command}`,
      `${report.files} file${report.files === 1 ? '' : 's'} looked at: ${describeDiagnostics(report.found)}`,
      ...describeEnd(result, timeoutMs),
    ];
    return {
      text: lines.join('\n'),
      isError: !isSuccess(result),
      detail: { ...toProgramDetail(result), diagnostics: toListed(report.found), count: report.found.length },
      ...(evidence ? { evidence } : {}),
    };
  },
});

async function choose({ paths }: z.infer<typeof input>, context: ToolContext): Promise<string> {
  const eslint = quote(await findProjectProgram(context, 'eslint'));
  return `${eslint} --format json ${await toPathWords(context, paths)}`;
}
