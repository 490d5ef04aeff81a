/** The media type of an image or a PDF document by its content; undefined for everything else. */
export function sniffShown(content: Uint8Array): string | undefined {
  const head = Buffer.from(content.subarray(0, 1_024)).toString('latin1');
  if (head.startsWith('\u0089PNG\r\n\u001A\n')) return 'image/png';
  if (head.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (/^RIFF[\s\S]{4}WEBP/.test(head)) return 'image/webp';
  if (/^[\s\S]{4}ftypavi[fs]/.test(head)) return 'image/avif';
  if (head.startsWith('%PDF-')) return 'application/pdf';
  // Comments, a declaration and a document type may come before the element.
  const isSvg = /^(?:\u00EF\u00BB\u00BF)?\s*(?:<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*|<!DOCTYPE svg[^>]*>\s*)*<svg[\s>]/i;
  return isSvg.test(head) ? 'image/svg+xml' : undefined;
}
