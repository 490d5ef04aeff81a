import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where `build-programs.sh` puts its programs; otherwise they are searched in `PATH`. */
const FOLDER = process.env['KLAUS_KUBERNETES_PROGRAMS'];
/** Folders of the plugins for the network of pods. */
const PLUGINS = ['/usr/lib/cni', '/opt/cni/bin'];
const NAMES = ['etcd', 'kube-apiserver', 'kube-scheduler', 'kubelet', 'containerd', 'ctr', 'runc', 'busybox'] as const;

export type Programs = Record<(typeof NAMES)[number] | 'plugins', string>;

/** The absolute paths of the programs of a cluster, or the reason why there is none on this machine. */
export function findPrograms(): { programs: Programs } | { programs?: undefined; reason: string } {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return { reason: 'a cluster needs Linux and root' };
  const folders = [...(FOLDER === undefined ? [] : [FOLDER]), ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = NAMES.map((name) => {
    const folder = folders.find((each) => existsSync(join(each, name)));
    return [name, folder === undefined ? undefined : join(folder, name)] as const;
  });
  const plugins = PLUGINS.find((folder) => existsSync(folder) && readdirSync(folder).includes('ptp'));
  const missing = found.flatMap(([name, path]) => (path === undefined ? [name] : []));
  if (plugins === undefined) missing.push('containernetworking-plugins' as never);
  if (missing.length > 0) {
    const fix = 'apt-get install containerd runc busybox-static containernetworking-plugins, and build-programs.sh';
    return { reason: `${missing.join(', ')} missing: ${fix}` };
  }
  return { programs: { ...(Object.fromEntries(found) as Record<(typeof NAMES)[number], string>), plugins: plugins! } };
}
