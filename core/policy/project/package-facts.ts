import { isRecord } from '../../protocol/index.ts';
import { parseObject } from './package-manager.ts';

const FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'] as const;

/** What a package.json says about dependencies. */
export interface PackageFacts {
  /** Names of all dependencies, of each kind. */
  names: ReadonlySet<string>;
  /** True if its package manager installs something: a dependency, or packages of a workspace. */
  hasDependencies: boolean;
}

/** Undefined: it cannot be read. */
export function readPackageFacts(text: string): PackageFacts | undefined {
  const json = parseObject(text);
  if (json === undefined) return undefined;
  const names = new Set(
    FIELDS.flatMap((field) => {
      const value = json[field];
      return isRecord(value) ? Object.keys(value) : [];
    }),
  );
  return { names, hasDependencies: names.size > 0 || json['workspaces'] !== undefined };
}

/** True if a module such as `express/lib/router` or `@types/node` is of a package that the package.json names. */
export function isNamedByPackage({ names }: PackageFacts, module: string): boolean {
  return names.has(toPackageName(module));
}

/** The package of a module. */
export function toPackageName(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}
