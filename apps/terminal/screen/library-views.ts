import { Image as LibraryImage, Markdown as LibraryMarkdown, type MarkdownTheme } from '@earendil-works/pi-tui';
import { seal, sealLinks, toSafeText } from './safe-line.ts';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Kitty, iTerm2: what their images begin with, after a movement of the cursor. */
const IMAGE = /^(?:\u001b\[\d+A)?\u001b(?:_G|\]1337;File=)/;

/** The lines of a Markdown text. Only its own links become links. */
export function renderMarkdown(text: string, width: number, theme: MarkdownTheme): string[] {
  const lines = new LibraryMarkdown(toSafeText(text).trimEnd(), 0, 0, theme).render(Math.max(1, width));
  return lines.map(sealLinks);
}

/** The lines of an image in a terminal with the protocol of Kitty or iTerm2, else one line about it. */
export function renderImage(
  { data, mediaType }: { data: string; mediaType: string },
  width: number,
  {
    fallbackColor,
    ...size
  }: { fallbackColor: (text: string) => string; maxWidthCells: number; maxHeightCells: number },
): string[] {
  const isImage = BASE64.test(data);
  const image = new LibraryImage(isImage ? data : '', toSafeText(mediaType), { fallbackColor }, size);
  return image.render(width).map((line) => (isImage && IMAGE.test(line) ? seal(line) : line));
}
