import { join } from 'node:path';
import { z } from 'zod';
import { listFolders } from '@klaus/adapters/system';
import { readJson } from '../read-text.ts';

const NUGET = 'https://api.nuget.org/';
const NPM = ['https://registry.yarnpkg.com/', 'https://registry.npmjs.org/'];

const nugetSchema = z.object({ source: z.string() });
const yarnSchema = z.object({ remote: z.object({ resolved: z.string(), reference: z.string() }) });

/** True for a NuGet package if all versions are from the public registry. */
export function isPublicNuget(folder: string): boolean {
  const versions = listFolders(folder);
  const isPublic = (name: string): boolean => {
    const { data } = nugetSchema.safeParse(readJson(join(folder, name, '.nupkg.metadata')));
    return data !== undefined && data.source.startsWith(NUGET);
  };
  return versions.length > 0 && versions.every(isPublic);
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
  if (data === undefined) return false;
  const { resolved, reference } = data.remote;
  return [resolved, reference].every((url) => NPM.some((registry) => url.startsWith(registry)));
}
