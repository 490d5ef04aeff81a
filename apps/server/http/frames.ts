import { randomBytes } from 'node:crypto';
import type { StaticAnswer } from './static-files.ts';

/** Without a network, without access to this server, and in no page but its own. */
const COMMON =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; frame-src 'none'; webrtc 'block'";
const STYLES = "style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:";
/** What the page has too is not for its frames. */
const NO_DEVICES =
  'camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=(), serial=(), hid=()';

interface Frame {
  policy: (nonce: string) => string;
  /** The function of the page that receives the first message of the parent. `nonce` is that of the response. */
  script?: string;
}

/**
 * Documents for content that is not trusted. The page shows them in sandboxed frames. Those with scripts have an origin of
 * their own and therefore no access to the page, to its cookie and to the server. The page sends the content as a message.
 */
const FRAMES: Readonly<Record<string, Frame>> = {
  /** Runs a program of the page, which it gets as a text: its policy allows no request, not even for that program. */
  '/frames/program': {
    policy: (nonce) =>
      `${COMMON}; sandbox allow-scripts; script-src 'nonce-${nonce}'; style-src 'unsafe-inline'; img-src data:`,
    script: `const script = document.createElement('script');
      script.nonce = nonce;
      script.textContent = data;
      document.head.append(script);`,
  },
  /** Empty: nothing runs in it. The page writes a document into it, and therefore shares its origin. */
  '/frames/static': { policy: () => `${COMMON}; sandbox allow-same-origin; ${STYLES}` },
  /**
   * Runs an HTML document, after the user agreed. No policy of all browsers covers WebRTC: scripts get its interfaces
   * again from a frame that they create, which no policy prevents either.
   */
  '/frames/document': {
    policy: () => `${COMMON}; sandbox allow-scripts; script-src 'unsafe-inline'; ${STYLES}`,
    script: `for (const name of Object.getOwnPropertyNames(globalThis)) if (/RTC/.test(name)) delete globalThis[name];
      document.open();
      document.write(data);
      document.close();`,
  },
};

/** The frame at a path; undefined if there is none. */
export function findFrame(path: string): StaticAnswer | undefined {
  if (!Object.hasOwn(FRAMES, path)) return undefined;
  const { policy, script } = FRAMES[path]!;
  const nonce = randomBytes(16).toString('base64');
  const body = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Klaus</title>
${script === undefined ? '' : toScript(nonce, script)}`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'x-dns-prefetch-control': 'off',
    'permissions-policy': NO_DEVICES,
    'content-security-policy': policy(nonce),
  };
  return { status: 200, headers, body };
}

function toScript(nonce: string, script: string): string {
  return `<script nonce="${nonce}">
  const receive = ({ source, data }) => {
    if (source !== parent || parent === window || typeof data !== 'string') return;
    removeEventListener('message', receive);
    const nonce = '${nonce}';
    ${script}
  };
  addEventListener('message', receive);
</script>
`;
}
