import { join } from 'node:path';
import { isPublicNuget, isPublicYarn } from './public-packages.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A cache of a build tool. */
export interface CacheRow {
  /** Files of a workspace, in it or in a folder of it, that say that it uses the tool; `*` is the beginning of a name. */
  markers: readonly string[];
  /** Where the user has it, absolute. */
  find: (env: Environment, home: string) => string;
  /** Where the tool looks for it, relative to the home folder of commands. */
  path: string;
  /** Folders of it that commands see; `*` is any part of a name. Default: all of it. Paths below are relative to them. */
  parts?: readonly string[];
  /** Folders that the tool never writes again: each is one link. */
  units?: RegExp;
  /** Files that the tool writes again: they are copied. All others are linked. `all`: the folder itself is not shown. */
  copies?: RegExp | 'all';
  /** What a new home does not begin with. */
  skips?: RegExp;
  /** Folders directly in a part that commands see empty: clones, whose addresses may hold credentials. */
  hides?: RegExp;
  /**
   * Folders directly in a part of the user's that commands may see; others are hidden from them. Each is looked at when
   * a session begins.
   */
  isPublic?: (folder: string) => boolean;
  /** True where that of the user is never shown, only what was fetched for the workspace. */
  onlyFetched?: true;
  /** True where the tool writes down where the cache is: commands find theirs where the user has it. */
  isAtOwnPlace?: true;
  /** What commands have to be told so that the tool works with the cache at a place. */
  variables?: (place: string) => Readonly<Record<string, string>>;
}

const toCache = (env: Environment, home: string): string => env['XDG_CACHE_HOME'] || join(home, '.cache');
const toData = (env: Environment, home: string): string => env['XDG_DATA_HOME'] || join(home, '.local/share');
const toGradle = (env: Environment, home: string): string => env['GRADLE_USER_HOME'] || join(home, '.gradle');

