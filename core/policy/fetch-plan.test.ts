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
