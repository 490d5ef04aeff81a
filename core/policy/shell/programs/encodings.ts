const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const encoder = new TextEncoder();

/** Decodes base64, plain or url-safe; undefined for other text. */
export function fromBase64(text: string): string | undefined {
  return fromBits(text.replaceAll('-', '+').replaceAll('_', '/'), BASE64, 6);
}

/** Decodes base32; undefined for other text. */
export function fromBase32(text: string): string | undefined {
  return fromBits(text, BASE32, 5);
}

function fromBits(text: string, alphabet: string, width: number): string | undefined {
  const bytes: number[] = [];
  let bits = 0;
  let count = 0;
  for (const char of text) {
    if (/\s/.test(char)) continue;
    if (char === '=') break;
    const value = alphabet.indexOf(char);
    if (value < 0) return undefined;
    bits = ((bits << width) | value) & 0xffff;
    count += width;
    if (count < 8) continue;
    count -= 8;
    bytes.push((bits >> count) & 0xff);
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Encodes as base64, without line breaks. */
export function toBase64(text: string): string {
  const bytes = encoder.encode(text);
  let out = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(at, at + 3);
    const bits = (a << 16) | (b << 8) | c;
    const left = bytes.length - at;
    for (let index = 0; index < 4; index++) {
      out += index > left ? '=' : BASE64[(bits >> (18 - 6 * index)) & 63];
    }
  }
  return out;
}

/** Decodes hexadecimal digits, with anything between them left out; undefined when there are none. */
export function fromHex(text: string): string | undefined {
  const digits = text.replace(/\s+|\\x|0x/g, '');
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  return new TextDecoder().decode(bytes);
}

/** Encodes as lower-case hexadecimal digits. */
export function toHex(text: string): string {
  return [...encoder.encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const SIMPLE: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001B',
  E: '\u001B',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

/** Reads the escapes of `printf` and `echo -e`: `\n`, `\x2e`, `\056`, `\0056`, `\u002e`. */
export function unescape(text: string): string {
  return text.replace(
    /\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0[0-7]{1,3}|[0-7]{1,3}|[ntrabfveE\\'"?])/g,
    (escape) => {
      const kind = escape[1] ?? '';
      if (/[0-7]/.test(kind)) return String.fromCharCode(Number.parseInt(escape.slice(1), 8) & 0xff);
      if (escape.length === 2) return SIMPLE[kind] ?? escape;
      const code = Number.parseInt(escape.slice(2), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
    },
  );
}
