import type { SecretSource } from './secret-source.ts';

/**
 * Combines the sources of several folders. A file that several of them contain is listed once.
 *
 * @param sources The first source identifies files.
 */
export function joinSecretSources(sources: readonly SecretSource[]): SecretSource {
  const [first] = sources;
  if (!first) throw new RangeError('At least one source is required.');
  if (sources.length === 1) return first;
  const all = async <T>(read: (source: SecretSource) => Promise<readonly T[]>): Promise<T[]> =>
    (await Promise.all(sources.map(read))).flat();
  return {
    files: async () => [...new Set(await all((source) => source.files()))],
    values: (options) => all((source) => source.values(options)),
    identify: (path) => first.identify(path),
    otherNames: async (path) => [...new Set(await all((source) => source.otherNames(path)))],
  };
}
