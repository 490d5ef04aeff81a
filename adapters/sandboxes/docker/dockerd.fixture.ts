import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from '../sandbox.fixture.ts';

export interface Engine {
  /** Value for DOCKER_HOST. */
  host: string;
  /** An image with Node and busybox. */
  image: string;
  close(): Promise<void>;
}

const DAEMON = '/usr/sbin/dockerd';
const BUSYBOX = '/usr/bin/busybox';
const APPLETS =
  'sh cat ls touch sleep env id pwd echo head tail tr kill setsid wc grep sort rm mkdir nc umount mount yes printf';

/**
 * Starts a separate Docker engine without network and registry. Its only image contains this machine's Node, the
 * libraries that Node needs, and busybox. Returns a reason if it cannot be started.
 */
export async function startEngine(): Promise<{ engine: Engine } | { engine?: undefined; reason: string }> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return { reason: 'a separate Docker engine needs Linux and root' };
  const missing = [DAEMON, BUSYBOX].filter((file) => !existsSync(file));
  if (missing.length > 0)
    return { reason: `${missing.join(' and ')} missing: apt-get install -y docker.io busybox-static` };
  const folder = mkdtempSync('/var/tmp/klaus-dockerd-');
  const host = `unix://${folder}/docker.sock`;
  const daemon = spawn(
    DAEMON,
    [
      ...'--bridge=none --iptables=false --ip6tables=false --ip-masq=false --storage-driver=overlay2'.split(' '),
      `--data-root=${folder}/docker`,
      `--exec-root=${folder}/exec`,
      `--pidfile=${folder}/pid`,
      '-H',
      host,
    ],
    { stdio: 'ignore' },
  );
  const env = { ...process.env, DOCKER_HOST: host };
  const answers = () => spawnSync('docker', ['version'], { env, stdio: 'ignore' }).status === 0;
  try {
    if (!(await eventually(() => daemon.exitCode !== null || answers(), 200)) || daemon.exitCode !== null) {
      await stop(daemon, folder);
      return { reason: 'dockerd does not start on this machine' };
    }
    importImage(join(folder, 'image'), env);
    return { engine: { host, image: 'klaus-test', close: () => stop(daemon, folder) } };
  } catch (error) {
    await stop(daemon, folder);
    throw error;
  }
}

function importImage(root: string, env: NodeJS.ProcessEnv): void {
  for (const name of ['bin', 'usr/local/bin', 'tmp', 'etc', 'proc', 'dev', 'sys', 'run'])
    mkdirSync(join(root, name), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  copyFileSync(BUSYBOX, join(root, 'bin/busybox'));
  for (const applet of APPLETS.split(' ')) symlinkSync('busybox', join(root, 'bin', applet));
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'));
  chmodSync(join(root, 'usr/local/bin/node'), 0o755);
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g);
  for (const [, library] of libraries) {
    mkdirSync(join(root, dirname(library!)), { recursive: true });
    copyFileSync(library!, join(root, library!));
  }
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\n');
  const tar = spawnSync('tar', ['-C', root, '-c', '.'], { maxBuffer: 1_000_000_000 });
  execFileSync('docker', ['import', '-c', 'ENV PATH=/usr/local/bin:/bin', '-', 'klaus-test'], {
    env,
    input: tar.stdout,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
}

async function stop(daemon: ChildProcess, folder: string): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) {
    const ended = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await ended;
  }
  // A build with --network host leaves this mount behind.
  spawnSync('umount', ['-l', join(folder, 'exec/netns/default')], { stdio: 'ignore' });
  rmSync(folder, { recursive: true, force: true });
}
