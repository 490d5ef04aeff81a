import { createHash, createHmac } from 'node:crypto';

export interface AwsRequest {
  method: string;
  /** The path is encoded with {@link encodeAws}, the query has plain values. */
  url: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
}

export interface AwsIdentity {
  id: string;
  secret: string;
  session?: string;
  region: string;
  /** Such as `s3`. */
  service: string;
}

/**
 * Signs a request with Signature Version 4, in its headers.
 *
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 *
 * @returns The complete URL, and all headers except `host`.
 */
export function signAws(
  { method, url, query = {}, headers = {}, body = '' }: AwsRequest,
  { id, secret, session, region, service }: AwsIdentity,
  now: Date,
): { url: string; headers: Record<string, string> } {
  const time = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const { host, pathname, origin } = new URL(url);
  const search = Object.entries(query)
    .map(([name, value]) => `${encodeAws(name)}=${encodeAws(value)}`)
    .sort()
    .join('&');
  const sent: Record<string, string> = {
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()])),
    'x-amz-content-sha256': sha256(body),
    'x-amz-date': time,
    ...(session === undefined ? {} : { 'x-amz-security-token': session }),
  };
  const signed = Object.entries({ ...sent, host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    pathname,
    search,
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sent['x-amz-content-sha256'],
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  const signature = hmac(key, text).toString('hex');
  sent['authorization'] = `AWS4-HMAC-SHA256 Credential=${id}/${scope},SignedHeaders=${names},Signature=${signature}`;
  return { url: `${origin}${pathname}${search === '' ? '' : `?${search}`}`, headers: sent };
}

/** Encodes every character except letters, digits, `-`, `.`, `_` and `~`. */
export function encodeAws(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
