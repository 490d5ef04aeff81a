import { createHash } from 'node:crypto';
import { startService, type Service, type ServiceAnswer, type ServiceRequest } from './service.ts';

export interface S3Service extends Service {
  /** Content of the objects by key. */
  site(): Record<string, string>;
  /** Media types of the objects by key. */
  types(): Record<string, string>;
  put(key: string, content: string): void;
  /** Numbers of changes of the bucket before each invalidation. */
  invalidations(): readonly number[];
  changes(): number;
}

export const BUCKET = 'example-bucket';
export const AWS_KEYS = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLEEXAMPLE', AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPx' };

/** Keys in one page of a list. */
const PAGE = 2;

const toMd5 = (body: Buffer): string => createHash('md5').update(body).digest('hex');
const toXml = (text: string): string => `<?xml version="1.0" encoding="UTF-8"?>\n${text}`;

/** One bucket and CloudFront, as in the API references of Amazon S3 and CloudFront. */
export async function startS3(): Promise<S3Service> {
  const objects = new Map<string, { body: Buffer; type: string }>();
  const invalidations: number[] = [];
  let changes = 0;
  const list = (query: URLSearchParams): ServiceAnswer => {
    const prefix = query.get('prefix') ?? '';
    const after = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, PAGE);
    const rows = page.map((key) => {
      const encoded = encodeURIComponent(key).replaceAll('%2F', '/').replaceAll('%20', '+');
      return `<Contents><Key>${encoded}</Key><ETag>&quot;${toMd5(objects.get(key)!.body)}&quot;</ETag></Contents>`;
    });
    const isCut = keys.length > PAGE;
    const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    const body = `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${isCut}</IsTruncated>${rows.join('')}${next}</ListBucketResult>`;
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: toXml(body) };
  };
  const answer = ({ method, path, query, headers, body }: ServiceRequest): ServiceAnswer => {
    const isSigned = headers['authorization']?.startsWith(`AWS4-HMAC-SHA256 Credential=${AWS_KEYS.AWS_ACCESS_KEY_ID}/`);
    if (!isSigned || headers['x-amz-content-sha256'] !== createHash('sha256').update(body).digest('hex'))
      return { status: 403, body: toXml('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>') };
    if (method === 'POST' && /^\/2020-05-31\/distribution\/[A-Z0-9]+\/invalidation$/.test(path)) {
      if (!/<CallerReference>[^<]+<\/CallerReference>/.test(body.toString())) return { status: 400 };
      invalidations.push(changes);
      return {
        status: 201,
        body: toXml('<Invalidation><Id>I2J0I21PCUYOIK</Id><Status>InProgress</Status></Invalidation>'),
      };
    }
    const [, bucket, key = ''] = /^\/([^/]+)\/(.*)$/.exec(path) ?? [];
    if (bucket !== BUCKET) return { status: 404, body: toXml('<Error><Code>NoSuchBucket</Code></Error>') };
    if (method === 'GET' && key === '') return list(query);
    const name = decodeURIComponent(key);
    changes += 1;
    if (method === 'DELETE') {
      objects.delete(name);
      return { status: 204 };
    }
    objects.set(name, { body, type: headers['content-type'] ?? '' });
    return { status: 200, headers: { etag: `"${toMd5(body)}"` } };
  };
  return Object.assign(await startService(answer), {
    site: () => Object.fromEntries([...objects].map(([key, { body }]) => [key, body.toString()])),
    types: () => Object.fromEntries([...objects].map(([key, { type }]) => [key, type])),
    put: (key: string, content: string) => void objects.set(key, { body: Buffer.from(content), type: '' }),
    invalidations: () => invalidations,
    changes: () => changes,
  });
}
