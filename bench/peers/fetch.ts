import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../program.ts';
import type { Agent, Peer } from './agent.ts';
import { npm } from './npm.ts';
import { toKlausEnv } from './peers.ts';

/** Below node_modules, where no other user can write, because its programs are run. Reused by later runs, about 1 GB. */
const CACHE = join(ROOT, 'node_modules/.cache/peers');

/**
 * Fetches a peer from the npm registry, unless it is there already. Its install scripts do not run.
 *
 * @param log Receives a line for each long step.
 * @throws Error when it cannot be fetched, or has no program for this machine.
 */
export async function fetchPeer(peer: Peer, log: (line: string) => void): Promise<void> {
  const folder = toFolder(peer);
  if (!existsSync(folder)) {
    const begun = performance.now();
    log(`fetching ${peer.title} ${peer.version} …`);
    const part = `${folder}.part`;
    rmSync(part, { recursive: true, force: true });
    mkdirSync(part, { recursive: true });
    const spec = `${peer.package}@${peer.version}`;
    if (peer.fetch === 'install') await npm(['install', '--prefix', part, '--ignore-scripts', spec], part);
    else await unpack(spec, part);
    renameSync(part, folder);
    log(`fetched ${peer.title} in ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  }
  const { command } = toAgent(peer);
  const missing = command.find((word) => word.startsWith(folder) && !existsSync(word));
  if (missing !== undefined) throw new Error(`the package has no ${missing.slice(folder.length + 1)}`);
}

/** A peer that has been fetched. */
export function toAgent(peer: Peer): Agent {
  return { ...peer, command: peer.toCommand(toFolder(peer)) };
}

function toFolder({ name, version }: Peer): string {
  return join(CACHE, `${name}-${version}`);
}

async function unpack(spec: string, folder: string): Promise<void> {
  await npm(['pack', spec, '--pack-destination', folder], folder);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack left no tarball of ${spec}`);
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', folder]);
  rmSync(join(folder, tarball));
}

/**
 * Packs this repository and installs it into an empty prefix below `folder`, as its users do.
 *
 * @param folder Made here.
 * @throws Error with what npm said.
 */
export async function installKlaus(folder: string, log: (line: string) => void): Promise<void> {
  log('packing Klaus and installing it …');
  mkdirSync(folder, { recursive: true });
  await npm(['pack', '--pack-destination', folder], ROOT);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack left no tarball');
  await npm(['install', '--global', '--prefix', join(folder, 'prefix'), join(folder, tarball)], folder);
}

/** Klaus as {@link installKlaus} left it in `folder`, with its own defaults. */
export function toKlaus(folder: string): Agent {
  const manifest = readFileSync(join(folder, 'prefix/lib/node_modules/klaus/package.json'), 'utf8');
  return {
    name: 'klaus',
    title: 'Klaus',
    version: (JSON.parse(manifest) as { version: string }).version,
    command: [join(folder, 'prefix/bin/klaus'), 'run', '--json'],
    files: () => ({}),
    env: toKlausEnv,
  };
}
