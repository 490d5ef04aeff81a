import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const NUGET = ['https://api.nuget.org/'];
const NPM = ['https://registry.yarnpkg.com/', 'https://registry.npmjs.org/'];

const nugetSchema = z.object({ source: z.string() });
const yarnSchema = z.object({ remote: z.object({ resolved: z.string(), reference: z.string() }) });

/** True for a NuGet package if all versions are from the public registry. */
export function isPublicNuget(folder: string): boolean {
  const versions = listFolders(folder);
  return versions.length > 0 && versions.every((name) => isFrom(join(folder, name), NUGET));
}

function isFrom(folder: string, registries: readonly string[]): boolean {
  const { data } = nugetSchema.safeParse(readJson(join(folder, '.nupkg.metadata')));
  return data !== undefined && isBelow(data.source, registries);
}

/** True for a Yarn 1 package from the public registry, according to its metadata. */
export function isPublicYarn(folder: string): boolean {
  const modules = join(folder, 'node_modules');
  const packages = listFolders(modules).flatMap((name) =>
    name.startsWith('@') ? listFolders(join(modules, name)).map((each) => join(name, each)) : [name],
  );
  const [name] = packages;
  if (name === undefined || packages.length > 1) return false;
  const { data } = yarnSchema.safeParse(readJson(join(modules, name, '.yarn-metadata.json')));
  return data !== undefined && [data.remote.resolved, data.remote.reference].every((url) => isBelow(url, NPM));
}

function isBelow(url: string, registries: readonly string[]): boolean {
  return registries.some((registry) => url.startsWith(registry));
}

function listFolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
  } catch {
    return [];
  }
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
