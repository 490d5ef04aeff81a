import { type Configuration, isKlausError, type Klaus } from '@klaus/sdk';

/**
 * The settings with changes of the user's files. With an invalid file, the last valid ones, so that the page opens: the
 * settings page and each run report the file.
 */
export function readPresent(klaus: Pick<Klaus, 'configuration' | 'refresh'>): Promise<Configuration> {
  return klaus.refresh().catch((error: unknown) => {
    if (isKlausError(error)) return klaus.configuration;
    throw error;
  });
}
