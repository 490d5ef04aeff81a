import { NETWORK_PRESETS, type NetworkPreset } from '../protocol/index.ts';
import type { ConfiguredHosts } from './network/presets.ts';

/** One command that downloads dependencies. */
export interface FetchStep {
  /** The tool that is run. */
  tool: string;
  /** Relative to the workspace; '' is its root. */
  folder: string;
  command: string;
  /** False for a command that only runs code of downloaded packages. */
  network: boolean;
  /** The hosts that the tool reaches; empty without a network. */
  hosts: readonly string[];
}

/** The default download hosts of each tool. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  go: NETWORK_PRESETS.go,
  cargo: NETWORK_PRESETS.crates,
  mvn: ['repo.maven.apache.org', 'repo1.maven.org'],
  gradle: [
    ...['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'plugins-artifacts.gradle.org'],
    ...['repo.gradle.org', 'services.gradle.org', 'downloads.gradle.org'],
  ],
  pnpm: NETWORK_PRESETS.npm,
  yarn: ['registry.yarnpkg.com', ...NETWORK_PRESETS.npm],
  bun: NETWORK_PRESETS.npm,
  npm: NETWORK_PRESETS.npm,
  uv: NETWORK_PRESETS.pypi,
  poetry: NETWORK_PRESETS.pypi,
  pip: NETWORK_PRESETS.pypi,
  // Packagist names the packages, GitHub serves most of them.
  composer: ['repo.packagist.org', 'packagist.org', 'api.github.com', 'codeload.github.com'],
  bundle: ['rubygems.org', 'index.rubygems.org'],
  dotnet: ['api.nuget.org', 'www.nuget.org', 'globalcdn.nuget.org'],
};

/** The preset whose configured registries a tool reaches too. */
const PRESETS: Readonly<Record<string, NetworkPreset>> = {
  go: 'go',
  cargo: 'crates',
  npm: 'npm',
  pnpm: 'npm',
  yarn: 'npm',
  bun: 'npm',
  uv: 'pypi',
  poetry: 'pypi',
  pip: 'pypi',
};

/** The hosts that some steps reach, in order, with the registries that the user configured for their tools. */
export function toFetchHosts(steps: readonly FetchStep[], configured: ConfiguredHosts): string[] {
  const own = steps.flatMap(({ tool }) => {
    const preset = PRESETS[tool];
    return (preset && configured[preset]) ?? [];
  });
  return [...new Set([...steps.flatMap(({ hosts }) => hosts), ...own])];
}

interface FetchRow {
  tool: string;
  /** Names of files, at least one of which is in the folder; `*` is any beginning. */
  markers: readonly string[];
  /** Names at least one of which has to be there too. */
  and?: readonly string[];
  /** Downloads, without running code of the packages where the tool can do so. */
  download: string;
  /** Runs their code, without a network. */
  then?: string;
}

/** Gradle has no task that downloads everything. */
const GRADLE_TASK =
  "allprojects { p -> p.afterEvaluate { p.tasks.create('klausFetch') { doLast { p.configurations.findAll { it.canBeResolved }.each { it.files } } } } }";
const GRADLE = (program: string): string =>
  `printf '%s\\n' "${GRADLE_TASK}" > /tmp/klaus-fetch.gradle && ${program} -q -I /tmp/klaus-fetch.gradle klausFetch`;
const BUILD_GRADLE = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
/** Runs pip in the virtual environment of a workspace. */
export const PIP_COMMAND = '.venv/bin/python -m pip install -q --disable-pip-version-check';
/** Creates that environment if needed. Newer versions of venv add their own ignore file for git. */
export const PIP_ENVIRONMENT = "test -x .venv/bin/python || (python3 -m venv .venv && echo '*' > .venv/.gitignore)";

