import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import { KlausError } from '@klaus/core/protocol';
import { isInContainer } from '../availability.ts';
import { contains } from '../paths.ts';
import { readKernelText } from '../read-text.ts';
import { runDocker } from './docker-cli.ts';

/** A folder of this process, and the same folder on the machine of the engine. */
export interface PathMapping {
  inside: string;
  outside: string;
}

/** Reads mappings such as `/workspace=/home/me/project`. */
export function parseMappings(rows: readonly string[]): PathMapping[] {
  return rows.map((row) => {
    const at = row.indexOf('=/');
    return { inside: row.slice(0, at), outside: row.slice(at + 1) };
  });
}

/**
 * The function that converts a path of this process to a path of the engine's machine. They differ if Klaus runs in a
 * container of that engine: the engine then knows the mounts of this container.
 *
 * @param given Mappings from the configuration, which precede those of the engine.
 */
export async function findEnginePaths(given: readonly PathMapping[]): Promise<(path: string) => string> {
  const mounts = isInContainer() ? await readOwnMounts() : undefined;
  if (mounts === undefined && given.length === 0) return (path) => path;
  const known = [...(mounts ?? [])].sort((a, b) => b.inside.length - a.inside.length);
  return (path) => toEnginePath(path, [...given, ...known]);
}

/** @throws KlausError `sandbox.failed` for a path that the engine does not have. */
export function toEnginePath(path: string, mappings: readonly PathMapping[]): string {
  const found = mappings.find(({ inside }) => contains(inside, path));
  if (found) return join(found.outside, relative(found.inside, path));
  const message = `${path} is in this container only, so that the Docker engine cannot show it to commands.`;
  const hint = 'Mount its folder from the machine of the engine, or name it in KLAUS_SANDBOX_HOST_PATHS.';
  throw new KlausError('sandbox.failed', message, { hint });
}

/** The mounts of the container in which this process runs; undefined if the engine does not know the container. */
async function readOwnMounts(): Promise<PathMapping[] | undefined> {
  const mountinfo = readKernelText('/proc/self/mountinfo') ?? '';
  // The engine mounts these files from its folder of the container.
  const id = /\/containers\/([0-9a-f]{64})\/(?:hostname|hosts|resolv\.conf) /.exec(mountinfo)?.[1] ?? hostname();
  const { ok, stdout } = await runDocker(['container', 'inspect', '--format', '{{json .Mounts}}', id]);
  if (!ok) return undefined;
  const mounts = JSON.parse(stdout) as { Source?: string; Destination: string }[];
  return mounts.flatMap(({ Source, Destination }) => (Source ? [{ inside: Destination, outside: Source }] : []));
}
