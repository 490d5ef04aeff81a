import type { ExecResult, ToolContext, ToolOutput } from '@klaus/core/agent';
import { findAbove } from './find-above.ts';
import { findPackageManager } from './package-manager.ts';

/**
 * The word that calls a program which npm installs: the project's own, else whatever is on the PATH.
 *
 * @param name Of the program, such as `tsc`.
 */
export async function findProjectProgram(
  context: Pick<ToolContext, 'workspace' | 'readable'>,
  name: string,
): Promise<string> {
  return (await findAbove(context, `node_modules/.bin/${name}`)) ?? name;
}

/** The exit code of a shell that knows no such program. */
const NOT_FOUND = 127;

/**
 * True when the shell did not find the program, which a script's own exit code 127 does not mean.
 *
 * @param output What the command wrote.
 */
export function isMissing({ exitCode }: Pick<ExecResult, 'exitCode'>, output: string, program: string): boolean {
  if (exitCode !== NOT_FOUND) return false;
  return new RegExp(`(?:^|[ /])${program}: (?:command )?not found`, 'm').test(output);
}

/** What to say when a program of an npm package is not there. */
export async function toMissing(
  context: Pick<ToolContext, 'workspace' | 'readable'>,
  { program, brings }: { program: string; brings: string },
): Promise<ToolOutput> {
  const { add } = await findPackageManager(context);
  return toMissingProgram(program, `${add} ${brings}`);
}

/** @param line What brings the program, as it is typed. */
export function toMissingProgram(program: string, line: string): ToolOutput {
  return {
    text: `There is no ${program} in this project or on the PATH. This brings it: ${line} (with run_command and network: true, or by the user).`,
    isError: true,
    detail: { missing: program, bring: line },
  };
}
