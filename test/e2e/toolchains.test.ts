// Covers adapters/sandboxes/bubblewrap/toolchains, adapters/sandboxes/home: one project per language, with and without a network.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { builtinTools } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import { fetchDependencies, planFetchOf } from '@klaus/sdk';
import { test } from '../fixtures/sandboxed.ts';
import { callTool, createToolContext } from '../fixtures/tool-context.ts';

interface Language {
  name: string;
  /** Required programs; without them the language is skipped. */
  needs: readonly string[];
  /** Installs missing ones in a folder whose `bin` and `py/bin` are then on the PATH. */
  provide?: string;
  files: Readonly<Record<string, string>>;
  /** Command of the user, once, with a network. */
  fetch: string;
  /** Build and tests, without a network. */
  build: string;
  /** A missing dependency, and its error. */
  missing: { command: string; says: RegExp };
  /** A command with a network that adds and uses another dependency. */
  more: string;
  /** Its source, if `fetch` needs no registry. */
  registry?: string;
  /** False if `klaus fetch` has nothing to do. */
  isFetched?: false;
}

const POM = (extra = ''): string => `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>app</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version></dependency>${extra}</dependencies>
</project>
`;
const GSON =
  '<dependency><groupId>com.google.code.gson</groupId><artifactId>gson</artifactId><version>2.11.0</version></dependency>';

const GEM_HOME = 'GEM_HOME="$(ruby -e \'print Gem.user_dir\')"';
const GRADLE = (extra = ''): string => `apply plugin: 'java'
repositories { mavenCentral() }
dependencies {
  testCompile 'junit:junit:4.13.2'
  ${extra}
}
`;

