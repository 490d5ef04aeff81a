import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallInput, SettingsPlace } from '@klaus/claude-code/hooks';
import { toHome } from '@klaus/sdk/home';
import { VERSION } from '@klaus/sdk/version';
import { openKlaus, toFolder } from '../../client/open-klaus.ts';

/** What the guard needs to know about this program and this project. */
export async function toInstallInput(place: SettingsPlace, cwd = '.'): Promise<InstallInput> {
  await using klaus = await openKlaus({ cwd });
  const home = toHome(process.env, process.cwd());
  return {
    place,
    env: process.env,
    project: realpathSync(toFolder(cwd)),
    home,
    socket: join(home, 'server', 'klaus.sock'),
    klaus: [process.execPath, realpathSync(process.argv[1]!)],
    version: VERSION,
    deadlineMs: klaus.configuration.get('guard.deadlineMs'),
  };
}
