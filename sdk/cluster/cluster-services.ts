import { readFileSync } from 'node:fs';
import type { S3Options } from '@klaus/adapters/objects';
import type { TemporalOptions, TemporalTls } from '@klaus/adapters/scheduler';
import { optional } from '@klaus/core/optional';
import { isKlausError, KlausError, type Setting, type SettingKey, SETTINGS } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';

/** The services that all machines of a cluster share. */
export interface ClusterServices {
  /** `postgres://user:password@host:port/database`. */
  database: string;
  bucket: S3Options;
  temporal: Omit<TemporalOptions, 'cacheFolder'>;
}

/** The settings that each service needs or uses, for messages. */
const SERVICE_SETTINGS = {
  database: ['cluster.postgresUrl'],
  bucket: ['cluster.bucket', 'cluster.s3Endpoint', 'cluster.s3KeyId', 'cluster.s3SecretKey'],
  temporal: ['cluster.temporalAddress', 'cluster.temporalNamespace', 'cluster.temporalTls', 'cluster.temporalApiKey'],
} as const satisfies Record<keyof ClusterServices, readonly SettingKey[]>;

const STORES = ['cluster.postgresUrl', 'cluster.bucket'] as const;

type Settings = Pick<Configuration, 'get'>;

/**
 * Reads the services of a cluster from the settings, and the certificates from their files.
 *
 * @throws KlausError `config` that names what is missing, a file that cannot be read, or settings that exclude each other.
 */
export function toClusterServices(configuration: Settings): ClusterServices {
  checkSet(configuration, [...STORES, 'cluster.temporalAddress']);
  return {
    ...toClusterStores(configuration),
    temporal: {
      address: configuration.get('cluster.temporalAddress')!,
      namespace: configuration.get('cluster.temporalNamespace'),
      taskQueue: configuration.get('cluster.temporalTaskQueue'),
      ...optional({ tls: toTls(configuration), apiKey: configuration.get('cluster.temporalApiKey') }),
    },
  };
}

/**
 * Reads where a cluster stores its sessions, for a program that runs none.
 *
 * @throws KlausError `config` that names what is missing, or settings that exclude each other.
 */
export function toClusterStores(configuration: Settings): Omit<ClusterServices, 'temporal'> {
  checkSet(configuration, STORES);
  return {
    database: configuration.get('cluster.postgresUrl')!,
    bucket: {
      bucket: configuration.get('cluster.bucket')!,
      endpoint: configuration.get('cluster.s3Endpoint'),
      region: configuration.get('cluster.s3Region'),
      credentials: toCredentials(configuration),
    },
  };
}

/** @throws KlausError `config` that names those that are not set. */
export function checkSet(configuration: Settings, keys: readonly SettingKey[]): void {
  const missing = keys.filter((key) => configuration.get(key) === undefined);
  if (missing.length === 0) return;
  throw new KlausError('config', `A cluster needs settings that are not set: ${missing.map(toName).join(', ')}.`, {
    hint: 'Set the variables, or the settings in the `config.yaml` of your state folder. A project cannot set them.',
  });
}

/** The error with the settings of a service in its hint; any other value unchanged. */
export function nameSettings(service: keyof ClusterServices, error: unknown): unknown {
  if (!isKlausError(error)) return error;
  const settings = `The settings are ${SERVICE_SETTINGS[service].map(toName).join(', ')}.`;
  return new KlausError(error.code, error.message, {
    hint: error.hint === undefined ? settings : `${error.hint} ${settings}`,
    cause: error,
    retryable: error.retryable,
  });
}

/** `cluster.bucket` with its variable. */
function toName(key: SettingKey): string {
  const { env }: Setting = SETTINGS[key];
  return env === undefined ? `\`${key}\`` : `\`${key}\` (\`${env}\`)`;
}

function toCredentials(configuration: Settings): S3Options['credentials'] {
  const accessKeyId = configuration.get('cluster.s3KeyId');
  const secretAccessKey = configuration.get('cluster.s3SecretKey');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw toPairError('cluster.s3KeyId', 'cluster.s3SecretKey');
  return accessKeyId === undefined ? undefined : { accessKeyId, secretAccessKey: secretAccessKey! };
}

function toTls(configuration: Settings): boolean | TemporalTls | undefined {
  const tls = configuration.get('cluster.temporalTls');
  const [ca, cert, key] = [
    readPem(configuration, 'cluster.temporalCaFile'),
    readPem(configuration, 'cluster.temporalCertFile'),
    readPem(configuration, 'cluster.temporalKeyFile'),
  ];
  if ((cert === undefined) !== (key === undefined))
    throw toPairError('cluster.temporalCertFile', 'cluster.temporalKeyFile');
  const hasFiles = ca !== undefined || cert !== undefined;
  if (tls === false && (hasFiles || configuration.get('cluster.temporalApiKey') !== undefined)) {
    throw new KlausError(
      'config',
      `${toName('cluster.temporalTls')} is false, but certificates or an API key are set.`,
      {
        hint: 'They are only used over TLS: set it to true, or remove them.',
      },
    );
  }
  return hasFiles ? optional({ ca, cert, key }) : tls;
}

function readPem(configuration: Settings, key: SettingKey & `cluster.temporal${string}File`): string | undefined {
  const path = configuration.get(key);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new KlausError('config', `${toName(key)}: ${path} cannot be read (${code}).`, {
      hint: 'Correct the path, or make the file readable for this user.',
      cause,
    });
  }
}

function toPairError(one: SettingKey, other: SettingKey): KlausError {
  return new KlausError('config', `Only one of ${toName(one)} and ${toName(other)} is set.`, {
    hint: 'Set both, or neither.',
  });
}
