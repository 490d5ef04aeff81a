import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What Go asks when nobody says otherwise. @source https://go.dev/ref/mod#environment-variables */
const DEFAULT_PROXY = 'https://proxy.golang.org,direct';

export interface ModuleProxy {
  /** Folder to be shown read-only. */
  folder: string;
  /** For commands with a network, and without. */
  toVariables(network: boolean): Record<string, string>;
}

/**
 * Offers the modules that the user has downloaded as a proxy of Go: what a command needs of them is unpacked into its
 * own cache, after it was compared with `go.sum`. The cache of the user is never written.
 *
 * @param env Of the user: `GOMODCACHE`, `GOPATH`, `GOPROXY`, `HOME`.
 * @returns Undefined where nothing was ever downloaded.
 */
export function findModuleProxy(env: Readonly<Record<string, string | undefined>>): ModuleProxy | undefined {
  const goPath = env['GOPATH']?.split(delimiter)[0] || join(env['HOME'] ?? homedir(), 'go');
  const folder = join(env['GOMODCACHE'] || join(goPath, 'pkg', 'mod'), 'cache', 'download');
  if (!isAbsolute(folder) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const url = pathToFileURL(folder).href;
  return {
    folder,
    toVariables: (network) => ({ GOPROXY: `${url},${network ? (env['GOPROXY'] ?? DEFAULT_PROXY) : 'off'}` }),
  };
}
