import { toProgramSource } from '@klaus/core/policy';
import type { ToolContext } from '@klaus/core/agent';
import { isFile } from './package-json.ts';

/** Folders of virtual environments. */
export const ENVIRONMENTS = ['.venv', 'venv', 'env'];

export const BRING_PYTHON = toProgramSource('python3');

/** The command of Python: that of the project's virtual environment, else `python3`. */
export async function findPython(context: Pick<ToolContext, 'workspace'>): Promise<string> {
  // The program is a link out of the workspace, so this file identifies the environment.
  for (const folder of ENVIRONMENTS) if (await isFile(context, `${folder}/pyvenv.cfg`)) return `${folder}/bin/python`;
  return 'python3';
}
