import { dirname } from 'node:path';
import type { Klaus } from '@klaus/sdk';
import { readGuardStates } from '@klaus/sdk/guard-log';
import { toHookPath } from '../install/hook-program.ts';
import type { InstallInput } from '../install/install-guard.ts';
import { toHookDigest } from './find-problems.ts';

/** Records where the guard is installed, or that it was removed. From then on, the daemon reports when it is off. */
export async function recordInstallation(
  { store, recordGuard }: Pick<Klaus, 'store' | 'recordGuard'>,
  { place, project, home, uninstall = false }: InstallInput,
  file: string,
): Promise<void> {
  const before = readGuardStates(store.view).find(({ of }) => of === file);
  if (uninstall && !before) return;
  const hook = toHookDigest(toHookPath(home));
  if (!uninstall && before?.state === 'on' && before.hook === hook) return;
  await recordGuard({
    type: 'guard.changed',
    workspace: place === 'project' ? project : dirname(file),
    of: file,
    place,
    state: uninstall ? 'removed' : 'on',
    reason: uninstall ? 'uninstalled' : 'installed',
    ...(hook === undefined || uninstall ? {} : { hook }),
  });
}
