import { KlausError, type Access } from '@klaus/core/protocol';
import { z } from 'zod';
import type { Intent, ToolContext } from '@klaus/core/agent';
import { checkWord, quote, quoteArguments, quotePath } from '../shell/quote.ts';

/** What the script tools take. */
export const scriptInput = z.object({
  path: z.string().optional(),
  code: z.string().optional(),
  args: z.array(z.string()).optional(),
  timeoutMs: z.number().min(1).optional(),
});
export type ScriptInput = z.infer<typeof scriptInput>;

/**
 * The intent of running a file of the workspace, or code. Code stands in the command line itself, where the gate
 * and whoever is asked can read it.
 *
 * @param options.program The interpreter, quoted; `inline` is its option for code, with what must follow the code.
 * @throws KlausError `tool.failed` unless exactly one of path and code is given, and for a path that is no file.
 */
export async function toScriptIntent(
  { path, code, args }: ScriptInput,
  context: ToolContext,
  options: { program: string; inline: string; afterCode: string },
): Promise<Intent> {
  const { program, inline, afterCode } = options;
  if ((path === undefined) === (code === undefined)) {
    throw new KlausError('tool.failed', 'Give either path or code, and not both.');
  }
  if (code !== undefined) {
    if (code.trim() === '') throw new KlausError('tool.failed', 'The code is empty.');
    // Code that begins like an option would be taken for one.
    const word = quote(checkWord('code', code.startsWith('-') ? `\n${code}` : code));
    const command = `${program} ${inline} ${word}${afterCode}${quoteArguments(args)}`;
    const title = `run ${program} code: ${code.trim().replaceAll(/\s+/g, ' ').slice(0, 100)}`;
    return { title, access: [{ kind: 'exec', command }], command };
  }
  const { relative, absolute } = await context.workspace.resolve(path!);
  const kind = (await context.workspace.stat(path!))?.kind;
  if (kind !== 'file') {
    throw new KlausError('tool.failed', `${path} ${kind === undefined ? 'does not exist' : 'is no file'}.`);
  }
  const command = `${program} ${quotePath(relative)}${quoteArguments(args)}`;
  const access: Access[] = [
    { kind: 'exec', command },
    { kind: 'fs', path: absolute, right: 'r' },
  ];
  return { title: `run ${command.slice(0, 120)}`, access, command };
}
