import { randomUUID } from 'node:crypto';
import { optional } from '@klaus/core/optional';
import { toolFailed } from '../tool-failed.ts';
import { toFailedAnswer, type DeployApi } from './deploy-api.ts';
import { encodeAws, signAws, type AwsRequest } from './sign-aws.ts';

export const AWS_ID = 'AWS_ACCESS_KEY_ID';
export const AWS_SECRET = 'AWS_SECRET_ACCESS_KEY';
export const AWS_SESSION = 'AWS_SESSION_TOKEN';

export interface Bucket {
  /** URL of the bucket, without a final slash. */
  url: string;
  region: string;
  /** The service for which requests are signed. Default `s3`. */
  service?: string;
}

/** Keys and their entity tags without quotes, of all objects below a prefix. */
export async function listObjects(api: DeployApi, bucket: Bucket, prefix: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const tokens = new Set<string>();
  let token: string | undefined;
  do {
    const query = {
      'list-type': '2',
      'encoding-type': 'url',
      prefix,
      ...optional({ 'continuation-token': token }),
    };
    const { body } = await sendAws(api, bucket, { method: 'GET', url: `${bucket.url}/`, query });
    const xml = Buffer.from(body).toString();
    if (!/<ListBucketResult[\s>]/.test(xml)) throw toolFailed('The service did not answer with a list of objects.');
    for (const [, content = ''] of xml.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
      const tag = readElement(content, 'ETag') ?? '';
      found.set(fromUrl(readElement(content, 'Key') ?? ''), tag.replaceAll('"', ''));
    }
    token = readElement(xml, 'IsTruncated') === 'true' ? readElement(xml, 'NextContinuationToken') : undefined;
    if (token !== undefined && tokens.has(token)) throw toolFailed('The list of objects of the service has no end.');
    if (token !== undefined) tokens.add(token);
  } while (token !== undefined);
  return found;
}

/** @throws KlausError `tool.failed` if the service stored other content. */
export async function putObject(
  api: DeployApi,
  bucket: Bucket,
  object: { key: string; type: string; md5: string; body: Uint8Array },
): Promise<void> {
  const { key, type, md5, body } = object;
  const request = { method: 'PUT', url: toObjectUrl(bucket, key), headers: { 'content-type': type }, body };
  const { headers } = await sendAws(api, bucket, request);
  const tag = headers['etag']?.replaceAll('"', '') ?? '';
  // With encryption by keys of KMS, the tag is no MD5.
  const isDigest = /^[0-9a-f]{32}$/.test(tag) && !headers['x-amz-server-side-encryption']?.startsWith('aws:kms');
  if (isDigest && tag !== md5) throw toolFailed(`The service stored other content for ${key}.`);
}

export async function deleteObject(api: DeployApi, bucket: Bucket, key: string): Promise<void> {
  await sendAws(api, bucket, { method: 'DELETE', url: toObjectUrl(bucket, key) });
}

/** Removes all files of a distribution from the caches. Each call creates an invalidation. */
export async function invalidate(api: DeployApi, url: string, distribution: string): Promise<void> {
  const body =
    '<?xml version="1.0" encoding="UTF-8"?>' +
    '<InvalidationBatch xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/">' +
    '<Paths><Quantity>1</Quantity><Items><Path>/*</Path></Items></Paths>' +
    `<CallerReference>klaus-${randomUUID()}</CallerReference></InvalidationBatch>`;
  const request = {
    method: 'POST',
    url: `${url}/2020-05-31/distribution/${distribution}/invalidation`,
    headers: { 'content-type': 'text/xml' },
    body,
  };
  await sendAws(api, { url, region: 'us-east-1', service: 'cloudfront' }, request);
}

/** Sends a signed request, and repeats it after errors that may pass. @param bucket With the URL of the service. */
async function sendAws(api: DeployApi, { url, region, service = 's3' }: Bucket, request: AwsRequest) {
  const session = api.hasSecret(AWS_SESSION) ? api.secret(AWS_SESSION, url) : undefined;
  const identity = { id: api.secret(AWS_ID, url), secret: api.secret(AWS_SECRET, url), region, service };
  const { method, body } = request;
  try {
    return await api.retry(() => {
      // The time of a signature must be that of the request.
      const signed = signAws(request, { ...identity, session }, new Date());
      return api.send({ method, ...signed, body });
    });
  } catch (error) {
    const failed = toFailedAnswer(error);
    const right =
      failed && (failed.headers['x-amz-bucket-region'] ?? readElement(Buffer.from(failed.body).toString(), 'Region'));
    if (right === undefined || right === region || !/^[a-z0-9-]+$/.test(right)) throw error;
    const hint = `Give the region ${right}, if the bucket is yours.`;
    throw toolFailed(`The bucket is in the region ${right}, not in ${region}.`, { hint, cause: error });
  }
}

function toObjectUrl({ url }: Bucket, key: string): string {
  return `${url}/${key.split('/').map(encodeAws).join('/')}`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#34': '"',
  '#39': "'",
};

function readElement(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replaceAll(/&(#?\w+);/g, (entity, word: string) => ENTITIES[word] ?? entity);
}

/** @throws KlausError `tool.failed` for a key that is not encoded as was asked for. */
function fromUrl(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch (cause) {
    throw toolFailed('The list of objects has a key that is not encoded.', { cause });
  }
}
