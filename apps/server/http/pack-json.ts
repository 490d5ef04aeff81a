import { gzipSync } from 'node:zlib';

/** Bytes of text from which compression saves more than it costs, and up to which it holds the server for few ms. */
const WORTH = { from: 2_000, to: 500_000 };

export interface PackedJson {
  headers: Record<string, string | number>;
  body: string | Buffer;
}

/** The body of a JSON answer, with gzip if the client accepts it and the size makes it worthwhile. */
export function packJson(value: unknown, encodings = ''): PackedJson {
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  const type = { 'content-type': 'application/json' };
  if (bytes < WORTH.from || bytes > WORTH.to || !/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(encodings)) {
    return { headers: { ...type, 'content-length': bytes }, body: text };
  }
  const body = gzipSync(text, { level: 6 });
  return { headers: { ...type, 'content-encoding': 'gzip', 'content-length': body.length }, body };
}
