import type { ExecResult, ToolOutput } from '@klaus/core/agent';
import { findAbove, type ProjectContext } from './find-above.ts';
import { readPackage } from './package-json.ts';
import { findPackageManager } from './package-manager.ts';
import { findUninstalled } from './uninstalled.ts';

/** The command of a program from npm, such as `tsc`: the project's own, else the one on the PATH. */
export async function findProjectProgram(context: ProjectContext, name: string): Promise<string> {
  return (await findAbove(context, `node_modules/.bin/${name}`)) ?? name;
}

/** The exit code of a shell for a missing program. */
const NOT_FOUND = 127;

/** True if the shell did not find the program. A script may have the same exit code for other reasons. */
export function isMissing({ exitCode }: Pick<ExecResult, 'exitCode'>, output: string, program: string): boolean {
  if (exitCode !== NOT_FOUND) return false;
  return new RegExp(`(?:^|[ /])${program}: (?:command )?not found`, 'm').test(output);
}

/**
 * The result for a program from npm that was not found: a dependency of the project that is not installed, or none.
 *
 * @param from The npm package of the program.
 */
export async function toMissingPackage(context: ProjectContext, program: string, from = program): Promise<ToolOutput> {
  const pkg = await readPackage(context);
  const isDependency = pkg?.dependencies?.[from] !== undefined || pkg?.devDependencies?.[from] !== undefined;
  const uninstalled = isDependency ? findUninstalled(context.workspace.root, '', program) : undefined;
  if (uninstalled) {
    const { hint, command } = uninstalled;
    return { text: `${program} was not found. ${hint}`, isError: true, detail: { missing: program, fetch: command } };
  }
  const { add } = await findPackageManager(context);
  return toMissingProgram(program, `${add} ${from}`);
}

/** The result for a Python module that an environment lacks. Programs on the PATH are not of that environment. */
export function toMissingModule(module: string, python: string): ToolOutput {
  const line = `${python} -m pip install ${module}`;
  return {
    text: `${python} has no module ${module}. Install it with: ${line} (run_command with network: true, or by the user).`,
    isError: true,
    detail: { missing: module, of: python, bring: line },
  };
}

/** @param line The command that installs the program. */
export function toMissingProgram(program: string, line: string): ToolOutput {
  return {
    text: `${program} is neither in this project nor on the PATH. Install it with: ${line} (run_command with network: true, or by the user).`,
    isError: true,
    detail: { missing: program, bring: line },
  };
}
