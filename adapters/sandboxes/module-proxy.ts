import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Go's default for GOPROXY. @source https://go.dev/ref/mod#environment-variables */
const DEFAULT_PROXY = 'https://proxy.golang.org,direct';

export interface ModuleProxy {
  /** Folder to mount read-only. */
  folder: string;
  /** The variables for commands with or without a network. */
  toVariables(network: boolean): Record<string, string>;
}

/**
 * Offers the modules that the user has downloaded as a Go module proxy. Go compares a module with `go.sum` and unpacks it
 * into the command's own cache. The user's cache is never written.
 *
 * @param env The user's environment: `GOMODCACHE`, `GOPATH`, `GOPROXY`, `HOME`.
 * @returns Undefined if the user has no module cache.
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
