const isLittle = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

/** Two bytes as this machine reads them as one number of 16 bits. */
export function toPair(first: number, second: number): number {
  return isLittle ? first | (second << 8) : (first << 8) | second;
}

/** The bytes two at a time; a last one alone is left out. A view where that is possible. */
export function toPairs(bytes: Uint8Array): Uint16Array {
  const even = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice();
  return new Uint16Array(even.buffer, even.byteOffset, even.length >> 1);
}