/** By language: of its rows the first one that fits a folder counts. */
const ROWS: Readonly<Record<string, readonly FetchRow[]>> = {
  Go: [{ tool: 'go', markers: ['go.work', 'go.mod'], download: 'go mod download' }],
  Rust: [{ tool: 'cargo', markers: ['Cargo.toml'], download: 'cargo fetch' }],
  Java: [
    // Nothing but a run of the tests downloads what runs them.
    {
      tool: 'mvn',
      markers: ['pom.xml'],
      download: 'mvn -B -q -Dmaven.test.failure.ignore=true test dependency:go-offline',
    },
    { tool: 'gradle', markers: BUILD_GRADLE, and: ['gradlew'], download: GRADLE('sh ./gradlew') },
    { tool: 'gradle', markers: BUILD_GRADLE, download: GRADLE('gradle') },
  ],
  JavaScript: [
    {
      tool: 'pnpm',
      markers: ['pnpm-lock.yaml'],
      download: 'CI=true pnpm install --frozen-lockfile --ignore-scripts',
      then: 'pnpm rebuild --recursive',
    },
    {
      tool: 'yarn',
      markers: ['yarn.lock'],
      and: ['.yarnrc.yml', '.pnp.cjs'],
      download: 'yarn install --immutable --mode=skip-build',
      then: 'yarn install --immutable',
    },
    {
      tool: 'yarn',
      markers: ['yarn.lock'],
      download: 'yarn install --frozen-lockfile --ignore-scripts --non-interactive',
    },
    { tool: 'bun', markers: ['bun.lock', 'bun.lockb'], download: 'bun install --frozen-lockfile --ignore-scripts' },
    {
      tool: 'npm',
      markers: ['package-lock.json', 'npm-shrinkwrap.json'],
      download: 'npm ci --no-audit --no-fund --ignore-scripts',
      then: 'npm rebuild',
    },
    {
      tool: 'npm',
      markers: ['package.json'],
      download: 'npm install --no-audit --no-fund --ignore-scripts',
      then: 'npm rebuild',
    },
  ],
  Python: [
    { tool: 'uv', markers: ['uv.lock'], download: 'uv sync --frozen' },
    { tool: 'poetry', markers: ['poetry.lock'], download: 'poetry install --no-interaction' },
    {
      tool: 'pip',
      markers: ['requirements.txt'],
      download: `(${PIP_ENVIRONMENT}) && ${PIP_COMMAND} -r requirements.txt`,
    },
    { tool: 'pip', markers: ['pyproject.toml'], download: `(${PIP_ENVIRONMENT}) && ${PIP_COMMAND} -e .` },
  ],
  PHP: [
    {
      tool: 'composer',
      markers: ['composer.json'],
      download: 'composer install --no-interaction --no-progress --no-scripts --no-plugins',
    },
  ],
  Ruby: [
    // Programs find gems there by default, and commands can write there.
    {
      tool: 'bundle',
      markers: ['Gemfile'],
      download: 'GEM_HOME="$(ruby -e \'print Gem.user_dir\')" bundle install --quiet',
    },
  ],
  '.NET': [{ tool: 'dotnet', markers: ['*.sln', '*.csproj', '*.fsproj'], download: 'dotnet restore' }],
};

/**
 * What downloads the dependencies of a workspace. A folder below the root counts for languages that the root has
 * nothing of.
 *
 * @param names Names of the files in a folder, by the folder's path relative to the workspace; '' is the root.
 */
export function planFetch(names: ReadonlyMap<string, readonly string[]>): FetchStep[] {
  const root = toRows(names.get('') ?? []);
  const rows = [...names].flatMap(([folder, files]) =>
    [...toRows(files)].filter(([language]) => folder === '' || !root.has(language)).map(([, row]) => ({ folder, row })),
  );
  return rows.flatMap(({ folder, row: { tool, download, then } }) => [
    { tool, folder, command: download, network: true, hosts: HOSTS[tool] ?? [] },
    ...(then === undefined ? [] : [{ tool, folder, command: then, network: false, hosts: [] }]),
  ]);
}

function toRows(files: readonly string[]): Map<string, FetchRow> {
  const has = (marker: string): boolean =>
    marker.startsWith('*') ? files.some((name) => name.endsWith(marker.slice(1))) : files.includes(marker);
  const found = new Map<string, FetchRow>();
  for (const [language, rows] of Object.entries(ROWS)) {
    const row = rows.find(({ markers, and }) => markers.some(has) && (and === undefined || and.some(has)));
    if (row) found.set(language, row);
  }
  return found;
}
