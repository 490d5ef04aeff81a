/** Headers of every response. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Otherwise a browser looks up the names in links of an answer before they are followed.
  'x-dns-prefetch-control': 'off',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // The page can dictate a message; the browser asks the user first.
  'permissions-policy': 'camera=(), microphone=(self), geolocation=(), payment=(), usb=()',
};

/** The policy of the service worker: it only fetches from the server. */
export const WORKER_POLICY = "default-src 'none'; connect-src 'self'";

/** The policy of the page: its own files, and styles with the nonce of this response. */
export function toContentPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    // Also limits where the content of a sandboxed frame can navigate it.
    "frame-src 'self'",
    "worker-src 'self' blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