const LANGUAGES: readonly Language[] = [
  {
    name: 'Go',
    needs: ['go'],
    files: {
      'go.mod': 'module example.com/app\n\ngo 1.20\n\nrequire github.com/google/uuid v1.6.0\n',
      'main.go': 'package main\n\nimport "github.com/google/uuid"\n\nfunc main() { println(uuid.Nil.String()) }\n',
      'main_test.go':
        'package main\n\nimport (\n"testing"\n"github.com/google/uuid"\n)\n\nfunc TestNil(t *testing.T) { if uuid.Nil.String() == "" { t.Fail() } }\n',
    },
    fetch: 'go mod tidy && go test ./...',
    build: 'go build ./... && go test ./...',
    missing: { command: 'go get github.com/google/go-cmp@v0.6.0', says: /GOPROXY=off/ },
    more: 'go get github.com/google/go-cmp@v0.6.0 && go build ./...',
  },
  {
    name: 'Rust',
    needs: ['cargo', 'cc'],
    files: {
      'Cargo.toml': '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\nitoa = "1"\n',
      'src/main.rs':
        'fn main() { println!("{}", itoa::Buffer::new().format(7)); }\n#[test]\nfn formats() { assert_eq!(itoa::Buffer::new().format(7), "7"); }\n',
    },
    fetch: 'cargo fetch',
    build: 'cargo build && cargo test',
    missing: { command: 'cargo add ryu', says: /offline|ryu/ },
    more: 'cargo add ryu && cargo build',
  },
  {
    name: 'Java',
    needs: ['mvn', 'javac'],
    files: {
      'pom.xml': POM(),
      'more.xml': POM(GSON),
      'src/main/java/A.java': 'public class A { public static int one() { return 1; } }\n',
      'src/test/java/ATest.java':
        'import org.junit.*; public class ATest { @Test public void one() { Assert.assertEquals(1, A.one()); } }\n',
    },
    // Java takes the home folder from the system's list of users.
    fetch: 'MAVEN_OPTS=-Duser.home="$HOME" mvn -q -B test',
    build: 'mvn -q -B test',
    missing: { command: 'mvn -q -B -f more.xml compile', says: /Temporary failure in name resolution|Unknown host/ },
    more: 'mvn -q -B -f more.xml compile',
  },
  {
    name: 'Python',
    needs: ['python3'],
    files: {
      'requirements.txt': 'six==1.16.0\n',
      'test_app.py':
        'import unittest, six\n\nclass App(unittest.TestCase):\n    def test_text(self):\n        self.assertEqual(six.ensure_str(b"a"), "a")\n',
    },
    fetch: 'python3 -m venv .venv && .venv/bin/pip install -q -r requirements.txt',
    build: '.venv/bin/python -m compileall -q test_app.py && .venv/bin/python -m unittest',
    missing: { command: '.venv/bin/pip install idna', says: /No matching distribution found/ },
    more: '.venv/bin/pip install -q idna && .venv/bin/python -c "import idna"',
  },
  {
    name: 'C',
    needs: ['cc', 'cmake', 'ctest', 'make'],
    files: {
      'CMakeLists.txt':
        'cmake_minimum_required(VERSION 3.16)\nproject(app C)\nenable_testing()\nadd_executable(app main.c)\ntarget_link_libraries(app m)\nadd_test(NAME runs COMMAND app)\n',
      'main.c': '#include <math.h>\nint main(int argc, char **argv) { return (int)floor(sqrt(argc) - 1); }\n',
    },
    fetch: 'true',
    build: 'cmake -S . -B build && cmake --build build && ctest --test-dir build',
    missing: { command: 'cc -o x main.c -lnothing-of-this-name', says: /nothing-of-this-name/ },
    more: 'true',
    isFetched: false,
  },
  {
    name: 'TypeScript, npm workspaces',
    needs: ['npm', 'node'],
    files: {
      'package.json':
        '{ "name": "root", "private": true, "workspaces": ["packages/*"], "dependencies": { "picocolors": "1.1.1" } }\n',
      'packages/app/package.json': '{ "name": "app", "type": "module", "scripts": { "test": "node --test" } }\n',
      'packages/app/app.test.mjs':
        "import test from 'node:test';\nimport pc from 'picocolors';\ntest('is there', () => { if (typeof pc.red !== 'function') throw new Error('no'); });\n",
    },
    fetch: 'npm install --no-audit --no-fund',
    build: 'npm test --workspaces',
    missing: { command: 'npm install is-number@7.0.0', says: /EAI_AGAIN|ENOTCACHED|ENOTFOUND/ },
    more: 'npm install --no-audit --no-fund is-number@7.0.0 && node -e "require(\'is-number\')"',
  },
  {
    name: 'TypeScript, pnpm workspaces',
    needs: ['pnpm', 'node'],
    provide: 'npm install -g --prefix . pnpm@10.34.9',
    files: {
      'package.json': '{ "name": "root", "private": true, "dependencies": { "picocolors": "1.1.1" } }\n',
      'pnpm-workspace.yaml': 'packages: ["packages/*"]\n',
      'packages/lib/package.json': '{ "name": "lib", "version": "1.0.0", "dependencies": { "is-odd": "3.0.1" } }\n',
      'packages/lib/index.js': "module.exports = require('is-odd');\n",
      'packages/app/package.json':
        '{ "name": "app", "type": "module", "dependencies": { "lib": "workspace:*" }, "scripts": { "test": "node --test" } }\n',
      'packages/app/app.test.mjs':
        "import test from 'node:test';\nimport isOdd from 'lib';\ntest('is there', () => { if (!isOdd(3)) throw new Error('no'); });\n",
    },
    fetch: 'pnpm install',
    build: 'CI=1 pnpm install --frozen-lockfile && rm -rf node_modules && CI=1 pnpm install --offline && pnpm -r test',
    missing: { command: 'pnpm add -w is-number@7.0.0', says: /EAI_AGAIN|ENOTFOUND/ },
    more: 'pnpm add -w is-number@7.0.0 && node -e "require(\'is-number\')"',
  },
  {
    name: 'JavaScript, Yarn',
    needs: ['yarn', 'node'],
    provide: 'npm install -g --prefix . @yarnpkg/cli-dist@4.18.1',
    files: {
      'package.json': '{ "name": "app", "private": true, "dependencies": { "picocolors": "1.1.1" } }\n',
      'yarn.lock': '',
      '.yarnrc.yml': 'nodeLinker: node-modules\n',
    },
    fetch: 'yarn install',
    build: 'rm -rf node_modules && yarn install --immutable && node -e "require(\'picocolors\').red"',
    missing: { command: 'yarn add is-number@7.0.0', says: /blocked because of your configuration|EAI_AGAIN/ },
    more: 'yarn add is-number@7.0.0 && node -e "require(\'is-number\')"',
  },
  {
    name: 'JavaScript, Bun',
    needs: ['bun'],
    provide: 'npm install -g --prefix . bun@1.4.5',
    files: {
      'package.json': '{ "name": "app", "private": true, "dependencies": { "picocolors": "1.1.1" } }\n',
      'app.test.ts':
        "import { expect, test } from 'bun:test';\nimport pc from 'picocolors';\ntest('is there', () => expect(typeof pc.red).toBe('function'));\n",
    },
    fetch: 'bun install',
    build: 'rm -rf node_modules && bun install --frozen-lockfile && bun test',
    missing: { command: 'bun add is-number@7.0.0', says: /ConnectionRefused|FailedToOpenSocket|DNS/i },
    more: 'bun add is-number@7.0.0 && bun -e "require(\'is-number\')"',
  },
  {
    name: 'Python, uv',
    needs: ['uv', 'python3'],
    provide: 'python3 -m venv py && py/bin/pip install -q uv==0.13.9',
    files: {
      'pyproject.toml':
        '[project]\nname = "app"\nversion = "1"\nrequires-python = ">=3.9"\ndependencies = ["six==1.16.0"]\n',
      'test_app.py':
        'import unittest, six\n\nclass App(unittest.TestCase):\n    def test_text(self):\n        self.assertEqual(six.ensure_str(b"a"), "a")\n',
    },
    fetch: 'uv sync',
    build: 'rm -rf .venv && uv sync && uv run python -m unittest',
    missing: { command: 'uv add idna', says: /network was disabled|network connectivity is disabled/i },
    more: 'uv add idna && uv run python -c "import idna"',
  },
  {
    name: 'Java, Gradle',
    needs: ['gradle', 'javac'],
    files: {
      'build.gradle': GRADLE(),
      'more.gradle': GRADLE("compile 'com.google.code.gson:gson:2.11.0'"),
      'src/main/java/A.java': 'public class A { public static int one() { return 1; } }\n',
      'src/test/java/ATest.java':
        'import org.junit.*; public class ATest { @Test public void one() { Assert.assertEquals(1, A.one()); } }\n',
    },
    // Java takes the home folder from the system's list of users.
    fetch: 'gradle -q -g "$HOME/.gradle" --no-daemon test',
    build: 'gradle -q test --offline && gradle -q clean test',
    missing: {
      command: 'gradle -q -b more.gradle compileJava',
      says: /Temporary failure in name resolution|Unknown host/,
    },
    more: 'gradle -q -b more.gradle compileJava',
  },
  {
    name: 'Kotlin',
    needs: ['kotlinc', 'java'],
    files: { 'main.kt': 'fun main() { check(listOf(1, 2).sum() == 3) }\n' },
    fetch: 'true',
    build: 'kotlinc main.kt -include-runtime -d app.jar && java -jar app.jar',
    missing: { command: 'kotlinc -cp no.jar none.kt', says: /none\.kt/ },
    more: 'true',
    isFetched: false,
  },
  {
    name: 'Ruby',
    needs: ['ruby', 'bundle', 'gem'],
    files: {
      Gemfile: "source 'https://rubygems.org'\ngem 'one', '1.0.0'\n",
      'one/one.gemspec':
        "Gem::Specification.new { |s| s.name = 'one'; s.version = '1.0.0'; s.summary = s.name; s.authors = ['x']; s.files = ['lib/one.rb'] }\n",
      'one/lib/one.rb': 'ONE = 1\n',
    },
    fetch:
      'cd one && gem build -q one.gemspec && gem install -q --local --user-install one-1.0.0.gem && cd .. && bundle install --local',
    build: 'bundle check && bundle exec ruby -rone -e "exit ONE == 1"',
    missing: { command: 'bundle add rainbow', says: /Could not reach host|Could not fetch/ },
    more: `${GEM_HOME} bundle add rainbow --version 3.1.1 && bundle exec ruby -rrainbow -e 1`,
    registry: 'https://index.rubygems.org/versions',
    isFetched: false,
  },
  {
    name: 'PHP',
    needs: ['php', 'composer'],
    files: {
      'composer.json':
        '{ "name": "x/app", "repositories": [{ "type": "path", "url": "one" }], "require": { "x/one": "1.0.0" } }\n',
      'one/composer.json': '{ "name": "x/one", "version": "1.0.0", "autoload": { "files": ["one.php"] } }\n',
      'one/one.php': '<?php function one() { return 1; }\n',
      'test.php': "<?php require 'vendor/autoload.php'; exit(one() === 1 ? 0 : 1);\n",
    },
    fetch: 'composer update --no-interaction --quiet',
    build: 'rm -rf vendor && composer install --no-interaction && php test.php',
    missing: { command: 'composer require --no-interaction psr/log:3.0.0', says: /network/i },
    more: 'composer require --no-interaction --quiet psr/log:3.0.0 && php test.php',
    registry: 'https://repo.packagist.org/packages.json',
    isFetched: false,
  },
];

