import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLayers, type LayersOptions, type LocalLayers } from './create-layers.ts';
import { listMounts } from './mounts.ts';
import { removeTree } from './remove-tree.ts';

/** A workspace with a folder for its layers beside it. */
export interface LayerFixture {
  base: string;
  root: string;
  stateDir: string;
  layers: LocalLayers;
  /** Runs a shell command in a folder. */
  sh(folder: string, command: string): string;
  remove(): Promise<void>;
}

export function createLayerFixture(options: { name?: string } & Partial<LayersOptions> = {}): LayerFixture {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-layer-')));
  const { name, ...more } = { name: 'project', ...options };
  const root = join(base, name);
  const stateDir = join(base, `state of ${name}`);
  mkdirSync(root);
  return {
    base,
    root,
    stateDir,
    layers: createLayers(root, { stateDir, ...more }),
    sh: (folder, command) => execFileSync('/bin/sh', ['-ec', command], { cwd: folder, encoding: 'utf8' }),
    remove: () => removeTree(base),
  };
}

/** Everything in a folder with kind, mode, target and content: two equal texts are two equal trees. */
export function describeTree(folder: string): string {
  const list = execFileSync('find', ['.', '-mindepth', '1', '-printf', '%P\\t%y\\t%m\\t%U\\t%l\\n'], {
    cwd: folder,
    encoding: 'latin1',
  });
  const sums = execFileSync('find', ['.', '-type', 'f', '-exec', 'sha256sum', '--', '{}', '+'], {
    cwd: folder,
    encoding: 'latin1',
    maxBuffer: 2 ** 26,
  });
  return [...list.split('\n'), ...sums.split('\n')].sort().join('\n');
}

export function mountsIn(folder: string): string[] {
  return listMounts().flatMap(({ path }) => (path.startsWith(folder) ? [path] : []));
}

/** Why overlays cannot be tried here; undefined when they can. */
export function overlayObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'no Linux';
  if (process.geteuid?.() !== 0) return 'not root';
  return readFileSync('/proc/filesystems', 'utf8').includes('overlay') ? undefined : 'no overlay in this kernel';
}