const JVM = ['pom.xml', 'build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
const GRADLE = JVM.slice(1);
const GO = ['go.mod', 'go.work'];
const PYTHON = ['pyproject.toml', 'requirements.txt', 'uv.lock', 'poetry.lock'];

/**
 * Caches that commands begin with: the user's own builds use what lies in them already. The tools write beside the
 * entries, and never into them. What holds addresses or settings is not shown: Cargo's git databases, what pip and
 * Poetry know of each index, packages of NuGet and Yarn 1 from other registries than the public ones, the repositories
 * of Composer, the clones of Bundler and uv.
 *
 * @source https://doc.rust-lang.org/cargo/guide/cargo-home.html, https://pkg.go.dev/cmd/go#hdr-Build_and_test_caching,
 * https://maven.apache.org/resolver/local-repository.html,
 * https://docs.gradle.org/current/userguide/directory_layout.html, https://pnpm.io/settings#storedir,
 * https://yarnpkg.com/configuration/yarnrc#globalFolder, https://bun.com/docs/pm/global-cache,
 * https://docs.astral.sh/uv/concepts/cache/, https://getcomposer.org/doc/06-config.md#cache-files-dir,
 * https://guides.rubygems.org/command-reference/#gem-environment, https://pip.pypa.io/en/stable/topics/caching/,
 * https://python-poetry.org/docs/configuration/#cache-dir, https://classic.yarnpkg.com/en/docs/cli/cache,
 * https://learn.microsoft.com/en-us/nuget/consume-packages/managing-the-global-packages-and-cache-folders
 */
export const CACHES: readonly CacheRow[] = [
  {
    markers: ['Cargo.toml'],
    find: (env, home) => join(env['CARGO_HOME'] || join(home, '.cargo'), 'registry'),
    path: '.cargo/registry',
    parts: ['index'],
    copies: 'all',
    skips: /(?:^|\/)(?:\.cargo-index-lock|\.last-updated|.*\.lock)$|^github\.com-1ecc6299db9ec823\//,
  },
  {
    markers: ['Cargo.toml'],
    find: (env, home) => join(env['CARGO_HOME'] || join(home, '.cargo'), 'registry'),
    path: '.cargo/registry',
    parts: ['cache'],
    skips: /^github\.com-1ecc6299db9ec823\//,
  },
  {
    markers: JVM,
    find: (_, home) => join(home, '.m2/repository'),
    path: '.m2/repository',
    copies: /\/(?:_remote\.repositories|maven-metadata[^/]*|resolver-status\.properties)$/,
    skips: /\.(?:lastUpdated|part|lock)$/,
  },
  { markers: GRADLE, find: toGradle, path: '.gradle', parts: ['caches/modules-2/files-2.1'] },
  {
    // What is known of the modules; it names the files by paths, where they are shown.
    markers: GRADLE,
    find: toGradle,
    path: '.gradle',
    parts: ['caches/modules-2/metadata-*'],
    copies: 'all',
    skips: /^resource-at-url\.bin$|\.lock$/,
  },
  { markers: GRADLE, find: toGradle, path: '.gradle', parts: ['wrapper/dists'], skips: /\.(?:lck|part|zip)$/ },
  {
    markers: GO,
    find: (env, home) => env['GOCACHE'] || join(toCache(env, home), 'go-build'),
    path: '.cache/go-build',
    copies: /^[^/]+$/,
    skips: /^(?:testexpire\.txt|trim\.txt|fuzz\/.*)$/,
  },
  {
    // That of the user is a proxy (`module-proxy.ts`).
    markers: GO,
    find: (_, home) => join(home, 'go/pkg/mod/cache/download'),
    path: 'go/pkg/mod/cache/download',
    copies: /\/list$/,
    skips: /\.lock$/,
    onlyFetched: true,
  },
  {
    markers: ['pnpm-lock.yaml', 'pnpm-workspace.yaml'],
    find: (env, home) =>
      env['npm_config_store_dir'] || join(env['PNPM_HOME'] || join(toData(env, home), 'pnpm'), 'store'),
    path: '.local/share/pnpm/store',
    // `projects` names the folders of the user's other projects.
    parts: ['v*/index', 'v*/files'],
    // `node_modules` belongs to one store and is refused by any other.
    isAtOwnPlace: true,
    // Otherwise pnpm makes a store in the workspace.
    variables: (place) => ({ npm_config_store_dir: place, pnpm_config_store_dir: place }),
  },
  {
    markers: ['yarn.lock'],
    find: (env, home) => env['YARN_GLOBAL_FOLDER'] || join(home, '.yarn/berry'),
    path: '.yarn/berry',
    parts: ['cache'],
  },
  {
    // Yarn 1. `.yarn-metadata.json` of every package has the address from which it came.
    markers: ['yarn.lock'],
    find: (env, home) => env['YARN_CACHE_FOLDER'] || join(toCache(env, home), 'yarn'),
    path: '.cache/yarn',
    parts: ['v*'],
    units: /^npm-[^/]+$/,
    skips: /^\.tmp\//,
    isPublic: isPublicYarn,
  },
  {
    markers: ['bun.lock', 'bun.lockb'],
    find: (env, home) =>
      env['BUN_INSTALL_CACHE_DIR'] || join(env['BUN_INSTALL'] || join(home, '.bun'), 'install/cache'),
    path: '.bun/install/cache',
    units: /^(?:@[^/]+\/)?[^/@]+@[^/]+$/,
    skips: /\.(?:npm|git)(?:\/|$)/,
    hides: /\.git$/,
  },
  {
    markers: PYTHON,
    find: (env, home) => env['UV_CACHE_DIR'] || join(toCache(env, home), 'uv'),
    path: '.cache/uv',
    parts: ['archive-v*'],
    variables: () => ({ UV_LINK_MODE: 'copy' }),
  },
  {
    markers: PYTHON,
    find: (env, home) => env['UV_CACHE_DIR'] || join(toCache(env, home), 'uv'),
    path: '.cache/uv',
    parts: ['simple-v*/pypi', 'wheels-v*/pypi'],
    copies: 'all',
    skips: /\.lock$/,
  },
  {
    // Wheels that pip built, each below the hash of the address that its source came from: used with a network.
    markers: PYTHON,
    find: (env, home) => env['PIP_CACHE_DIR'] || join(toCache(env, home), 'pip'),
    path: '.cache/pip',
    parts: ['wheels'],
  },
  {
    // Archives below the hash of their address: used with a network.
    markers: PYTHON,
    find: (env, home) => env['POETRY_CACHE_DIR'] || join(toCache(env, home), 'pypoetry'),
    path: '.cache/pypoetry',
    parts: ['artifacts'],
  },
  {
    markers: ['*.sln', '*.slnx', '*.csproj', '*.fsproj', '*.vbproj'],
    find: (env, home) => env['NUGET_PACKAGES'] || join(home, '.nuget/packages'),
    path: '.nuget/packages',
    units: /^[^/]+\/[^/]+$/,
    isPublic: isPublicNuget,
  },
  {
    markers: ['composer.json'],
    find: (env, home) => env['COMPOSER_CACHE_DIR'] || join(toCache(env, home), 'composer'),
    path: '.cache/composer',
    parts: ['files'],
    // Its default depends on folders of the system that commands do not see.
    variables: (place) => ({ COMPOSER_CACHE_DIR: place }),
  },
  {
    markers: ['Gemfile'],
    find: (env, home) => join(toData(env, home), 'gem/ruby'),
    path: '.local/share/gem/ruby',
    parts: ['*/gems', '*/specifications', '*/extensions'],
    units: /^[^/]+-\d[^/]*$|^[^/]+\/[^/]+\/[^/]+$/,
  },
];
