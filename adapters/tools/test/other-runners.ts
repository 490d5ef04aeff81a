import type { ToolContext } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import { isFile } from '../project/package-json.ts';

/** A runner that is detected by a project file. */
export interface OtherRunner {
  name: string;
  /** Files in the root of the workspace that indicate it; `*.x` for an extension. */
  markers: readonly string[];
  /** A further test, if the marker alone is ambiguous. */
  isUsed?: (context: Pick<ToolContext, 'workspace'>, marker: string) => Promise<boolean>;
  command: (context: Pick<ToolContext, 'workspace'>) => Promise<string>;
  /** Arguments that select tests by name; absent if the runner cannot. */
  byName?: (pattern: string) => string;
  /** The command for one file; absent if the runner cannot select files. */
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

/** Runners other than those of npm and Python, in the order of detection. Sources: their command references. */
export const OTHER_RUNNERS = [
  {
    name: 'go',
    markers: ['go.mod', 'go.work'],
    command: line('go test -v ./...'),
    byName: (pattern) => `-run ${quoteShellWord(pattern)}`,
    byPath: (path) => `go test -v ${quoteShellWord(toPackage(path))}`,
  },
  {
    name: 'cargo',
    markers: ['Cargo.toml'],
    command: line('cargo test'),
    byName: (pattern) => quoteShellWord(pattern),
    byPath: (path) =>
      /(?:^|\/)tests\/[^/]+\.rs$/.test(path) ? `cargo test --test ${quoteShellWord(stem(path))}` : undefined,
  },
  {
    name: 'maven',
    markers: ['pom.xml'],
    command: firstOf('mvnw', 'mvn', '-B test'),
    byName: (pattern) => `-Dtest=${quoteShellWord(`*#*${pattern}*`)}`,
    byPath: (path) => `mvn -B test -Dtest=${quoteShellWord(stem(path))}`,
  },
  {
    name: 'gradle',
    markers: ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'],
    command: firstOf('gradlew', 'gradle', 'test --console=plain'),
    byName: (pattern) => `--tests ${quoteShellWord(`*${pattern}*`)}`,
  },
  {
    name: 'deno',
    markers: ['deno.json', 'deno.jsonc'],
    command: line('deno test'),
    byName: (pattern) => `--filter ${quoteShellWord(pattern)}`,
    byPath: (path) => `deno test ${quoteShellWord(path)}`,
  },
  {
    name: 'bun',
    markers: ['bun.lock', 'bun.lockb', 'bunfig.toml'],
    command: line('bun test'),
    byName: (pattern) => `-t ${quoteShellWord(pattern)}`,
    byPath: (path) => `bun test ${quoteShellWord(path)}`,
  },
  {
    name: 'rspec',
    markers: ['.rspec', 'spec/spec_helper.rb'],
    command: async (context) => `${(await isFile(context, 'Gemfile')) ? 'bundle exec ' : ''}rspec`,
    byName: (pattern) => `-e ${quoteShellWord(pattern)}`,
    byPath: (path) => `rspec ${quoteShellWord(path)}`,
  },
  {
    name: 'phpunit',
    markers: ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'],
    command: async (context) => ((await isFile(context, 'vendor/bin/phpunit')) ? 'vendor/bin/phpunit' : 'phpunit'),
    byName: (pattern) => `--filter ${quoteShellWord(pattern)}`,
  },
  {
    name: 'dotnet',
    markers: ['*.sln', '*.slnx', '*.csproj', '*.fsproj'],
    command: line('dotnet test'),
    byName: (pattern) => `--filter ${quoteShellWord(`FullyQualifiedName~${pattern}`)}`,
  },
  {
    name: 'ctest',
    markers: ['CMakeLists.txt'],
    isUsed: (context, marker) => matches(context, marker, /^\s*(?:enable_testing|include\s*\(\s*CTest)\b/im),
    command: line('cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure'),
    byName: (pattern) => `-R ${quoteShellWord(pattern)}`,
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

export const OTHER_RUNNER_NAMES = OTHER_RUNNERS.map(({ name }) => name);

export type OtherRunnerName = (typeof OTHER_RUNNER_NAMES)[number];

export function isOtherRunner(name: string | undefined): name is OtherRunnerName {
  return OTHER_RUNNER_NAMES.some((each) => each === name);
}

async function matches({ workspace }: Pick<ToolContext, 'workspace'>, path: string, pattern: RegExp): Promise<boolean> {
  const bytes = await workspace.read(path, { length: 256 * 1024 });
  return pattern.test(Buffer.from(bytes).toString('utf8'));
}
