import { z } from 'zod';
import type { ToolContext, ToolOutput } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toEvidence } from '../project/check-evidence.ts';
import { findProjectProgram, isMissing, toMissing } from '../project/project-program.ts';
import { describeEnd, isSuccess } from '../shell/exec-report.ts';
import { quote } from '../shell/quote.ts';
import { runProgram, toProgramDetail, type ProgramRun } from '../shell/run-program.ts';
import { toPathWords } from './paths.ts';

const KEEP_BYTES = 4 * 1024 * 1024;
/** Files that are named. */
const MAX_LISTED = 200;

const input = z.object({
  paths: z.array(z.string()).optional(),
  check: z.boolean().optional().describe('change nothing'),
});
type Input = z.infer<typeof input>;

/** Formats with the project's Prettier. */
export const prettierFormat = defineBuiltinTool({
  name: 'prettier_format',
  description: "Format the project, or some paths, with the project's Prettier.",
  input,
  deferred: true,
  effects: ['execute', 'write'],
  // Repeated, it would say that nothing changed.
  resume: 'tell',
  example: {
    files: { 'a.js': 'let  a\n' },
    packages: ['prettier'],
    input: { paths: ['a.js'] },
    output: '1 file changed:\na.js',
  },
  async prepare(options, context) {
    const command = await choose(options, context);
    const title = `${options.check ? 'check format' : 'format'}: ${command.slice(0, 120)}`;
    return { title, access: [{ kind: 'exec', command }], command };
  },
  async run(options, context, intent) {
    const command = intent.command ?? (await choose(options, context));
    const run = await runProgram(context, { command, keepBytes: KEEP_BYTES });
    if (isMissing(run.result, run.result.stderr, 'prettier'))
      return toMissing(context, { program: 'prettier', brings: 'prettier' });
    return await toOutput(context, run, { command, check: options.check ?? false });
  },
});

/** `--list-different` names what differs on standard output and nothing else; with `--write` it is written too. */
async function choose({ paths, check }: Input, context: ToolContext): Promise<string> {
  const prettier = quote(await findProjectProgram(context, 'prettier'));
  return `${prettier} --list-different ${check ? '' : '--write '}${await toPathWords(context, paths)}`;
}

async function toOutput(
  context: ToolContext,
  { result, timeoutMs }: ProgramRun,
  { command, check }: { command: string; check: boolean },
): Promise<ToolOutput> {
  const files = result.stdout.split('\n').filter((line) => line !== '');
  // Exit code 1 only says that files differ; 2 that something is wrong with Prettier or with a file.
  const differs = check && result.exitCode === 1 && !result.timedOut && !result.cancelled;
  const ok = isSuccess(result) || differs;
  const verb = check ? 'would change' : 'changed';
  const count = `${files.length} file${files.length === 1 ? '' : 's'} ${verb}`;
  const lines = [`$ ${command}`, files.length === 0 ? `${count}.` : `${count}:`, ...files.slice(0, MAX_LISTED)];
  if (files.length > MAX_LISTED) lines.push(`[… ${files.length - MAX_LISTED} more …]`);
  if (!ok) lines.push(...describeEnd(result, timeoutMs));
  const as = { kind: 'format' as const, runner: 'prettier' };
  const evidence = check && ok ? await toEvidence(context, { command, result, as }) : undefined;
  const said = result.stderr.trim();
  if (said !== '') lines.push(said.slice(0, 10_000).toWellFormed());
  return {
    text: lines.join('\n'),
    isError: !isSuccess(result),
    detail: { ...toProgramDetail(result), files: files.slice(0, MAX_LISTED), count: files.length },
    ...(evidence ? { evidence } : {}),
  };
}
