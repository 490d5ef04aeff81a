import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findProjectProgram, isMissing, toMissingPackage } from '../project/project-program.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { runProgram, toProgramDetail } from '../shell/run-program.ts';
import { toPathWords } from './paths.ts';

const KEEP_BYTES = 4 * 1024 * 1024;
const MAX_LISTED = 200;

const input = z.object({
  paths: z.array(z.string()).optional(),
  check: z.boolean().optional().describe('change nothing'),
});
type Input = z.infer<typeof input>;

export const prettierFormat = defineBuiltinTool({
  name: 'prettier_format',
  description: "Format the project, or some paths, with the project's Prettier.",
  input,
  deferred: true,
  effects: ['execute', 'write'],
  // A repetition would report that nothing changed.
  resume: 'tell',
  example: {
    files: { 'a.js': 'let  a\n' },
    packages: ['prettier'],
    input: { paths: ['a.js'] },
    output: '1 file changed:\na.js',
  },
  async prepare(options, context) {
    const command = await choose(options, context);
    const title = `${options.check ? 'check format' : 'format'}: ${headOf(command, 120)}`;
    return { title, access: [{ kind: 'exec', command }], command };
  },
  async run({ check = false }, context, intent) {
    const command = intent.command!;
    const { result, timeoutMs } = await runProgram(context, { command, keepBytes: KEEP_BYTES });
    if (isMissing(result, result.stderr, 'prettier')) return toMissingPackage(context, 'prettier');
    const files = result.stdout.split('\n').filter((line) => line !== '');
    // Exit code 1 means that files differ, 2 that Prettier failed.
    const differs = check && result.exitCode === 1 && !result.timedOut && !result.cancelled;
    const ok = isSuccess(result) || differs;
    const verb = check ? 'would change' : 'changed';
    const count = `${files.length} file${files.length === 1 ? '' : 's'} ${verb}`;
    const lines = [`$ ${command}`, files.length === 0 ? `${count}.` : `${count}:`, ...files.slice(0, MAX_LISTED)];
    if (files.length > MAX_LISTED) lines.push(`[… ${files.length - MAX_LISTED} more …]`);
    if (!ok) lines.push(...describeEnd(result, timeoutMs));
    const as = { kind: 'format' as const, runner: 'prettier' };
    const evidence = check && ok ? await toEvidence(context, { command, result, as }) : undefined;
    const errors = result.stderr.trim();
    if (errors !== '') lines.push(headOf(errors, 10_000));
    return {
      text: lines.join('\n'),
      isError: !isSuccess(result),
      detail: { ...toProgramDetail(result), files: files.slice(0, MAX_LISTED), count: files.length },
      evidence,
    };
  },
});

/** `--list-different` lists only the files that differ; with `--write` they are formatted too. */
async function choose({ paths, check }: Input, context: ToolContext): Promise<string> {
  const prettier = quoteShellWord(await findProjectProgram(context, 'prettier'));
  return `${prettier} --list-different ${check ? '' : '--write '}${await toPathWords(context, paths)}`;
}
