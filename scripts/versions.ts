import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const KINDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

type Dependencies = Partial<Record<(typeof KINDS)[number], Record<string, string>>>;
type Manifest = { name: string; version: string; workspaces?: string[] } & Dependencies;

/**
 * Dependencies that two manifests of the workspace request in different versions, or in a range. A range is rejected
 * because npm resolves it to another release on another day or another Node.
 */
export function findVersionSplits(root: string): string[] {
  const read = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const top = read('.');
  const folders = ['.', ...(top.workspaces ?? [])];
  const manifests = folders.map((folder) => ({ folder, manifest: read(folder) }));
  const own = new Map(manifests.map(({ manifest }) => [manifest.name, manifest.version]));
  const seen = new Map<string, { version: string; folder: string }>();
  const complaints: string[] = [];
  for (const { folder, manifest } of manifests) {
    if (manifest.version !== top.version)
      complaints.push(`${folder} is ${manifest.version}, the root is ${top.version}`);
    for (const [name, version] of KINDS.flatMap((kind) => Object.entries(manifest[kind] ?? {}))) {
      const first = seen.get(name) ?? { version: own.get(name) ?? version, folder };
      seen.set(name, first);
      if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        complaints.push(`${folder} asks for ${name} ${version}: pin it exactly`);
      else if (version !== first.version) {
        complaints.push(`${folder} asks for ${name} ${version}, ${first.folder} for ${first.version}`);
      }
    }
  }
  return complaints;
}

interface Lock {
  packages: Record<string, { version?: string; resolved?: string; link?: boolean } & Dependencies>;
}

/**
 * What makes a lock file work on one machine only: an address in it, or a dependency that it names and does not
 * contain. npm silently omits what a registry lacks, such as the build of a compiler for another system, and `npm ci`
 * then rejects the file.
 */
export function findLockGaps(lock: Lock): string[] {
  const complaints: string[] = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.resolved && !entry.link) complaints.push(`${path} names an address: ${entry.resolved}`);
    const wanted = {
      ...entry.dependencies,
      ...entry.optionalDependencies,
      ...(path.includes('node_modules/') ? {} : entry.devDependencies),
    };
    for (const name of Object.keys(wanted)) {
      if (!findFolders(path).some((folder) => lock.packages[`${folder}node_modules/${name}`])) {
        complaints.push(`${path || '.'} needs ${name}, which the lock file does not hold`);
      }
    }
  }
  return complaints;
}

/** Where Node searches from a folder: the folder itself, then each parent, as prefixes. */
function findFolders(path: string): string[] {
  const parts = path === '' ? [] : path.split('/');
  return parts.map((_, at) => `${parts.slice(0, parts.length - at).join('/')}/`).concat('');
}

/** @throws Error when there is no lock file or it is not JSON. */
export function readLock(root: string): Lock {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
}
