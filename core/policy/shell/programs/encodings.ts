/** Decodes base64, plain or url-safe; undefined for other text. */
export function fromBase64(text: string): string | undefined {
  try {
    return fromBytes(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Decodes pairs of hexadecimal digits, ignoring white space; undefined for other text. */
export function fromHex(text: string): string | undefined {
  const digits = text.replace(/\s+/g, '');
  if (!/^(?:[0-9a-f]{2})+$/i.test(digits)) return undefined;
  return fromBytes(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function fromBytes(items: Iterable<string>, toByte: (item: string) => number): string {
  return new TextDecoder().decode(Uint8Array.from(items, toByte));
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
};

/** Reads the escapes of `printf` and `echo -e`: `\n`, `\x2e`, `\056`, `\0056`, `\u002e`. */
export function unescape(text: string): string {
  return text.replace(
    /\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0[0-7]{1,3}|[0-7]{1,3}|[ntrabfveE\\'"?])/g,
    (escape) => {
      const kind = escape[1] ?? '';
      if (/[0-7]/.test(kind)) return String.fromCharCode(Number.parseInt(escape.slice(1), 8) & 0xff);
      if (escape.length === 2) return SIMPLE[kind] ?? kind;
      const code = Number.parseInt(escape.slice(2), 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : escape;
    },
  );
}