const OWN = {
  // Rust's programs are links to a launcher that finds the rest in the real home folder.
  RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
  CARGO_HOME: '',
  GOPATH: '',
  GOCACHE: '',
  XDG_CACHE_HOME: undefined,
  XDG_DATA_HOME: undefined,
};

/** Folders for one language: a working project, and the home of its user. */
function prepare({ needs, provide, files, fetch }: Language, skip: (when: boolean, why: string) => void) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-test-')));
  const [tools, workspace, user, home] = ['tools', 'project', 'user', 'klaus'].map((name) => join(root, name));
  const remove = (): void => {
    spawnSync('chmod', ['-R', 'u+w', root]);
    rmSync(root, { recursive: true, force: true });
  };
  onTestFinished(remove);
  for (const folder of [tools, workspace, user]) mkdirSync(folder!);
  mkdirSync(home!, { mode: 0o700 });
  const PATH = `${join(tools!, 'bin')}:${join(tools!, 'py/bin')}:${process.env['PATH']}`;
  const find = () =>
    needs.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`], { env: { PATH } }).status !== 0);
  if (provide !== undefined && find().length > 0) spawnSync('sh', ['-c', provide], { cwd: tools });
  const lacking = find();
  skip(lacking.length > 0, `there is no ${lacking.join(', ')} here`);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace!, path)), { recursive: true });
    writeFileSync(join(workspace!, path), text);
  }
  const env = { ...process.env, ...OWN, PATH, HOME: user! };
  const fetched = spawnSync('sh', ['-c', fetch], { cwd: workspace, env, encoding: 'utf8', timeout: 120_000 });
  skip(fetched.status !== 0, `its registry cannot be reached: ${fetched.stderr?.slice(-300)}`);
  return { root, workspace: workspace!, home: home!, env };
}

/** Runs commands like a session, and fails with their output. */
async function createRuns(place: { workspace: string; home: string; env: Record<string, string | undefined> }) {
  const limits = { timeoutMs: 240_000, memoryMb: 4_096, cpus: 2, processes: 512 };
  const context = createToolContext({
    workspace: await createWorkspace(place.workspace),
    sandbox: await createSandbox({ ...place, choice: 'bubblewrap', session: 'S', limits }),
  });
  const run = (command: string, network = false) =>
    callTool(builtinTools, 'run_command', {
      input: { command, network, timeoutMs: 240_000, memoryMb: 1_024 },
      context,
    });
  const succeed = async (command: string, network = false) => {
    const { isError, text } = await run(command, network);
    expect(isError ? text : 'ok').toBe('ok');
  };
  const call = (name: string, input: unknown) => callTool(builtinTools, name, { input, context });
  return { run, succeed, call };
}

/** All of them take ten minutes: `npm run test:toolchains`. */
const HAS_ALL = process.env['KLAUS_TOOLCHAINS'] === 'all';
const SAMPLE = new Set(['Rust', 'C', 'TypeScript, npm workspaces']);
const FETCHED = new Set(['TypeScript, npm workspaces']);

describe.each(LANGUAGES.filter(({ name }) => HAS_ALL || SAMPLE.has(name)))('$name', (language) => {
  const { build, missing, more, registry, isFetched } = language;

  test(
    'lists, edits, builds and tests without a network, and gets more with one',
    { timeout: 300_000 },
    async ({ skip }) => {
      const { run, succeed, call } = await createRuns(prepare(language, skip));
      await succeed(build);
      // Git does not ignore build output here; no source file may be missing.
      const listed = (await call('list_files', {})).text;
      for (const path of Object.keys(language.files)) expect(listed).toContain(path.split('/')[0]);
      // Change the last source, so that the build has to include it.
      const [path, source] = Object.entries(language.files).at(-1)!;
      const { isError, text } = await call('edit_file', { path, edits: [{ old: source, new: `${source}\n` }] });
      expect(isError ? text : 'ok').toBe('ok');
      await succeed(build);
      const lacks = await run(missing.command);
      expect(lacks).toMatchObject({ isError: true, text: expect.stringMatching(missing.says) });
      const isThere =
        registry === undefined || spawnSync('curl', ['-sfm', '20', '-o', '/dev/null', registry]).status === 0;
      skip(!isThere, `what needs a network: ${registry} cannot be reached`);
      await succeed(more, true);
      await succeed(build);
    },
  );

  test.skipIf(isFetched === false || !(HAS_ALL || FETCHED.has(language.name)))(
    'builds in a session after klaus fetch, where nothing was ever downloaded',
    { timeout: 300_000 },
    async ({ skip }) => {
      const { root, workspace, home, env } = prepare(language, skip);
      for (const name of ['node_modules', '.venv', 'target', 'build', '.gradle'])
        rmSync(join(workspace, name), { recursive: true, force: true });
      const fresh = { ...env, HOME: join(root, 'fresh') };
      mkdirSync(fresh.HOME);
      const fetched = await fetchDependencies({
        workspace,
        home,
        env: fresh,
        settings: { 'sandbox.driver': 'bubblewrap' },
        steps: planFetchOf(workspace),
      });
      expect(fetched.steps.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
      const { succeed } = await createRuns({ workspace, home, env: fresh });
      await succeed(build);
    },
  );

  test.skipIf(isFetched === false || !(HAS_ALL || FETCHED.has(language.name)))(
    'a build without its downloads names the command that installs them, and succeeds after it',
    { timeout: 300_000 },
    async ({ skip }) => {
      const { root, workspace, home, env } = prepare(language, skip);
      for (const name of ['node_modules', '.venv', 'target', 'build', '.gradle'])
        rmSync(join(workspace, name), { recursive: true, force: true });
      const fresh = { ...env, HOME: join(root, 'fresh') };
      mkdirSync(fresh.HOME);
      const { run, succeed } = await createRuns({ workspace, home, env: fresh });
      const { isError, text, detail } = await run(build);
      expect([isError, text]).toEqual([true, expect.stringContaining('klaus fetch')]);
      const command = (detail as { fetch: string }).fetch;
      const downloads = planFetchOf(workspace).filter(({ network }) => network);
      expect(downloads.map((step) => step.command)).toContain(command);
      await succeed(command, true);
      await succeed(build);
    },
  );
});
