import { isKlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';
import { toolFailed } from '../tool-failed.ts';

const packageSchema = z.object({
  scripts: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
});
export type Package = z.infer<typeof packageSchema>;

/** True for a regular file in the workspace; false for a path out of it. */
export async function isFile({ workspace }: Pick<ToolContext, 'workspace'>, path: string): Promise<boolean> {
  try {
    return (await workspace.stat(path))?.kind === 'file';
  } catch (error) {
    if (isKlausError(error) && error.code === 'workspace.outside') return false;
    throw error;
  }
}

/** @throws KlausError `tool.failed` if the package.json in the root of the workspace cannot be read. */
export async function readPackage(context: Pick<ToolContext, 'workspace'>): Promise<Package | undefined> {
  if (!(await isFile(context, 'package.json'))) return undefined;
  try {
    const bytes = await context.workspace.read('package.json', { maxBytes: 1024 * 1024 });
    return packageSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (isKlausError(error)) throw error;
    throw toolFailed('The package.json of this project cannot be read.', { cause: error });
  }
}
