import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../../fixtures/npm.ts';
import { installPackages } from '../python.fixture.ts';
import type { Bug } from './bug.ts';

/** What the packages of PyPI import, in versions that fit all of them. */
const NEEDS = [
  'attrs==23.2.0',
  'colorama==0.4.6',
  'commonmark==0.9.1',
  'mdurl==0.1.2',
  'natsort==8.4.0',
  'ordered-set==4.1.0',
  'python-dateutil==2.8.2',
  'six==1.17.0',
  'typing-extensions==4.15.0',
  'wcwidth==0.2.13',
];

/** The name under which a program imports one version of a package. */
export const toAlias = (name: string, version: string): string => `${name}-${version.replaceAll('.', '-')}`;

/** Installs both versions of each package of npm into a folder. */
export function installFromNpm(bugs: readonly Bug[], folder: string): void {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const words = bugs.flatMap(({ name, buggy, fixed }) =>
    [buggy, fixed].map((version) => `${toAlias(name, version)}@npm:${name}@${version}`),
  );
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--prefer-offline'];
  npm(['install', ...options, ...new Set(words)], folder);
}

/** Finds the folders with one version of a package, for `PYTHONPATH`. */
export type FindFolders = (name: string, version: string) => string[];

/** Installs both versions of each package of PyPI: a folder has one version of each, so that few installations do. */
export async function installFromPypi(bugs: readonly Bug[], folder: string): Promise<FindFolders> {
  const versions = new Map<string, Set<string>>();
  for (const { name, buggy, fixed } of bugs) versions.set(name, new Set([...(versions.get(name) ?? []), buggy, fixed]));
  const place = (index: number | string): string => join(folder, `python-${index}`);
  const rounds = Math.max(...[...versions.values()].map(({ size }) => size));
  for (let round = 0; round < rounds; round += 1) {
    const words = [...versions].flatMap(([name, all]) => {
      const version = [...all][round];
      return version === undefined ? [] : [`${name}==${version}`];
    });
    await installPackages(place(round), ['--no-deps', ...words]);
  }
  await installPackages(place('needs'), ['--no-deps', ...NEEDS]);
  return (name, version) => [place([...versions.get(name)!].indexOf(version)), place('needs')];
}
