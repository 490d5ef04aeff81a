import type { CustomFetch } from 'openid-client';

/** Largest answer of a provider in bytes. */
const MAX_BYTES = 1_024 * 1_024;

/**
 * `fetch` for the requests to a provider. Redirects are not followed.
 *
 * @throws TypeError for an answer of more than 1 MiB, and as `fetch`.
 */
export const limitedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, { ...options, redirect: 'manual' } as RequestInit);
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES)
      throw new TypeError(`The answer of ${new URL(url).origin} is larger than ${MAX_BYTES} bytes.`);
    pieces.push(piece);
  }
  const hasBody = ![204, 205, 304].includes(response.status);
  const { status, headers } = response;
  return new Response(hasBody ? Buffer.concat(pieces) : null, { status, headers });
};
