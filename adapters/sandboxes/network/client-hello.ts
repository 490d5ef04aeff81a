/** What the first bytes of a connection show about TLS. */
export type Hello =
  | { kind: 'partial' }
  /** No TLS handshake, or none that can be read. */
  | { kind: 'other' }
  /** A complete ClientHello. */
  | { kind: 'hello'; serverName?: string };

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
/** Bytes; a ClientHello with post-quantum keys has about 2,000. */
export const MAX_HELLO = 65_536;

/**
 * Reads the server name (SNI) of a TLS ClientHello, which can be cut into several records.
 *
 * @param bytes The first bytes that a client sent.
 * @source RFC 8446, sections 4.1.2 and 5.1; RFC 6066, section 3
 */
export function readClientHello(bytes: Uint8Array): Hello {
  const fragments: Uint8Array[] = [];
  let at = 0;
  let length = 0;
  for (;;) {
    if (bytes.length > at && bytes[at] !== HANDSHAKE) return { kind: 'other' };
    // Every version has the major number 3.
    if (bytes.length > at + 1 && bytes[at + 1] !== 3) return { kind: 'other' };
    if (bytes.length < at + 5) return { kind: 'partial' };
    const end = at + 5 + read16(bytes, at + 3);
    if (end === at + 5) return { kind: 'other' };
    const fragment = bytes.subarray(at + 5, end);
    fragments.push(fragment);
    length += fragment.length;
    const message = fragments.length === 1 ? fragments[0]! : Buffer.concat(fragments);
    if (message[0] !== CLIENT_HELLO && message.length > 0) return { kind: 'other' };
    if (message.length >= 4) {
      const size = (message[1]! << 16) | read16(message, 2);
      if (size > MAX_HELLO) return { kind: 'other' };
      if (message.length >= 4 + size) return readServerName(message.subarray(4, 4 + size));
    }
    if (bytes.length < end) return { kind: 'partial' };
    at = end;
    if (length > MAX_HELLO) return { kind: 'other' };
  }
}

/** @param body The ClientHello without its header. */
function readServerName(body: Uint8Array): Hello {
  // Version and random.
  let at = 34;
  at += 1 + (body[at] ?? 0);
  at += 2 + read16(body, at);
  at += 1 + (body[at] ?? 0);
  if (at === body.length) return { kind: 'hello' };
  const end = at + 2 + read16(body, at);
  if (end !== body.length) return { kind: 'other' };
  at += 2;
  const names: string[] = [];
  while (at + 4 <= end) {
    const [type, size] = [read16(body, at), read16(body, at + 2)];
    const data = body.subarray(at + 4, at + 4 + size);
    at += 4 + size;
    if (at > end) return { kind: 'other' };
    if (type !== SERVER_NAME) continue;
    const name = toHostName(data);
    if (name === undefined) return { kind: 'other' };
    names.push(name);
  }
  if (at !== end || names.length > 1) return { kind: 'other' };
  return names.length === 0 ? { kind: 'hello' } : { kind: 'hello', serverName: names[0]! };
}

/** The only name of the list; undefined for any other list. */
function toHostName(data: Uint8Array): string | undefined {
  if (data.length < 5 || read16(data, 0) !== data.length - 2 || data[2] !== HOST_NAME) return undefined;
  if (read16(data, 3) !== data.length - 5) return undefined;
  return Buffer.from(data.subarray(5)).toString('latin1').toLowerCase();
}

/** 0 where the bytes end before. */
function read16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
