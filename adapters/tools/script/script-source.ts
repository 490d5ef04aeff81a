import { headOf } from '@klaus/core/cut-text';
import { type Access, quoteShellWord } from '@klaus/core/protocol';
import { z } from 'zod';
import type { Intent, ToolContext, ToolOutput } from '@klaus/core/agent';
import { isMissing, toMissingProgram } from '../project/project-program.ts';
import { checkWord, quoteArguments, quotePath } from '../shell/quote.ts';
import { runProgram, toProgramOutput } from '../shell/run-program.ts';
import { toolFailed } from '../tool-failed.ts';

export const scriptInput = z.object({
  path: z.string().optional(),
  code: z.string().optional(),
  args: z.array(z.string()).optional(),
  timeoutMs: z.number().min(1).optional(),
});
type ScriptInput = z.infer<typeof scriptInput>;

/**
 * The intent of running a file of the workspace, or code. Code is part of the command line, so that the gate and the
 * approver see it.
 *
 * @param options.program The quoted interpreter; `inline` is its option for code, `afterCode` what must follow the code.
 * @throws KlausError `tool.failed` unless exactly one of path and code is set, and for a path that is not a file.
 */
export async function toScriptIntent(
  { path, code, args }: ScriptInput,
  context: ToolContext,
  options: { program: string; inline: string; afterCode: string },
): Promise<Intent> {
  const { program, inline, afterCode } = options;
  if ((path === undefined) === (code === undefined)) throw toolFailed('Use either path or code, not both.');
  if (code !== undefined) {
    if (code.trim() === '') throw toolFailed('The code is empty.');
    // Code that begins with a hyphen would be read as an option.
    const word = quoteShellWord(checkWord('code', code.startsWith('-') ? `\n${code}` : code));
    const command = `${program} ${inline} ${word}${afterCode}${quoteArguments(args)}`;
    const title = `run ${program} code: ${headOf(code.trim().replaceAll(/\s+/g, ' '), 100)}`;
    return { title, access: [{ kind: 'exec', command }], command };
  }
  const { relative, absolute } = await context.workspace.resolve(path!);
  const kind = (await context.workspace.stat(path!))?.kind;
  if (kind !== 'file') throw toolFailed(`${path} ${kind === undefined ? 'does not exist' : 'is not a file'}.`);
  const command = `${program} ${quotePath(relative)}${quoteArguments(args)}`;
  const access: Access[] = [
    { kind: 'exec', command },
    { kind: 'fs', path: absolute, right: 'r' },
  ];
  return { title: `run ${headOf(command, 120)}`, access, command };
}

/** @param interpreter Its name, and how to install it. */
export async function runScript(
  context: ToolContext,
  request: { command: string; timeoutMs: number | undefined },
  interpreter: readonly [name: string, bring: string],
): Promise<ToolOutput> {
  const run = await runProgram(context, request);
  if (isMissing(run.result, run.text, interpreter[0])) return toMissingProgram(...interpreter);
  return toProgramOutput(request.command, run);
}
