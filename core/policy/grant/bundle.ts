import type { Authority, Grant } from '../../protocol/index.ts';
import { toGrant } from './algebra.ts';

const EVERY_TOOL: Authority = { kind: 'tool', name: '*' };

/**
 * Named authority over one workspace. Each bundle allows every tool: a call is judged by its accesses, not by the
 * name of its tool.
 */
const BUNDLES = {
  'file-operations': (path: string): Authority[] => [{ kind: 'fs', path, rights: 'rw' }, EVERY_TOOL],
  'code-execution': (path: string): Authority[] => [{ kind: 'fs', path, rights: 'rx' }, { kind: 'exec' }, EVERY_TOOL],
  'web-access': (): Authority[] => [
    { kind: 'net', host: '*', port: 443 },
    { kind: 'net', host: '*', port: 80 },
    EVERY_TOOL,
  ],
  'agent-creation': (): Authority[] => [{ kind: 'spawn', depth: 1, count: 8 }, EVERY_TOOL],
  // Programs that deploy need hosts and protocols that are not known before.
  deploy: (path: string): Authority[] => [
    { kind: 'fs', path, rights: 'rx' },
    { kind: 'exec' },
    { kind: 'net', host: '*', port: 0 },
    EVERY_TOOL,
  ],
} as const satisfies Record<string, (workspace: string) => Authority[]>;

export type BundleName = keyof typeof BUNDLES;

export const BUNDLE_NAMES = Object.keys(BUNDLES) as readonly BundleName[];

export function isBundleName(name: string): name is BundleName {
  return Object.hasOwn(BUNDLES, name);
}

/** @param workspace Absolute real path. */
export function fromBundle(name: BundleName, workspace: string): Authority[] {
  return BUNDLES[name](workspace);
}

/**
 * The default grant of a session: its workspace, the sandbox and every tool; no network, nothing to delegate.
 *
 * @param beside.readable Folders beside the workspace that may be read.
 * @param beside.writable Those that may be changed too.
 */
export function toDefaultGrant(
  workspace: string,
  { readable = [], writable = [] }: { readable?: readonly string[]; writable?: readonly string[] } = {},
): Grant {
  return toGrant([
    ...fromBundle('file-operations', workspace),
    ...fromBundle('code-execution', workspace),
    ...readable.map((path): Authority => ({ kind: 'fs', path, rights: writable.includes(path) ? 'rw' : 'r' })),
  ]);
}
