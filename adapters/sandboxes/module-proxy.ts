import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ExecRequest } from '@klaus/core/agent';

/** Go's default for GOPROXY. @source https://go.dev/ref/mod#environment-variables */
const DEFAULT_PROXY = 'https://proxy.golang.org,direct';

/**
 * Offers the modules that the user has downloaded as a Go module proxy. Go compares a module with `go.sum` and unpacks it
 * into the command's own cache. The user's cache is never written.
 *
 * @returns The folder to mount read-only, and the variables of the command; undefined if the user has no module cache.
 */
export function findModuleProxy(
  env: Readonly<Record<string, string | undefined>>,
  { network = false }: Pick<ExecRequest, 'network'>,
): { folder: string; variables: Record<string, string> } | undefined {
  const goPath = env['GOPATH']?.split(delimiter)[0] || join(env['HOME'] ?? homedir(), 'go');
  const folder = join(env['GOMODCACHE'] || join(goPath, 'pkg', 'mod'), 'cache', 'download');
  if (!isAbsolute(folder) || !statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return undefined;
  const further = network ? (env['GOPROXY'] ?? DEFAULT_PROXY) : 'off';
  return { folder, variables: { GOPROXY: `${pathToFileURL(folder).href},${further}` } };
}
