import type { SecretSource } from './secret-source.ts';

/**
 * Several folders as one. A file that two of them see, as where one folder holds the other, is hidden once.
 *
 * @param sources The first knows what a file is; each knows what to hide.
 */
export function joinSecretSources(sources: readonly SecretSource[]): SecretSource {
  const [first] = sources;
  if (!first) throw new RangeError('no source of secrets is given');
  if (sources.length === 1) return first;
  const all = async <T>(ask: (source: SecretSource) => Promise<readonly T[]>): Promise<T[]> =>
    (await Promise.all(sources.map(ask))).flat();
  return {
    files: async () => [...new Set(await all((source) => source.files()))],
    values: (options) => all((source) => source.values(options)),
    identify: (path) => first.identify(path),
    otherNames: async (path) => [...new Set(await all((source) => source.otherNames(path)))],
  };
}
