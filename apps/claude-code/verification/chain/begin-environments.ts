import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createKlaus } from '@klaus/sdk';
import { openCheckEnvironment } from '@klaus/sdk/verification';
import type { ChainOptions } from './chain.ts';
import { findChecks } from './find-checks.ts';

/**
 * Remembers what the checks of these folders depend on, before the client changes anything. A folder without a repository
 * or without checks needs nothing.
 */
export async function beginEnvironments(folders: readonly string[], engine: ChainOptions['engine']): Promise<void> {
  for (const folder of folders.filter((each) => existsSync(join(each, '.git')) && findChecks(each).length > 0)) {
    await using klaus = await createKlaus({ ...engine, cwd: folder });
    await openCheckEnvironment(klaus, folder).begin();
  }
}
