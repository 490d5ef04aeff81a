import { join } from 'node:path';
import { isPublicNuget, isPublicYarn } from './public-packages.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A cache of a build tool. */
export interface CacheRow {
  /** Files in the workspace, or in a folder directly in it, that show that it uses the tool. `*` matches the start of a name. */
  markers: readonly string[];
  /** Absolute path of the user's cache. */
  find: (env: Environment, home: string) => string;
  /** Path of the cache in the home folder of commands. */
  path: string;
  /** Folders of it that commands see; `*` matches any part of a name. Default: all of it. The patterns below are relative to them. */
  parts?: readonly string[];
  /** Folders that the tool never changes: each becomes one link. */
  units?: RegExp;
  /** Files that the tool changes: they are copied, and all others are linked. `all`: the folder itself is not shown. */
  copies?: RegExp | 'all';
  /** Entries that a new home does not get. */
  skips?: RegExp;
  /** Folders directly in a part that commands see empty: clones, whose URLs may contain credentials. */
  hides?: RegExp;
  /** True for folders directly in a part that commands may see; others are hidden. Checked when a session begins. */
  isPublic?: (folder: string) => boolean;
  /** True if the user's cache is never shown, only the downloads for the workspace. */
  onlyFetched?: true;
  /** True if the tool stores the path of the cache: commands then see theirs at the path of the user's cache. */
  isAtOwnPlace?: true;
  /** Variables with which the tool uses the cache at a path. */
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
 * Caches of the user that commands get. The user's own builds already trust them. The tools add entries and never change
 * existing ones. Entries with URLs or settings are not shown: Cargo's git databases, index data of pip and Poetry,
 * packages of NuGet and Yarn 1 from private registries, the repositories of Composer, and clones of Bundler and uv.
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
    // Metadata of the modules. It contains the paths of the files, at which they are shown.
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
    // The user's cache is offered as a proxy (`module-proxy.ts`).
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
    // `projects` contains the paths of the user's other projects.
    parts: ['v*/index', 'v*/files'],
    // `node_modules` is bound to the path of its store.
    isAtOwnPlace: true,
    // Otherwise pnpm creates a store in the workspace.
    variables: (place) => ({ npm_config_store_dir: place, pnpm_config_store_dir: place }),
  },
  {
    markers: ['yarn.lock'],
    find: (env, home) => env['YARN_GLOBAL_FOLDER'] || join(home, '.yarn/berry'),
    path: '.yarn/berry',
    parts: ['cache'],
  },
  {
    // Yarn 1. `.yarn-metadata.json` of every package contains its URL.
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
    // Wheels that pip built, stored by the hash of the source's URL. Only used with a network.
    markers: PYTHON,
    find: (env, home) => env['PIP_CACHE_DIR'] || join(toCache(env, home), 'pip'),
    path: '.cache/pip',
    parts: ['wheels'],
  },
  {
    // Archives, stored by the hash of their URL. Only used with a network.
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
    // The default depends on system folders that commands cannot see.
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
