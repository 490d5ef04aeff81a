/**
 * The forms that a shell gives a value in one step, each reduced to lower-case letters and digits, as
 * {@link toSqueezed} does: that one form then covers every way to wrap, space, quote or escape it, and for
 * the characters in which variants of Base64 differ. What went through a compressor or a cipher has no such form.
 */
export function toEncodedForms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  const forms = new Set<string>();
  const add = (text: string): void => {
    const form = toSqueezed(text);
    if (form.length >= SHORTEST_FORM) forms.add(form);
  };
  // Three bytes make four characters of Base64, five make eight of Base32: the bytes before shift it.
  for (let shift = 0; shift < 3; shift++) add(toBase(bytes, { shift, bits: 6, alphabet: BASE64 }));
  for (let shift = 0; shift < 5; shift++) add(toBase(bytes, { shift, bits: 5, alphabet: BASE32 }));
  add(each(bytes, (byte) => byte.toString(16).padStart(2, '0')));
  add(each(bytes, (byte) => byte.toString(8).padStart(3, '0')));
  add(each(bytes, (byte) => byte.toString(2).padStart(8, '0')));
  add(each(bytes, String));
  add(each(bytes, (byte) => `x${byte.toString(16).padStart(2, '0')}`));
  add(each(bytes, (byte) => `0x${byte.toString(16).padStart(2, '0')}`));
  add(each(bytes, (byte) => `u00${byte.toString(16).padStart(2, '0')}`));
  // Two bytes as one number with the second first, as hexdump and od do unasked.
  for (const from of [0, 1]) {
    add(eachPair(bytes, from, (word) => word.toString(16).padStart(4, '0')));
    add(eachPair(bytes, from, (word) => word.toString(8).padStart(6, '0')));
  }
  add(Array.from(value).reverse().join(''));
  add(value.replaceAll(/[a-z]/gi, (letter) => rotate(letter)));
  if (value.isWellFormed()) add(encodeURIComponent(value));
  add(JSON.stringify(value).slice(1, -1));
  add(value.replaceAll(/[&<>"']/g, (mark) => MARKUP[mark] ?? mark));
  forms.delete(toSqueezed(value));
  return [...forms];
}

/** Shorter ones hit ordinary text. */
const SHORTEST_FORM = 8;
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** ASCII letters and digits alone, in lower case. */
export function toSqueezed(text: string): string {
  return text.replaceAll(/[^0-9A-Za-z]+/g, '').toLowerCase();
}

/** The characters that depend on these bytes alone, with `shift` other bytes before them. */
function toBase(bytes: Uint8Array, how: { shift: number; bits: number; alphabet: string }): string {
  const { shift, bits, alphabet } = how;
  let out = '';
  for (let bit = Math.ceil((shift * 8) / bits) * bits - shift * 8; bit + bits <= bytes.length * 8; bit += bits) {
    const at = bit >> 3;
    const word = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
    out += alphabet[(word >> (16 - bits - (bit & 7))) & ((1 << bits) - 1)] ?? '';
  }
  return out;
}

function each(bytes: Uint8Array, toText: (byte: number) => string): string {
  return Array.from(bytes, toText).join('');
}

function eachPair(bytes: Uint8Array, from: number, toText: (word: number) => string): string {
  let out = '';
  for (let at = from; at + 1 < bytes.length; at += 2) out += toText(bytes[at]! | (bytes[at + 1]! << 8));
  return out;
}

function rotate(letter: string): string {
  const unit = letter.charCodeAt(0);
  const base = unit < 97 ? 65 : 97;
  return String.fromCharCode(((unit - base + 13) % 26) + base);
}
