/**
 * The name of a file, or a text with such names, whose bytes need not be UTF-8: others are shown like `\xff`. The same form
 * in lists, searches, results of git and what undo does not cover.
 */
export function showName(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (!text.includes('\uFFFD')) return text;
  let name = '';
  for (let at = 0; at < bytes.length;) {
    const begin = at;
    while (at < bytes.length && bytes[at]! < 0x80) at++;
    if (at > begin) {
      name += new TextDecoder().decode(bytes.subarray(begin, at));
      continue;
    }
    const found = readCharacter(bytes, at);
    name += found?.char ?? `\\x${bytes[at]!.toString(16).padStart(2, '0')}`;
    at += found?.size ?? 1;
  }
  return name;
}

function readCharacter(bytes: Uint8Array, at: number): { char: string; size: number } | undefined {
  const first = bytes[at]!;
  const size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  try {
    const char = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.slice(at, at + size));
    return Array.from(char).length === 1 ? { char, size } : undefined;
  } catch {
    return undefined;
  }
}
