import type { ToolContext } from '@klaus/core/agent';
import { isFile } from '../project/package-json.ts';
import { quote } from '../shell/quote.ts';

/** A runner that a file of the project decides for. */
export interface OtherRunner {
  name: string;
  /** Files at the root of the workspace that say that it is used; `*.x` for an ending. */
  markers: readonly string[];
  /** Another sign that it is used, where the marker alone says little. */
  isUsed?: (context: Pick<ToolContext, 'workspace'>, marker: string) => Promise<boolean>;
  /** The line for everything. */
  command: (context: Pick<ToolContext, 'workspace'>) => Promise<string>;
  /** Words that choose tests by name; absent where the runner cannot. */
  byName?: (pattern: string) => string;
  /** The words for a file, in the place of everything; absent where the runner cannot. */
  byPath?: (path: string) => string | undefined;
}

const line = (text: string) => async (): Promise<string> => text;
const firstOf = (wrapper: string, program: string, rest: string) => async (context: Pick<ToolContext, 'workspace'>) =>
  `${(await isFile(context, wrapper)) ? `./${wrapper}` : program} ${rest}`;
/** The package of a Go file, or of a folder. */
const toPackage = (path: string): string => {
  const folder = path.endsWith('.go') ? path.slice(0, Math.max(0, path.lastIndexOf('/'))) : path;
  return folder === '' ? '.' : `./${folder}`;
};
const stem = (path: string): string => path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '');

/**
 * Runners beside those of npm and Python, in the order in which they are looked for. Sources: the command references
 * of each.
 */
export const OTHER_RUNNERS = [
  {
    name: 'go',
    markers: ['go.mod', 'go.work'],
    command: line('go test -v ./...'),
    byName: (pattern) => `-run ${quote(pattern)}`,
    byPath: (path) => `go test -v ${quote(toPackage(path))}`,
  },
  {
    name: 'cargo',
    markers: ['Cargo.toml'],
    command: line('cargo test'),
    byName: (pattern) => quote(pattern),
    byPath: (path) => (/(?:^|\/)tests\/[^/]+\.rs$/.test(path) ? `cargo test --test ${quote(stem(path))}` : undefined),
  },
  {
    name: 'maven',
    markers: ['pom.xml'],
    command: firstOf('mvnw', 'mvn', '-B test'),
    byName: (pattern) => `-Dtest=${quote(`*#*${pattern}*`)}`,
    byPath: (path) => `mvn -B test -Dtest=${quote(stem(path))}`,
  },
  {
    name: 'gradle',
    markers: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    command: firstOf('gradlew', 'gradle', 'test --console=plain'),
    byName: (pattern) => `--tests ${quote(`*${pattern}*`)}`,
  },
  {
    name: 'deno',
    markers: ['deno.json', 'deno.jsonc'],
    command: line('deno test'),
    byName: (pattern) => `--filter ${quote(pattern)}`,
    byPath: (path) => `deno test ${quote(path)}`,
  },
  {
    name: 'bun',
    markers: ['bun.lock', 'bun.lockb', 'bunfig.toml'],
    command: line('bun test'),
    byName: (pattern) => `-t ${quote(pattern)}`,
    byPath: (path) => `bun test ${quote(path)}`,
  },
  {
    name: 'rspec',
    markers: ['.rspec', 'spec/spec_helper.rb'],
    command: async (context) => `${(await isFile(context, 'Gemfile')) ? 'bundle exec ' : ''}rspec`,
    byName: (pattern) => `-e ${quote(pattern)}`,
    byPath: (path) => `rspec ${quote(path)}`,
  },
  {
    name: 'phpunit',
    markers: ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'],
    command: async (context) => ((await isFile(context, 'vendor/bin/phpunit')) ? 'vendor/bin/phpunit' : 'phpunit'),
    byName: (pattern) => `--filter ${quote(pattern)}`,
  },
  {
    name: 'dotnet',
    markers: ['*.sln', '*.slnx', '*.csproj', '*.fsproj'],
    command: line('dotnet test'),
    byName: (pattern) => `--filter ${quote(`FullyQualifiedName~${pattern}`)}`,
  },
  {
    name: 'ctest',
    markers: ['CMakeLists.txt'],
    isUsed: (context, marker) => matches(context, marker, /^\s*(?:enable_testing|include\s*\(\s*CTest)\b/im),
    command: line('cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure'),
    byName: (pattern) => `-R ${quote(pattern)}`,
  },
  {
    name: 'make',
    markers: ['Makefile', 'makefile', 'GNUmakefile'],
    isUsed: (context, marker) => matches(context, marker, /^(?:test|check)\s*:(?!=)/m),
    command: async (context) => {
      for (const name of ['Makefile', 'makefile', 'GNUmakefile'])
        if ((await isFile(context, name)) && (await matches(context, name, /^test\s*:(?!=)/m))) return 'make test';
      return 'make check';
    },
  },
] as const satisfies readonly OtherRunner[];

/** Names of the runners, for a model to choose one. */
export const OTHER_RUNNER_NAMES = OTHER_RUNNERS.map(({ name }) => name);

export type OtherRunnerName = (typeof OTHER_RUNNER_NAMES)[number];

export function isOtherRunner(name: string | undefined): name is OtherRunnerName {
  return OTHER_RUNNER_NAMES.some((each) => each === name);
}

async function matches({ workspace }: Pick<ToolContext, 'workspace'>, path: string, pattern: RegExp): Promise<boolean> {
  const bytes = await workspace.read(path, { length: 256 * 1024 });
  return pattern.test(Buffer.from(bytes).toString('utf8'));
}
