import { expect, test } from 'vitest';
import { planFetch } from './fetch-plan.ts';

const plan = (folders: Readonly<Record<string, string>>) =>
  planFetch(new Map(Object.entries(folders).map(([folder, names]) => [folder, names.split(' ')])));
const tools = (names: string) => plan({ '': names }).map(({ tool, network }) => `${tool}${network ? '' : ' offline'}`);

test('the lock file says which tool is meant', () => {
  expect(tools('package.json')).toEqual(['npm', 'npm offline']);
  expect(tools('package.json package-lock.json')).toEqual(['npm', 'npm offline']);
  expect(tools('package.json pnpm-lock.yaml package-lock.json')).toEqual(['pnpm', 'pnpm offline']);
  expect(tools('package.json yarn.lock')).toEqual(['yarn']);
  expect(tools('package.json yarn.lock .yarnrc.yml')).toEqual(['yarn', 'yarn offline']);
  expect(tools('package.json bun.lockb')).toEqual(['bun']);
  expect(tools('pyproject.toml uv.lock requirements.txt')).toEqual(['uv']);
  expect(tools('App.csproj')).toEqual(['dotnet']);
  expect(tools('README.md')).toEqual([]);
  expect(plan({ '': 'package-lock.json' })[0]?.command).toBe('npm ci --no-audit --no-fund --ignore-scripts');
  expect(plan({ '': 'build.gradle gradlew' })[0]?.command).toContain('sh ./gradlew');
});

test.each(['package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'yarn.lock .yarnrc.yml', 'bun.lock'])(
  'no script of a package has a network: %s',
  (names) => {
    const [download, ...others] = plan({ '': names });
    expect(download).toMatchObject({ network: true, command: expect.stringMatching(/ignore-scripts|skip-build/) });
    expect(others.filter(({ network }) => network)).toEqual([]);
  },
);

test('a folder below the root counts for what the root has nothing of', () => {
  const found = plan({ '': 'go.mod', web: 'package.json yarn.lock', api: 'go.mod', lib: 'Cargo.toml' });
  expect(found.map(({ folder, tool }) => [folder, tool])).toEqual([
    ['', 'go'],
    ['web', 'yarn'],
    ['lib', 'cargo'],
  ]);
});

const planWith = (files: Readonly<Record<string, string>>, without: readonly string[] = []) =>
  planFetch(new Map([['', Object.keys(files)]]), { read: (path) => files[path], without: new Set(without) });

test.each([
  [{ packageManager: 'pnpm@9' }, 'package.json', 'pnpm install --no-frozen-lockfile'],
  [{ packageManager: 'pnpm@9.1.0+sha512.abc' }, 'package.json pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  [{ packageManager: 'yarn@1.22.22' }, 'package.json', 'yarn install --ignore-scripts'],
  [{ packageManager: 'yarn@4.1.0' }, 'package.json', 'yarn install --no-immutable --mode=skip-build'],
  [{ packageManager: 'yarn@4.1.0' }, 'package.json yarn.lock', 'yarn install --immutable --mode=skip-build'],
  [{ packageManager: 'bun@1.1.0' }, 'package.json package-lock.json', 'bun install --ignore-scripts'],
  [{ packageManager: 'npm@10' }, 'package.json yarn.lock', 'npm install'],
  [{ devEngines: { packageManager: { name: 'pnpm', version: '^9' } } }, 'package.json', 'pnpm install'],
  [{ devEngines: { packageManager: [{ name: 'other' }, { name: 'bun' }] } }, 'package.json', 'bun install'],
  [{ packageManager: 'other@1' }, 'package.json', 'npm install'],
])('package.json names the tool: %j with %s', (pkg, names, command) => {
  const files = Object.fromEntries(names.split(' ').map((name) => [name, '']));
  const [download, ...others] = planWith({ ...files, 'package.json': JSON.stringify(pkg) });
  expect(download?.command).toContain(command);
  expect(others.filter(({ network }) => network)).toEqual([]);
});

test.each([
  ['[project.optional-dependencies]\ndocs = ["sphinx"]\ntest = [\n  "pytest[x]", # "no"\n]\n', "-e '.[test]'"],
  ['[project.optional-dependencies]\ntests = ["pytest"]\n', "-e '.[tests]'"],
  ['[project]\nname = "a"\n', '-e .'],
  [
    '[dependency-groups]\ndev = ["pytest>=8; python_version < \'4\'", "ruff"]\n',
    `-e . 'pytest>=8; python_version < '\\''4'\\''' ruff`,
  ],
  [
    '[dependency-groups]\ntest = [{ include-group = "base" }, "pytest-cov"]\nbase = ["pytest"]\n',
    '-e . pytest pytest-cov',
  ],
  // An option of pip is no requirement.
  ['[dependency-groups]\ntest = ["--index-url=http://localhost", "pytest"]\n', '-e . pytest'],
])('pip installs what the tests need: %j', (text, words) => {
  const [step] = planWith({ 'pyproject.toml': text });
  expect(step?.command.slice(step.command.indexOf('-e'))).toBe(words);
});

test('requirements of the tests are installed with those of the project', () => {
  expect(planWith({ 'requirements.txt': '', 'requirements-dev.txt': '' })[0]?.command).toContain(
    '-r requirements.txt -r requirements-dev.txt',
  );
});

test('uv installs an extra and a group that it leaves out by default', () => {
  const text = '[project.optional-dependencies]\ntest = []\n[dependency-groups]\ntests = []\n';
  expect(planWith({ 'uv.lock': '', 'pyproject.toml': text })[0]?.command).toBe(
    'uv sync --frozen --extra test --group tests',
  );
  expect(planWith({ 'uv.lock': '', 'pyproject.toml': '[dependency-groups]\ndev = []\n' })[0]?.command).toBe(
    'uv sync --frozen',
  );
});

test('in the place of a tool that cannot be used another one of the language counts, if one fits', () => {
  expect(planWith({ 'uv.lock': '', 'pyproject.toml': '' }, ['uv'])).toMatchObject([
    { tool: 'pip', program: 'python3' },
  ]);
  expect(planWith({ 'uv.lock': '' }, ['uv'])).toEqual([]);
});
