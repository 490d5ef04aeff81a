import { isKlausError, KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';

const packageSchema = z.object({
  scripts: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
  eslintConfig: z.unknown().optional(),
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

/**
 * The package.json in the root of the workspace; undefined without one.
 *
 * @throws KlausError `tool.failed` if it cannot be read.
 */
export async function readPackage(context: Pick<ToolContext, 'workspace'>): Promise<Package | undefined> {
  if (!(await isFile(context, 'package.json'))) return undefined;
  try {
    const bytes = await context.workspace.read('package.json', { maxBytes: 1024 * 1024 });
    return packageSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (isKlausError(error)) throw error;
    throw new KlausError('tool.failed', 'The package.json of this project cannot be read.', { cause: error });
  }
}
