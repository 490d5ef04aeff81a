import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { toHostEnvironment } from '@klaus/adapters/system';
import { KlausError } from '@klaus/core/protocol';
import { DEFAULT_IMAGE } from '../find-docker.ts';
import { isSeccompArch } from '../../seccomp/profile.ts';
import { findContents } from './contents.ts';
import { stageRoot } from './stage-root.ts';

const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

export interface BuildImageOptions {
  /** Name of the image. Default `klaus-sandbox`. */
  name?: string;
  /** Names of further programs of this machine. Default: none. */
  programs?: readonly string[];
  /** Further variables of the image, each as `NAME=value`. Default: none. */
  variables?: readonly string[];
  /** Receives a line for each step. */
  onProgress?: (text: string) => void;
}

export interface BuiltImage {
  name: string;
  /** The same programs make the same id: `sha256:` and 64 digits. */
  id: string;
  files: number;
  bytes: number;
  /** Programs that images usually have and this machine does not. */
  missing: readonly string[];
}

/**
 * Builds the image of the sandbox from the programs of this machine, without a network: Node, npm, git, bash, python3, the
 * usual tools, and their libraries. The engine may be on another machine.
 *
 * @throws KlausError `sandbox.unavailable` on a machine other than Linux; `sandbox.failed` when a step fails.
 */
export async function buildImage(options: BuildImageOptions = {}): Promise<BuiltImage> {
  const { name = DEFAULT_IMAGE, programs = [], variables = [], onProgress = () => {} } = options;
  if (process.platform !== 'linux' || !isSeccompArch(process.arch)) {
    const message = 'An image can be built from the programs of a Linux machine (x64, arm64) only.';
    const hint = 'Name an image with KLAUS_SANDBOX_IMAGE, such as node:24-slim, after `docker pull`.';
    throw new KlausError('sandbox.unavailable', message, { hint });
  }
  const folder = await mkdtemp(join(tmpdir(), 'klaus-image-'));
  try {
    const contents = findContents(programs);
    onProgress(`copying ${contents.files.size} programs and their libraries …`);
    const root = join(folder, 'root');
    await mkdir(root);
    const { files, bytes } = stageRoot(root, contents);
    onProgress(`packing ${files} files (${Math.round(bytes / 1e6)} MB) …`);
    const archive = join(folder, 'image');
    await mkdir(archive);
    const layer = join(archive, 'layer.tar');
    // The mode removes setuid bits, which no command needs.
    const words = ['--sort=name', '--format=gnu', '--owner=0', '--group=0', '--numeric-owner', '--mode=u-s,g-s'];
    await run('tar', [...words, '-C', root, '-cf', layer, '.']);
    const digest = await hash(layer);
    const config = toConfig(ARCHITECTURES[process.arch], { digest, variables });
    const id = createHash('sha256').update(config).digest('hex');
    await writeFile(join(archive, `${id}.json`), config);
    const manifest = [
      { Config: `${id}.json`, RepoTags: [`${name.includes(':') ? name : `${name}:latest`}`], Layers: ['layer.tar'] },
    ];
    await writeFile(join(archive, 'manifest.json'), JSON.stringify(manifest));
    onProgress('loading it into the engine …');
    await run('tar', ['-C', archive, '-cf', join(folder, 'image.tar'), '.']);
    await run('docker', ['load', '--quiet', '--input', join(folder, 'image.tar')]);
    return { name, id: `sha256:${id}`, files, bytes, missing: contents.missing };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @source https://github.com/opencontainers/image-spec/blob/main/config.md */
function toConfig(architecture: string, image: { digest: string; variables: readonly string[] }): string {
  const created = '1970-01-01T00:00:00Z';
  return JSON.stringify({
    architecture,
    os: 'linux',
    created,
    config: { Env: [PATH, ...image.variables], Cmd: ['/bin/sh'] },
    rootfs: { type: 'layers', diff_ids: [`sha256:${image.digest}`] },
    history: [{ created, created_by: 'klaus sandbox build' }],
  });
}

async function hash(file: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(file), sum);
  return sum.digest('hex');
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(program, args, { env: toHostEnvironment(), stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close').catch((cause: unknown) => {
    throw new KlausError('sandbox.failed', `${program} cannot be started.`, { cause });
  })) as [number | null];
  if (code !== 0) throw new KlausError('sandbox.failed', `${program} failed: ${errors.trim()}`);
}
