import { toImageSize, toImageType, type ImageType } from '@klaus/adapters/image-head';
import type { WebResponse } from '@klaus/core/agent';
import type { ImagePart } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';
import { toMarkdown } from './to-markdown.ts';

/** Maximum bytes of HTML that are converted. */
const MAX_HTML = 2_000_000;

/** Maximum pages of a PDF. */
const MAX_PAGES = 300;

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|x-ndjson|toml)$)/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)$/;

const OTHER = 'application/octet-stream';

/** Maximum bytes of an image: as Base64, providers accept 5 MB. */
const MAX_IMAGE = 3_750_000;
/** Maximum pixels of a side, as providers accept them, and of an image. */
const MAX_SIDE = 8_000;
const MAX_PIXELS = 20_000_000;

/** The text of a response, and notes about what is missing. */
export interface ReadBody {
  text: string;
  /** Media type, lower case, without parameters. */
  type: string;
  notes: string[];
  image?: ImagePart;
}

/**
 * Reads HTML as Markdown, PDF as text, other text as it is, and images.
 *
 * @param url The address of the response.
 * @throws KlausError `tool.failed` for any other type and for content that cannot be read.
 */
export async function readBody({ headers, body, isTruncated }: WebResponse, url: string): Promise<ReadBody> {
  const given = headers['content-type'] ?? '';
  const type = toType(given, body);
  const notes = isTruncated ? [`only the first ${body.length} bytes were read`] : [];
  if (type === 'application/pdf') {
    if (isTruncated) throw toolFailed(`The PDF is larger than ${body.length} bytes.`);
    const { text, pages } = await readPdf(body);
    if (pages > MAX_PAGES) notes.push(`only the first ${MAX_PAGES} of ${pages} pages were read`);
    return { text, type, notes };
  }
  const imageType = toImageType(body);
  if (imageType && (type.startsWith('image/') || type === OTHER)) {
    return { ...readImage(body, imageType, isTruncated), type: imageType, notes: [] };
  }
  if (!TEXT.test(type) && !HTML.test(type)) {
    const size = isTruncated ? `more than ${body.length}` : String(body.length);
    throw toolFailed(
      `The type ${type} is not supported (${size} bytes). HTML, PDF, text, and images of PNG, JPEG, GIF and WebP are.`,
    );
  }
  const isHtml = HTML.test(type);
  if (isHtml && body.length > MAX_HTML) notes.push(`only the first ${MAX_HTML} bytes of HTML were converted`);
  const text = decode(isHtml ? body.subarray(0, MAX_HTML) : body, { given, isHtml });
  return { text: isHtml ? await toMarkdown(text, url) : text, type, notes };
}

/** The type of the header. A missing or general one is detected. The header comes from the server, so it is checked. */
function toType(given: string, body: Uint8Array): string {
  const [type = ''] = given.toLowerCase().split(';');
  const name = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(type.trim()) ? type.trim() : '';
  if (name !== '' && name !== OTHER) return name;
  const head = new TextDecoder('latin1').decode(body.subarray(0, 512));
  if (head.startsWith('%PDF-')) return 'application/pdf';
  if (/^\s*<(?:!doctype html|html)/i.test(head)) return 'text/html';
  return head.includes('\0') || name !== '' ? OTHER : 'text/plain';
}

/** Decodes by byte order mark, header, and `<meta charset>`; UTF-8 otherwise. */
function decode(bytes: Uint8Array, { given, isHtml }: { given: string; isHtml: boolean }): string {
  const head = isHtml ? new TextDecoder('latin1').decode(bytes.subarray(0, 2_048)) : '';
  const label =
    toMark(bytes) ??
    /charset=["']?([\w:.-]+)/i.exec(given)?.[1] ??
    /<meta[^>]{0,200}charset=["']?([\w:.-]+)/i.exec(head)?.[1] ??
    'utf-8';
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function toMark([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
}

/** @throws KlausError `tool.failed` for an image that a provider would reject. */
function readImage(body: Uint8Array, type: ImageType, isTruncated: boolean): { text: string; image: ImagePart } {
  if (isTruncated || body.length > MAX_IMAGE) {
    throw toolFailed(`The image is larger than ${MAX_IMAGE} bytes.`);
  }
  const size = toImageSize(body, type);
  if (!size) throw toolFailed('The image is damaged: its size cannot be read.');
  const { width, height } = size;
  if (Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS) {
    throw toolFailed(
      `The image has ${width} × ${height} pixels; at most ${MAX_SIDE} for a side and ${MAX_PIXELS} together are supported.`,
    );
  }
  const data = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
  return { text: `[image of ${width} × ${height} pixels]`, image: { type: 'image', mediaType: type, data } };
}

async function readPdf(body: Uint8Array): Promise<{ text: string; pages: number }> {
  const { getDocumentProxy } = await import('unpdf');
  try {
    // The library takes the buffer over.
    const pdf = await getDocumentProxy(Uint8Array.from(body), { verbosity: 0 });
    try {
      const parts: string[] = [];
      for (let at = 1; at <= Math.min(pdf.numPages, MAX_PAGES); at++) {
        const { items } = await (await pdf.getPage(at)).getTextContent();
        const lines = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''));
        parts.push(`[page ${at}]\n${lines.join('').trim()}`);
      }
      return { text: parts.join('\n\n'), pages: pdf.numPages };
    } finally {
      await pdf.loadingTask.destroy();
    }
  } catch (cause) {
    throw toolFailed('The PDF cannot be read.', { cause });
  }
}
