import type { ModelEntry, UserEntry } from '@klaus/sdk/conversation';
import { formatCount } from '@klaus/sdk/transcript';
import { renderImage, renderMarkdown } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import type { ViewStyle } from './view-style.ts';
import { toSafe, wrap } from './wrap.ts';

const INDENT = '  ';

/** Lines of a message of the user that are shown. */
const MAX_USER_LINES = 40;
const MAX_IMAGE_COLUMNS = 60;
const MAX_IMAGE_ROWS = 15;

type UserImage = UserEntry['images'][number];

/** The lines of an image that was drawn for this terminal before; undefined if it was not. */
export type TakeImage = (image: UserImage, indent: number) => string[] | undefined;

export function toUserLines(
  entry: UserEntry,
  width: number,
  { style: { palette }, takeImage }: { style: ViewStyle; takeImage?: TakeImage },
): string[] {
  const mark = palette.accent(entry.steered ? '» ' : '› ');
  const lines = wrap(palette.user(toSafe(entry.text)), width, { first: mark, rest: INDENT, indent: 2 });
  const shown = lines.slice(0, MAX_USER_LINES);
  const hidden = lines.length - shown.length;
  const images = entry.images.flatMap(
    (image) => takeImage?.(image, INDENT.length) ?? toImageLines(image, width, palette),
  );
  return [
    ...shown,
    ...(hidden > 0 ? [palette.muted(`${INDENT}… ${formatCount(hidden)} more lines`)] : []),
    ...entry.files.map(({ name }) => palette.muted(`${INDENT}+ ${toSafe(name)}`)),
    ...images,
  ];
}

/** The cells that an image can use. */
export function toImageBounds(width: number): { columns: number; rows: number } {
  return { columns: Math.max(1, Math.min(MAX_IMAGE_COLUMNS, width - INDENT.length)), rows: MAX_IMAGE_ROWS };
}

/** The image itself in a terminal with the protocol of Kitty or iTerm2, else a line about it. */
function toImageLines(image: UserImage, width: number, { muted }: Palette): string[] {
  const { columns, rows } = toImageBounds(width);
  const options = { fallbackColor: muted, maxWidthCells: columns, maxHeightCells: rows };
  return renderImage(image, width, options).map((line) => `${INDENT}${line}`.trimEnd());
}

/** One part of an answer. @param isFirst True for the part with which the answer begins. */
export function toPartLines(text: string, isFirst: boolean, { width, style }: { width: number; style: ViewStyle }) {
  if (text.trim() === '') return [];
  const lines = renderMarkdown(toSafe(text), width - INDENT.length, style.markdown);
  const mark = style.palette.accent('● ');
  return lines.map((line, index) => (index === 0 && isFirst ? `${mark}${line}` : `${INDENT}${line}`).trimEnd());
}

/** The thinking of a message: one line, or all of it. */
export function toThinkingLines(thinking: ModelEntry['thinking'], width: number, style: ViewStyle): string[] {
  if (thinking.trim() === '') return [];
  const { palette } = style;
  if (!style.showThinking) {
    const words = thinking.trim().split(/\s+/).length;
    return [palette.muted(`∴ Thought, ${formatCount(words)} ${words === 1 ? 'word' : 'words'}`)];
  }
  return wrap(toSafe(thinking.trim()), width, { first: '∴ ', rest: INDENT, indent: 2 }).map(palette.muted);
}
