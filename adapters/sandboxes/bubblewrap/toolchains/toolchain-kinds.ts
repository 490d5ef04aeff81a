import { lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { words } from '../../words.ts';

/** A kind of toolchain whose programs need more than the common parts. */
interface ToolchainKind {
  name: string;
  /** Paths that identify the root of the toolchain when all exist. */
  marker: readonly string[];
  /** Paths in the root that its programs need. `.` is the root itself. */
  parts: readonly string[];
}

/** The parts of every toolchain. Without `etc`, whose settings can contain credentials. */
const USUAL = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32', 'libexec', 'share', 'include'];

/** A root can match several kinds. */
const KINDS: readonly ToolchainKind[] = [
  { name: 'Go', marker: ['bin/go', 'src/runtime'], parts: words('pkg src misc api VERSION go.env') },
  { name: 'JDK', marker: ['bin/java', 'lib'], parts: words('conf jmods jre legal release') },
  { name: 'Python venv', marker: ['pyvenv.cfg'], parts: words('pyvenv.cfg') },
  {
    name: 'Conda',
    marker: ['conda-meta'],
    parts: words(
      'conda-meta condabin compiler_compat ssl fonts plugins mkspecs qml resources translations man sysroot targets nvvm pkgconfig jvm jre opt etc/fonts etc/OpenCL etc/profile.d x86_64-conda-linux-gnu aarch64-conda-linux-gnu',
    ),
  },
  { name: 'Maven', marker: ['bin/mvn', 'boot'], parts: words('boot conf/logging') },
  { name: 'Gradle', marker: ['bin/gradle', 'lib'], parts: words('init.d') },
  {
    name: '.NET',
    marker: ['dotnet', 'shared'],
    parts: words('dotnet host library-packs packs sdk sdk-manifests shared templates'),
  },
  { name: 'Zig', marker: ['zig', 'lib'], parts: words('zig') },
  { name: 'Flutter', marker: ['bin/flutter', 'packages/flutter'], parts: words('packages version') },
  {
    name: 'Android SDK',
    marker: ['platform-tools'],
    parts: words('build-tools cmake cmdline-tools emulator licenses ndk platform-tools platforms sources tools'),
  },
  { name: 'Google Cloud SDK', marker: ['bin/gcloud', 'lib/googlecloudsdk'], parts: words('platform VERSION') },
  { name: 'Homebrew', marker: ['Cellar'], parts: words('Cellar opt') },
  { name: 'gems', marker: ['gems', 'specifications'], parts: words('bundler extensions gems plugins specifications') },
  { name: 'Composer packages', marker: ['autoload.php', 'composer'], parts: ['.'] },
  {
    name: 'pyenv, rbenv, nodenv, goenv, jenv',
    marker: ['shims', 'versions'],
    parts: words('goenv.d jenv.d nodenv.d plugins pyenv.d rbenv.d shims version versions'),
  },
  {
    name: 'asdf, mise',
    marker: ['installs', 'shims'],
    parts: words('asdf.sh defaults installs plugins shims'),
  },
  { name: 'Volta', marker: ['tools/image'], parts: words('layout.v2 layout.v3 layout.v4 tools') },
  { name: 'rustup', marker: ['toolchains', 'settings.toml'], parts: words('settings.toml toolchains update-hashes') },
  { name: 'pnpm', marker: ['global', 'pnpm'], parts: words('.tools global nodejs pnpm') },
];

const MAX_LEVELS = 4;

/**
 * The toolchains that a folder of programs belongs to, found by their markers. The parent of a `bin` folder, or any other
 * folder itself, counts as a prefix. `isRoot` is false for a shared folder. The parts are relative to the root.
 */
export function findRoots(folder: string, isRoot: (folder: string) => boolean): { root: string; parts: string[] }[] {
  const found: { root: string; parts: string[] }[] = [];
  const own = isPrograms(folder) ? dirname(folder) : folder;
  if (isRoot(own)) found.push({ root: own, parts: USUAL });
  let root = folder;
  for (let level = 0; level < MAX_LEVELS && isRoot(root); level++, root = dirname(root)) {
    const kinds = KINDS.filter(({ marker }) => marker.every((path) => exists(join(root, path))));
    if (kinds.length > 0) found.push({ root, parts: [...USUAL, ...kinds.flatMap(({ parts }) => parts)] });
  }
  return found;
}

/** True for the name of a folder that contains only programs. */
export function isPrograms(folder: string): boolean {
  return /^(?:s?bin|shims)$/.test(basename(folder));
}

export function isUsualPart(folder: string): boolean {
  return USUAL.includes(basename(folder));
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A parent is not a folder, or not accessible.
    return false;
  }
}
