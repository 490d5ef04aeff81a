import type { IncomingMessage } from 'node:http';
import { Refusal } from './problem.ts';

/** The body of a request as JSON; an empty one is an empty object. @throws Refusal 413, 415, 400. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const tooLarge = (): Refusal =>
    new Refusal(413, 'too_large', {
      title: 'The request is too large.',
      detail: `The limit is ${Math.floor(maxBytes / 1_024 / 1_024)} MB. Put large files into the workspace and refer to their paths.`,
    });
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  // The connection is needed for the answer to a body that is not read to its end.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  if (size === 0) return {};
  // A form of a foreign page cannot set this content type.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal(415, 'unsupported_media', {
      title: 'The content type of the body is not JSON.',
      detail: 'Send `Content-Type: application/json`.',
    });
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new Refusal(400, 'usage', { title: 'The body is not valid JSON.' });
  }
}
