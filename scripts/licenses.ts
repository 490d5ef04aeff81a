import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'OFL-1.1',
  'Unlicense',
]);

/** Licences of packages that have only the text of theirs. */
const KNOWN: Readonly<Record<string, string>> = { khroma: 'MIT' };

/** True if one of the licences that a package offers is permissive. */
function isPermissive(license: string): boolean {
  return license
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((each) => PERMISSIVE.has(each));
}

interface Manifest {
  name: string;
  version: string;
  license?: string;
}

/** The folder of the installed package that a module belongs to. */
function findPackage(module: string): string | undefined {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(module)?.[0];
}

/** The notice at the head of a file, for packages without a separate one. */
function readNotice(folder: string): string | undefined {
  const name = readdirSync(folder).find((it) => /^(licen[cs]e|copying)(\.|$|-)/i.test(it));
  return name && readFileSync(join(folder, name), 'utf8').trim();
}

/** Licences of data in our own modules, each in a file such as `gitleaks.LICENSE`. */
function readDataNotices(modules: Iterable<string>): string[] {
  const own = [...modules].filter((it) => it.startsWith('/') && !it.includes('/node_modules/'));
  return [...new Set(own.map(dirname))].toSorted().flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.LICENSE'))
      .map(
        (name) => `${name.slice(0, -'.LICENSE'.length)} (data)\n\n${readFileSync(join(folder, name), 'utf8').trim()}\n`,
      ),
  );
}

/**
 * The licences of every package that the given modules come from, as one text.
 *
 * @param modules Absolute paths of bundled modules.
 * @throws Error naming a package whose licence is not a permissive one.
 */
export function collectLicenses(modules: Iterable<string>): string {
  const folders = new Set([...modules].flatMap((it) => findPackage(it.replace(/^\0/, '')) ?? []));
  const sections = [...folders].toSorted().flatMap((folder) => {
    const file = join(folder, 'package.json');
    if (!existsSync(file)) return [];
    const manifest: Manifest = JSON.parse(readFileSync(file, 'utf8'));
    const { name, version, license = KNOWN[manifest.name] ?? 'none' } = manifest;
    if (!isPermissive(license)) throw new Error(`${name} ${version} has the licence ${license}: it cannot be bundled`);
    return [`${name} ${version} (${license})\n\n${readNotice(folder) ?? `Licence: ${license}`}\n`];
  });
  sections.push(...readDataNotices(modules));
  return `The files in this folder contain code of these packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
