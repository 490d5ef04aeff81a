import { join, relative } from 'node:path';
import type { V1Volume } from '@kubernetes/client-node';
import { KlausError } from '@klaus/core/protocol';
import { contains } from '../paths.ts';
import { readKernelText } from '../read-text.ts';

/** A folder of this process, and the volume of a pod that contains it. */
export interface VolumeMapping {
  /** Absolute path of the folder. */
  inside: string;
  volume: V1Volume;
  /** Path of the folder in the volume; empty for the volume itself. */
  subPath: string;
}

/** A path in a volume. */
export interface VolumePath {
  volume: V1Volume;
  subPath: string;
}

const ROW = /^(\/[^=]*)=(?:claim:([a-z0-9][a-z0-9.-]*)((?:\/.*)?)|host:(\/.*))$/;

/**
 * Reads rows such as `/workspace=claim:workspaces`, `/data/cache=claim:workspaces/.state/worker-1` and `/srv=host:/srv`.
 *
 * @throws KlausError `config` for a row of another form.
 */
export function parseVolumes(rows: readonly string[]): VolumeMapping[] {
  const names = new Map<string, V1Volume>();
  return rows.map((row) => {
    const [, inside, claim, path = '', host] = ROW.exec(row) ?? [];
    if (inside === undefined || path.split('/').includes('..')) {
      throw new KlausError('config', `\`sandbox.kubernetes.volumes\` has the row \`${row}\`, which cannot be read.`, {
        hint: 'Use `/folder=claim:NAME`, `/folder=claim:NAME/path` or `/folder=host:/path`.',
      });
    }
    const key = claim ?? `host:${host}`;
    const volume = names.get(key) ?? toVolume(`folder-${names.size}`, claim, host);
    names.set(key, volume);
    return { inside: trimEnd(inside), volume, subPath: trimEnd(path).slice(1) };
  });
}

function toVolume(name: string, claim: string | undefined, host: string | undefined): V1Volume {
  if (claim !== undefined) return { name, persistentVolumeClaim: { claimName: claim } };
  return { name, hostPath: { path: host!, type: 'Directory' } };
}

/** Without the slash at the end. */
function trimEnd(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}

/**
 * The place of a path in the volumes.
 *
 * @param mountPoints Absolute paths of the mounts of this process.
 * @throws KlausError `sandbox.failed` for a path that a pod cannot have.
 */
export function toVolumePath(
  path: string,
  { mappings, mountPoints }: { mappings: readonly VolumeMapping[]; mountPoints: readonly string[] },
): VolumePath {
  const fit = mappings.filter(({ inside }) => contains(inside, path));
  const found = fit.sort((a, b) => b.inside.length - a.inside.length)[0];
  if (!found) {
    throw new KlausError('sandbox.failed', `${path} is on no volume of \`sandbox.kubernetes.volumes\`.`, {
      hint: 'Add the row of its folder, or do not use the folder in this session.',
    });
  }
  // A pod would see the folder below the mount.
  const mount = mountPoints.find(
    (point) => point !== found.inside && contains(found.inside, point) && contains(point, path),
  );
  if (mount !== undefined) {
    throw new KlausError('sandbox.failed', `${path} is in ${mount}, which is mounted in this process only.`, {
      hint: 'A pod sees volumes only. Use bubblewrap for layers and for mounted folders.',
    });
  }
  return { volume: found.volume, subPath: join(found.subPath, relative(found.inside, path)).replace(/^\.$/, '') };
}

/** The mount points of this process. @source man 5 proc_pid_mountinfo */
export function listMountPoints(mountinfo = readKernelText('/proc/self/mountinfo') ?? ''): string[] {
  return mountinfo.split('\n').flatMap((line) => {
    const point = line.split(' ')[4];
    return point === undefined
      ? []
      : [point.replaceAll(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8)))];
  });
}
