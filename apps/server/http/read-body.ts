import { Refusal } from './problem.ts';

/** The body of a request as JSON; an empty one is an empty object. @throws Refusal 413, 415, 400. */
export async function readBody(request: Request, maxBytes: number): Promise<unknown> {
  const tooLarge = (): Refusal =>
    new Refusal(413, 'too_large', {
      title: 'The request is too large.',
      detail: `The limit is ${Math.floor(maxBytes / 1_024 / 1_024)} MB. Put large files into the workspace and refer to their paths.`,
    });
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  if (size === 0) return {};
  // A form of a foreign page cannot set this content type.
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
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
