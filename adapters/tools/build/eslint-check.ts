import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findProjectProgram, isMissing, toMissingPackage } from '../project/project-program.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { runProgram, toProgramDetail } from '../shell/run-program.ts';
import { describeDiagnostics, toListed, type Diagnostic } from './diagnostics.ts';
import { toPathWords } from './paths.ts';

/** Bytes of the report, which contains the source of every file with a message. */
const KEEP_BYTES = 32 * 1024 * 1024;
const NO_CONFIG = /couldn't find (?:a|an eslint\.config|a configuration)|No ESLint configuration found/i;

const reportSchema = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        ruleId: z.string().nullish(),
        severity: z.number(),
        message: z.string(),
        line: z.number().optional(),
        column: z.number().optional(),
      }),
    ),
  }),
);

const input = z.object({ paths: z.array(z.string()).optional() });

export const eslintCheck = defineBuiltinTool({
  name: 'eslint_check',
  description: "Lint the project, or some paths, with the project's ESLint.",
  input,
  deferred: true,
  effects: ['execute'],
  // A repeated check reports the present state.
  resume: 'repeat',
  example: {
    files: { 'eslint.config.mjs': 'export default [{}];\n' },
    packages: ['eslint'],
    input: {},
    output: '0 errors',
  },
  async prepare(options, context) {
    const command = await choose(options, context);
    return { title: `lint: ${headOf(command, 120)}`, access: [{ kind: 'exec', command }], command };
  },
  async run(_options, context, intent) {
    const command = intent.command!;
    const { result, timeoutMs } = await runProgram(context, { command, keepBytes: KEEP_BYTES, quiet: true });
    if (isMissing(result, result.stderr, 'eslint')) return toMissingPackage(context, 'eslint');
    const evidence = await toEvidence(context, { command, result, as: { kind: 'lint', runner: 'eslint' } });
    const report = toEslintDiagnostics(result.stdout, context.workspace.root);
    if (!report) {
      const output = result.stderr.trim() || result.stdout.trim();
      const lines = [`$ ${command}`];
      if (NO_CONFIG.test(output))
        lines.push('ESLint has no configuration in this project. First create an eslint.config.js in its root.');
      if (result.truncated) lines.push('[the report is too long to be read; use fewer paths]');
      lines.push(...describeEnd(result, timeoutMs), headOf(output, 10_000));
      return { text: lines.join('\n'), isError: true, detail: toProgramDetail(result) };
    }
    const lines = [
      `$ ${command}`,
      `${report.files} file${report.files === 1 ? '' : 's'} checked: ${describeDiagnostics(report.found)}`,
      ...describeEnd(result, timeoutMs),
    ];
    return {
      text: lines.join('\n'),
      isError: !isSuccess(result),
      detail: { ...toProgramDetail(result), diagnostics: toListed(report.found), count: report.found.length },
      evidence,
    };
  },
});

async function choose({ paths }: z.infer<typeof input>, context: ToolContext): Promise<string> {
  const eslint = quoteShellWord(await findProjectProgram(context, 'eslint'));
  return `${eslint} --format json ${await toPathWords(context, paths)}`;
}

/**
 * Parses the output of `eslint --format json`. Undefined for other output.
 *
 * @param root Absolute path of the workspace, which is removed from the paths.
 */
function toEslintDiagnostics(stdout: string, root: string): { files: number; found: Diagnostic[] } | undefined {
  const report = reportSchema.safeParse(parse(stdout));
  if (!report.success) return undefined;
  const found = report.data.flatMap(({ filePath, messages }) =>
    messages.map(({ ruleId, severity, message, line = 0, column = 0 }) => ({
      path: filePath.startsWith(`${root}/`) ? filePath.slice(root.length + 1) : filePath,
      line,
      column,
      severity: severity >= 2 ? ('error' as const) : ('warning' as const),
      code: ruleId ?? '',
      message: message.replaceAll(/\s+/g, ' '),
    })),
  );
  return { files: report.data.length, found };
}

/** A plug-in may have written lines before the report. */
function parse(stdout: string): unknown {
  const begin = stdout.startsWith('[') ? 0 : stdout.indexOf('\n[') + 1;
  try {
    return JSON.parse(stdout.slice(begin));
  } catch {
    return undefined;
  }
}
