import { chmodSync, linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Chance } from '../undo/chance.ts';

/** A fake toolchain. Paths are relative to the folder that holds the user's home folder and the workspace. */
export interface Layout {
  /** Its own folder. */
  prefix: string;
  /** The folders on PATH. */
  entry: string;
  /** Links to make: path and target. */
  links: readonly (readonly [path: string, target: string])[];
  /** The program that has to work. */
  program: string;
  /** What the program reads, so that it works only with this part. */
  part: string;
  /** More that makes it what it is. */
  files: readonly string[];
}

const PREFIXES = [
  'opt/tool',
  'opt/tool-1.2',
  'srv/app',
  'srv/sites/shop/current',
  'user/projects/app',
  'user/sdk/kit',
  'user/.tool',
  'user/.local/share/tool',
  'user/.local/share/uv/tools/kit',
  'user/.local/share/pipx/venvs/kit',
  'user/work/a/b/c/d/kit 2',
];

type Shape = (chance: Chance, prefix: string) => Partial<Layout>;

/** Ways to have a toolchain on PATH. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'a prefix': () => ({}),
  'a prefix with sbin': (_, prefix) => ({ entry: `${prefix}/sbin`, program: `${prefix}/sbin/tool` }),
  'an entry with ..': (_, prefix) => ({ entry: `${prefix}/lib/../bin/` }),
  'a link to the folder of programs': (_, prefix) => ({
    entry: 'user/path entry',
    links: [['user/path entry', `${prefix}/bin`]],
  }),
  'a link to the prefix': (_, prefix) => ({ entry: 'opt/current/bin', links: [['opt/current', prefix]] }),
  'a link to the program': (chance, prefix) => {
    const folder = chance.pick(['user/.local/bin', 'user/bin', 'opt/bin', 'user/.config/tools/bin']);
    return { entry: folder, links: [[`${folder}/tool`, `${prefix}/bin/tool`]] };
  },
  'links one after another': (_, prefix) => ({
    entry: 'user/bin',
    links: [
      ['user/bin/tool', 'opt/step/bin/tool'],
      ['opt/step', prefix],
    ],
  }),
  'a folder without bin': (chance) => {
    const prefix = chance.pick(['opt/flat', 'user/flat', 'srv/flat tool']);
    return { prefix, entry: prefix, program: `${prefix}/tool`, part: `${prefix}/lib/part` };
  },
  'a virtual environment': (_, prefix) => ({ files: [`${prefix}/pyvenv.cfg`], part: `${prefix}/pyvenv.cfg` }),
  Go: (_, prefix) => ({ files: [`${prefix}/src/runtime/x`, `${prefix}/bin/go`], part: `${prefix}/pkg/part` }),
  JDK: (_, prefix) => ({ files: [`${prefix}/lib/x`, `${prefix}/bin/java`], part: `${prefix}/conf/part` }),
  nvm: () => toManager('user/.nvm', 'user/.nvm/versions/node/v24', 'bin'),
  pyenv: () => toManager('user/.pyenv', 'user/.pyenv/versions/3.13', '../../shims'),
  rbenv: () => toManager('user/.rbenv', 'user/.rbenv/versions/3.4', '../../shims'),
  asdf: () => toManager('user/.asdf', 'user/.asdf/installs/kit/1', '../../../shims'),
  mise: () => toManager('user/.local/share/mise', 'user/.local/share/mise/installs/kit/1', '../../../shims'),
  volta: () => ({ ...toManager('user/.volta', 'user/.volta/tools/image/kit/1', '../../../../bin') }),
  cargo: () => ({ prefix: 'user/.cargo', entry: 'user/.cargo/bin', program: 'user/.cargo/bin/tool', part: '' }),
  gems: (_, prefix) => ({ files: [`${prefix}/specifications/x`], part: `${prefix}/gems/kit/part` }),
};

function toManager(root: string, version: string, programs: string): Partial<Layout> {
  const entry = join(version, programs);
  return { prefix: root, entry, program: `${entry}/tool`, part: `${version}/lib/part`, files: [`${root}/versions/x`] };
}

export function toLayout(chance: Chance): Layout & { shape: string } {
  const prefix = chance.pick(PREFIXES);
  const shape = chance.pick(Object.keys(SHAPES));
  const plain = { prefix, entry: `${prefix}/bin`, links: [], program: `${prefix}/bin/tool`, files: [] };
  return {
    shape,
    ...plain,
    part: `${prefix}/${chance.pick(['lib', 'libexec', 'share'])}/part`,
    ...SHAPES[shape]!(chance, prefix),
  };
}

/** Makes the toolchain. The program prints the word when it finds its part. */
export function makeLayout(root: string, { prefix, entry, links, program, part, files }: Layout, word: string): void {
  for (const path of [...files, ...(part ? [part] : [])]) write(join(root, path), 'part\n');
  for (const folder of ['bin', 'lib', 'share', 'etc']) mkdirSync(join(root, prefix, folder), { recursive: true });
  const check = part ? `test -s "$(dirname "$(readlink -f "$0")")/${relative(dirname(program), part)}" && ` : '';
  write(join(root, program), `#!/bin/sh\n${check}echo ${word}\n`);
  chmodSync(join(root, program), 0o755);
  for (const [path, target] of links) link(root, path, target);
  if (links.length === 0) mkdirSync(join(root, entry), { recursive: true });
}

