import { createReadStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { GetObjectCommandOutput, PutObjectCommandInput } from '@aws-sdk/client-s3';
import type { ObjectBody, ObjectStore, StoredObject } from './object-store.ts';
import { loadS3 } from './s3-package.ts';
import { isConflict, isExisting, isMissing, isPassing, toObjectError } from './s3-errors.ts';

export interface S3Options {
  bucket: string;
  /** Put before each key. Default: none. */
  prefix?: string;
  /** Address of an S3-compatible store. Default: that of Amazon. */
  endpoint?: string;
  /** Default: that of the environment, or `us-east-1`. */
  region?: string;
  /** Default: the credentials of the environment, as the AWS tools find them. */
  credentials?: { accessKeyId: string; secretAccessKey: string };
  /** Milliseconds without any byte after which a request is given up. Default 15,000. */
  timeoutMs?: number;
}

/** Times that a request is sent before its error is reported. */
const MAX_ATTEMPTS = 4;
/** Milliseconds before the second attempt, doubled for each further one. */
const RETRY_MS = 100;

const ignore = (): void => undefined;
/** Errors are reported to the caller. */
const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * Opens a bucket. The bucket decides about encryption at rest.
 *
 * @throws KlausError `config` when the bucket does not exist or refuses the keys, or when the package is not installed.
 */
export async function openS3(options: S3Options): Promise<ObjectStore> {
  const { bucket, prefix = '', endpoint, timeoutMs = 15_000 } = options;
  const s3 = await loadS3();
  const client = new s3.S3Client({
    region: options.region ?? process.env['AWS_REGION'] ?? 'us-east-1',
    ...(options.credentials ? { credentials: options.credentials } : {}),
    // Names of buckets in host names need a wildcard certificate, which few other stores have.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    maxAttempts: MAX_ATTEMPTS,
    requestHandler: { requestTimeout: timeoutMs, connectionTimeout: 5_000, throwOnRequestTimeout: true },
    // Checksums in trailers are unknown to many stores. A reader checks the content anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: SILENT,
  });
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw toObjectError(error, { bucket, endpoint });
    }
  };
  const write = async (key: string, body: ObjectBody, condition: Partial<PutObjectCommandInput>): Promise<void> => {
    const input = { Bucket: bucket, Key: prefix + key, ...condition };
    if (body instanceof Uint8Array) {
      await client.send(new s3.PutObjectCommand({ ...input, Body: body, ContentLength: body.length }));
      return;
    }
    // The client sends a stream only once.
    await retry(async () => {
      const stream = createReadStream(body.path);
      await client.send(new s3.PutObjectCommand({ ...input, Body: stream, ContentLength: body.size }));
    });
  };
  await attempt(() => client.send(new s3.HeadBucketCommand({ Bucket: bucket })));
  return {
    put: (key, body) => attempt(() => putOnce(() => write(key, body, { IfNoneMatch: '*' }))),
    renew: (key, body) => attempt(() => write(key, body, {})),
    get: (key) =>
      attempt(async () => {
        const found = await orMissing(() =>
          client.send(new s3.GetObjectCommand({ Bucket: bucket, Key: prefix + key })),
        );
        return found && (await toBytes(found));
      }),
    stat: (key) =>
      attempt(async () => {
        const found = await orMissing(() =>
          client.send(new s3.HeadObjectCommand({ Bucket: bucket, Key: prefix + key })),
        );
        return found && { key, size: found.ContentLength ?? 0, writtenAt: found.LastModified?.getTime() ?? 0 };
      }),
    async *list(begin) {
      const pages = s3.paginateListObjectsV2({ client, pageSize: 1_000 }, { Bucket: bucket, Prefix: prefix + begin });
      for (const iterator = pages[Symbol.asyncIterator](); ;) {
        const { done, value } = await attempt(() => iterator.next());
        if (done === true) return;
        for (const { Key = '', Size = 0, LastModified } of value.Contents ?? []) {
          const key = Key.slice(prefix.length);
          yield { key, size: Size, writtenAt: LastModified?.getTime() ?? 0 } satisfies StoredObject;
        }
      }
    },
    delete: (key) =>
      attempt(async () => {
        await orMissing(() => client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: prefix + key })));
      }),
    close: () => client.destroy(),
  };
}

/** False when the key exists. Two writers of one key at the same time conflict: the loser asks again. */
async function putOnce(write: () => Promise<void>): Promise<boolean> {
  for (let left = MAX_ATTEMPTS; ; left--) {
    try {
      await write();
      return true;
    } catch (error) {
      if (isExisting(error)) return false;
      if (!isConflict(error) || left <= 1) throw error;
    }
  }
}

/** Sends again after errors that may pass. */
async function retry(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS || !isPassing(error)) throw error;
      await delay(RETRY_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }
}

async function orMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function toBytes({ Body: body }: GetObjectCommandOutput): Promise<Uint8Array> {
  return body ? await body.transformToByteArray() : new Uint8Array();
}
