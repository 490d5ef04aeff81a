import { chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { toHome } from './home.ts';

const OWN = 54_321;
const OTHER = 54_322;
const folder = mkdtempSync(join(tmpdir(), 'klaus-home-'));
afterEach(() => {
  vi.restoreAllMocks();
  for (const name of ['state', 'link']) rmSync(join(folder, name), { recursive: true, force: true });
});

/** A state folder of a user, behind a link. */
function plant(owner: number): Record<string, string> {
  mkdirSync(join(folder, 'state'), { mode: 0o777 });
  chownSync(join(folder, 'state'), owner, owner);
  symlinkSync('state', join(folder, 'link'));
  return { KLAUS_HOME: join(folder, 'link') };
}

// Only the administrator can give a folder to another user.
test.skipIf(process.getuid?.() !== 0).each([
  ['of another user', OWN, OTHER, 'config'],
  ['of this user', OWN, OWN, undefined],
  ['of the administrator', OWN, 0, undefined],
  ['of another user, for the administrator', 0, OTHER, undefined],
])('a link to a folder %s', (_, user, owner, code) => {
  const env = plant(owner);
  vi.spyOn(process, 'getuid').mockReturnValue(user);
  if (code === undefined) expect(toHome(env, '/')).toBe(join(folder, 'state'));
  else expect(() => toHome(env, '/')).toThrow(expect.objectContaining({ code }));
});