/** Places of secrets. `X` is the toolchain, `V` the folder above its programs. */
const PLACES = [
  ...[
    'X/.env',
    'X/.env.local',
    'X/.git/config',
    'X/.git/objects/ab/cd',
    'X/credentials.toml',
    'X/etc/npmrc',
    'X/.npmrc',
  ],
  ...['X/etc/pip.conf', 'X/config/production.yaml', 'X/data/customers.csv', 'X/secrets.yml', 'X/backup/dump.sql'],
  ...[
    'V/.env',
    'V/.git',
    'V/etc/npmrc',
    'V/lib/.env',
    'V/lib/a/b/c/d/e/.env.production',
    'V/lib/node_modules/npm/npmrc',
  ],
  ...['V/share/kit/.npmrc', 'V/share/deep/er/id_rsa', 'V/bin/.env', 'V/bin/.git/config', 'V/lib/kit/.git/config'],
  ...['V/libexec/auth.json', 'V/include/server.key', 'V/share/.docker/config.json', 'V/lib/credentials.json'],
  ...['user/.netrc', 'user/.npmrc', 'user/.pypirc', 'user/.cargo/credentials.toml', 'user/.cargo/config.toml'],
  ...['user/.local/share/uv/credentials/x', 'user/.local/share/keyrings/x', 'user/.config/gh/hosts.yml'],
  ...['user/.config/pip/pip.conf', 'user/.gem/credentials', 'user/.local/share/gem/credentials', 'user/.kube/config'],
  ...['user/.config/composer/auth.json', 'user/.docker/config.json', 'user/.aws/credentials', 'user/.ssh/id_ed25519'],
  ...['user/.config/pnpm/rc', 'user/.yarnrc.yml', 'user/.m2/settings.xml', 'user/.gradle/gradle.properties'],
  ...['user/.config/go/env', 'user/.config/helm/registry/config.json', 'user/notes.txt', 'user/Documents/tax.txt'],
  ...['user/.nvm/.npmrc', 'user/.pyenv/.git/config', 'user/.rustup/.env', 'user/.terraformrc', 'user/projects/.env'],
];

/** Ways by which a secret has another name in a part that commands see. */
const DISGUISES = [
  'none',
  'none',
  'none',
  'symlink',
  'hard link',
  'secret link to a plain name',
  'folder link',
] as const;

export interface Planted {
  path: string;
  disguise: (typeof DISGUISES)[number];
  value: string;
  at: number;
}

export function toPlanted(chance: Chance, { prefix, program }: Layout, id: string): Planted[] {
  const above = dirname(program) === prefix ? prefix : dirname(dirname(program));
  const count = 3 + chance.number(8);
  const found = new Map<string, Planted>();
  for (let at = 0; at < count; at++) {
    const path = chance.pick(PLACES).replace(/^X/, prefix).replace(/^V/, above);
    found.set(path, { path, disguise: chance.pick(DISGUISES), value: `CANARY${id}x${at}`, at });
  }
  return [...found.values()];
}

/** Puts the secrets where they belong. One that collides with what is there stays away. */
export function plant(root: string, layout: Layout, planted: Planted): void {
  try {
    put(root, layout, planted);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EISDIR' && code !== 'ENOTDIR' && code !== 'EEXIST' && code !== 'ELOOP') throw error;
  }
}

function put(root: string, { prefix }: Layout, { path, disguise, value, at }: Planted): void {
  const seen = join(prefix, 'lib', `seen-${at}`);
  if (disguise === 'secret link to a plain name') {
    write(join(root, `${seen}-plain`), `${value}\n`);
    link(root, join(prefix, 'lib', `.env.link${at}`), `${seen}-plain`);
    return;
  }
  write(join(root, path), `${value}\n`);
  if (disguise === 'symlink') link(root, seen, path);
  if (disguise === 'folder link') {
    const part = join(prefix, 'include');
    rmSync(join(root, part), { recursive: true, force: true });
    if (!path.startsWith(`${part}/`)) link(root, part, dirname(path));
  }
  if (disguise === 'hard link' && isCredential(path)) {
    mkdirSync(join(root, dirname(seen)), { recursive: true });
    linkSync(join(root, path), join(root, seen));
  }
}

/** Another name of a file that no name marks cannot be known. */
function isCredential(path: string): boolean {
  return (
    /env|npmrc|netrc|pypirc|credentials\.|id_|auth\.json|pip\.conf/.test(basename(path)) && !path.endsWith('go/env')
  );
}

function link(root: string, path: string, target: string): void {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  rmSync(join(root, path), { recursive: true, force: true });
  symlinkSync(relative(join(root, dirname(path)), join(root, target)) || '.', join(root, path));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
