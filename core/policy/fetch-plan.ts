import { NETWORK_PRESETS, quoteShellWord, type NetworkPreset } from '../protocol/index.ts';
import { readPackageManager, type DeclaredManager } from './project/package-manager.ts';
import { findTestDependencies } from './project/python-dependencies.ts';
import type { ConfiguredHosts } from './network/presets.ts';

/** One command that downloads dependencies. */
export interface FetchStep {
  /** The tool that is run. */
  tool: string;
  /** The program of the tool, which has to be installed. Undefined: the project has it. */
  program?: string;
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

/** Reads a file of the project: its path relative to the workspace. Undefined: there is none, or it is not a text. */
export type ReadProjectFile = (path: string) => string | undefined;

/** What a row knows of the folder in which its commands run. */
interface FolderFacts {
  has: (marker: string) => boolean;
  /** The text of a file; empty without one. */
  text: (name: string) => string;
  /** The package manager that package.json names. */
  declared: DeclaredManager | undefined;
}

interface FetchRow {
  tool: string;
  /** Default: that of the tool. Null: the project has its own. */
  program?: string | null;
  /** Names of files, at least one of which is in the folder; `*` is any beginning. */
  markers: readonly string[];
  /** Names at least one of which has to be there too. */
  and?: readonly string[];
  /** True: only if package.json names this tool, and no lock file is needed. */
  declared?: true;
  /** Only for these versions of the declared tool. */
  versions?: (major: number | undefined) => boolean;
  /** Downloads, without running code of the packages where the tool can do so. */
  download: string | ((facts: FolderFacts) => string);
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
    { tool: 'gradle', program: null, markers: BUILD_GRADLE, and: ['gradlew'], download: GRADLE('sh ./gradlew') },
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
      versions: isBerry,
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
    // package.json names the tool, and its lock file does not exist yet.
    {
      tool: 'pnpm',
      markers: ['package.json'],
      declared: true,
      download: 'CI=true pnpm install --no-frozen-lockfile --ignore-scripts',
      then: 'pnpm rebuild --recursive',
    },
    {
      tool: 'yarn',
      markers: ['package.json'],
      declared: true,
      versions: isBerry,
      download: 'yarn install --no-immutable --mode=skip-build',
      then: 'yarn install --no-immutable',
    },
    {
      tool: 'yarn',
      markers: ['package.json'],
      declared: true,
      download: 'yarn install --ignore-scripts --non-interactive',
    },
    { tool: 'bun', markers: ['package.json'], declared: true, download: 'bun install --ignore-scripts' },
    {
      tool: 'npm',
      markers: ['package.json'],
      download: 'npm install --no-audit --no-fund --ignore-scripts',
      then: 'npm rebuild',
    },
  ],
  Python: [
    {
      tool: 'uv',
      markers: ['uv.lock'],
      download: (facts) => ['uv sync --frozen', ...toUvOptions(facts)].join(' '),
    },
    // The environment is where Klaus looks for it.
    {
      tool: 'poetry',
      markers: ['poetry.lock'],
      download: 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction',
    },
    { tool: 'pip', program: 'python3', markers: ['requirements.txt', 'pyproject.toml'], download: toPipLine },
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

export interface PlanFetchOptions {
  /** Default: no file can be read, so that only their names count. */
  read?: ReadProjectFile;
  /** Tools that cannot be used: another row of the same language counts, if one fits. */
  without?: ReadonlySet<string>;
}

/**
 * What downloads the dependencies of a workspace. A folder below the root counts for languages that the root has
 * nothing of.
 *
 * @param names Names of the files in a folder, by the folder's path relative to the workspace; '' is the root.
 */
export function planFetch(names: ReadonlyMap<string, readonly string[]>, options: PlanFetchOptions = {}): FetchStep[] {
  const read = (folder: string, name: string): string =>
    options.read?.(folder === '' ? name : `${folder}/${name}`) ?? '';
  const toFolder = (folder: string, files: readonly string[]) => {
    const facts = toFacts(files, (name) => read(folder, name));
    return { facts, rows: toRows(facts, options.without ?? new Set()) };
  };
  const root = toFolder('', names.get('') ?? []).rows;
  return [...names].flatMap(([folder, files]) => {
    const { facts, rows } = toFolder(folder, files);
    const own = [...rows].filter(([language]) => folder === '' || !root.has(language));
    return own.flatMap(([, row]) => toSteps(folder, row, facts));
  });
}

function toFacts(files: readonly string[], text: FolderFacts['text']): FolderFacts {
  const has = (marker: string): boolean =>
    marker.startsWith('*') ? files.some((name) => name.endsWith(marker.slice(1))) : files.includes(marker);
  const declared = has('package.json') ? readPackageManager(text('package.json')) : undefined;
  return { has, text: (name) => (has(name) ? text(name) : ''), declared };
}

function toRows(facts: FolderFacts, without: ReadonlySet<string>): Map<string, FetchRow> {
  const found = new Map<string, FetchRow>();
  for (const [language, all] of Object.entries(ROWS)) {
    const row = all.find((one) => !without.has(one.tool) && isFitting(one, language, facts));
    if (row) found.set(language, row);
  }
  return found;
}

function isFitting(row: FetchRow, language: string, { has, declared }: FolderFacts): boolean {
  if (language === 'JavaScript' && declared && row.tool !== declared.name) return false;
  if (row.declared && declared === undefined) return false;
  if (row.versions && !row.versions(declared?.major)) return false;
  return row.markers.some(has) && (row.and === undefined || row.and.some(has));
}

function toSteps(folder: string, { tool, program = tool, download, then }: FetchRow, facts: FolderFacts): FetchStep[] {
  const step = { tool, ...(program === null ? {} : { program }), folder };
  const command = typeof download === 'string' ? download : download(facts);
  return [
    { ...step, command, network: true, hosts: HOSTS[tool] ?? [] },
    ...(then === undefined ? [] : [{ ...step, command: then, network: false, hosts: [] }]),
  ];
}

/** Yarn from version 2 on, whose options are others. */
function isBerry(major: number | undefined): boolean {
  return (major ?? 1) > 1;
}

/** Files with what the tests need, next to a requirements.txt. */
const TEST_REQUIREMENTS = [
  'requirements-test.txt',
  'requirements-dev.txt',
  'requirements_test.txt',
  'requirements_dev.txt',
  'test-requirements.txt',
  'dev-requirements.txt',
];

/** Also installs what the tests need. The groups of pyproject.toml are written out: older versions of pip lack `--group`. */
function toPipLine({ has, text }: FolderFacts): string {
  const { extra, requirements } = findTestDependencies(text('pyproject.toml'));
  const isProject = !has('requirements.txt');
  const files = isProject ? [] : ['requirements.txt', ...TEST_REQUIREMENTS.filter(has).slice(0, 1)];
  const own = extra === undefined ? (isProject ? ['-e .'] : []) : [`-e '.[${extra}]'`];
  const words = [...files.map((file) => `-r ${file}`), ...own, ...requirements.map(quoteShellWord)];
  return `(${PIP_ENVIRONMENT}) && ${PIP_COMMAND} ${words.join(' ')}`;
}

/** `uv sync` installs the group `dev` by itself. */
function toUvOptions({ text }: FolderFacts): string[] {
  const { extra, group } = findTestDependencies(text('pyproject.toml'));
  return [
    ...(extra === undefined ? [] : [`--extra ${extra}`]),
    ...(group === undefined || group === 'dev' ? [] : [`--group ${group}`]),
  ];
}
