/** Kinds of images that models accept. */
export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

const SIGNATURES: readonly { type: ImageType; at: number; bytes: string }[] = [
  { type: 'image/png', at: 0, bytes: '\u0089PNG\r\n\u001a\n' },
  { type: 'image/jpeg', at: 0, bytes: '\u00ff\u00d8\u00ff' },
  { type: 'image/gif', at: 0, bytes: 'GIF8' },
  { type: 'image/webp', at: 8, bytes: 'WEBP' },
];

/** The kind of an image by its first bytes; undefined for anything else. */
export function toImageType(bytes: Uint8Array): ImageType | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return SIGNATURES.find((signature) => head.startsWith(signature.bytes, signature.at))?.type;
}

export interface ImageSize {
  /** Pixels. */
  width: number;
  height: number;
}

/** The size in the header of an image, without decoding it; undefined if there is none. */
export function toImageSize(bytes: Uint8Array, type: ImageType): ImageSize | undefined {
  if (bytes.length < 16) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const { width, height } = READERS[type](view);
    return width > 0 && height > 0 ? { width, height } : undefined;
  } catch (error) {
    // The header ends early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const READERS: Readonly<Record<ImageType, (view: DataView) => ImageSize>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
};

/** Reads the frame header (SOF), which follows other segments. */
function readJpeg(view: DataView): ImageSize {
  let at = 2;
  for (;;) {
    while (view.getUint8(at) === 0xff) at++;
    const marker = view.getUint8(at);
    // C4, C8 and CC are no frames.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { height: view.getUint16(at + 4), width: view.getUint16(at + 6) };
    }
    at += 1 + Math.max(2, view.getUint16(at + 1));
  }
}

/** @source https://developers.google.com/speed/webp/docs/riff_container */
function readWebp(view: DataView): ImageSize {
  const chunk = String.fromCharCode(...[12, 13, 14, 15].map((at) => view.getUint8(at)));
  const readUint24 = (at: number): number => view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
  if (chunk === 'VP8X') return { width: readUint24(24) + 1, height: readUint24(27) + 1 };
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (chunk !== 'VP8L') return { width: 0, height: 0 };
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}
