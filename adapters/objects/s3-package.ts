import type * as s3Package from '@aws-sdk/client-s3';
import { KlausError } from '@klaus/core/protocol';

/** The version for which the adapter is built and tested. */
export const S3_VERSION = '3.1175.0';

/**
 * Loads the client of S3, which is no part of an installation of Klaus.
 *
 * @param load Imports the package. Default: as for Klaus itself.
 * @throws KlausError `config` when it is not installed.
 */
export async function loadS3(
  load: () => Promise<typeof s3Package> = () => import('@aws-sdk/client-s3'),
): Promise<typeof s3Package> {
  try {
    return await load();
  } catch (cause) {
    throw new KlausError('config', `The package \`@aws-sdk/client-s3\` cannot be loaded: ${String(cause)}`, {
      hint: `Install it next to Klaus: \`npm install --global @aws-sdk/client-s3@${S3_VERSION}\`.`,
      cause,
    });
  }
}
