import { KlausError } from '@klaus/core/protocol';

interface ServiceError {
  name: string;
  message: string;
  code?: string;
  $metadata?: { httpStatusCode?: number };
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error ? (error as Error & ServiceError).$metadata?.httpStatusCode : undefined;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : '';
}

/** The key exists, and the write was conditional. */
export function isExisting(error: unknown): boolean {
  return statusOf(error) === 412 || nameOf(error) === 'PreconditionFailed';
}

/** Another conditional write of the key was under way. */
export function isConflict(error: unknown): boolean {
  return nameOf(error) === 'ConditionalRequestConflict';
}

/** A broken connection, or an error of the server: the same request may succeed later. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status >= 500 || status === 429;
}

export function isMissing(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey' || (statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket');
}

const WRONG_KEYS = ['InvalidAccessKeyId', 'SignatureDoesNotMatch', 'AccessDenied', 'CredentialsProviderError'];

/** What the user can do about an error of an object store. */
export function toObjectError(error: unknown, { bucket, endpoint }: { bucket: string; endpoint?: string }) {
  const status = statusOf(error);
  const place = `the object store${endpoint === undefined ? '' : ` at ${endpoint}`}`;
  const cause = { cause: error };
  if (nameOf(error) === 'NoSuchBucket' || status === 404) {
    return new KlausError('config', `The bucket "${bucket}" does not exist in ${place}.`, {
      ...cause,
      hint: 'Create the bucket, or correct its name.',
    });
  }
  if (status === 401 || status === 403 || WRONG_KEYS.includes(nameOf(error))) {
    return new KlausError('config', `The bucket "${bucket}" in ${place} refuses the credentials.`, {
      ...cause,
      hint: 'Set `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` to keys that can read, write, list and delete in it.',
    });
  }
  const reason = error instanceof Error ? error.message || nameOf(error) : String(error);
  return new KlausError('store.busy', `No answer from ${place}: ${reason}`, {
    ...cause,
    hint: 'Check that it runs and can be reached from here, then try again. Nothing is lost.',
  });
}
