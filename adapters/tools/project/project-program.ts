import type { ExecResult, ToolContext, ToolOutput } from '@klaus/core/agent';
import { findAbove } from './find-above.ts';
import { findPackageManager } from './package-manager.ts';

/**
 * The command of a program from npm: the project's own, else the one on the PATH.
 *
 * @param name Name of the program, such as `tsc`.
 */
export async function findProjectProgram(
  context: Pick<ToolContext, 'workspace' | 'readable'>,
  name: string,
): Promise<string> {
  return (await findAbove(context, `node_modules/.bin/${name}`)) ?? name;
}

/** The exit code of a shell for a missing program. */
const NOT_FOUND = 127;

/**
 * True if the shell did not find the program. A script may have the same exit code for other reasons.
 *
 * @param output Output of the command.
 */
export function isMissing({ exitCode }: Pick<ExecResult, 'exitCode'>, output: string, program: string): boolean {
  if (exitCode !== NOT_FOUND) return false;
  return new RegExp(`(?:^|[ /])${program}: (?:command )?not found`, 'm').test(output);
}

/** The result for a missing program of an npm package. */
export async function toMissingPackage(
  context: Pick<ToolContext, 'workspace' | 'readable'>,
  { program, brings }: { program: string; brings: string },
): Promise<ToolOutput> {
  const { add } = await findPackageManager(context);
  return toMissingProgram(program, `${add} ${brings}`);
}

/** @param line The command that installs the program. */
export function toMissingProgram(program: string, line: string): ToolOutput {
  return {
    text: `${program} is neither in this project nor on the PATH. Install it with: ${line} (run_command with network: true, or by the user).`,
    isError: true,
    detail: { missing: program, bring: line },
  };
}
