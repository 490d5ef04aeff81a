import type { ModelEntry, UserEntry } from '@klaus/sdk/conversation';
import { formatCount } from '@klaus/sdk/transcript';
import { Markdown } from '../screen/index.ts';
import type { ViewStyle } from './view-style.ts';
import { toSafe, wrap } from './wrap.ts';

const INDENT = '  ';

/** Lines of a message of the user that are shown. */
const MAX_USER_LINES = 40;

export function toUserLines(entry: UserEntry, width: number, { palette }: ViewStyle): string[] {
  const mark = palette.accent(entry.steered ? '» ' : '› ');
  const lines = wrap(palette.user(toSafe(entry.text)), width, { first: mark, rest: INDENT, indent: 2 });
  const shown = lines.slice(0, MAX_USER_LINES);
  const hidden = lines.length - shown.length;
  const attached = [...entry.files.map(({ name }) => name), ...entry.images.map(({ mediaType }) => mediaType)];
  return [
    ...shown,
    ...(hidden > 0 ? [palette.muted(`${INDENT}… ${formatCount(hidden)} more lines`)] : []),
    ...attached.map((name) => palette.muted(`${INDENT}+ ${toSafe(name)}`)),
  ];
}

/** One part of an answer. @param isFirst True for the part with which the answer begins. */
export function toPartLines(text: string, isFirst: boolean, { width, style }: { width: number; style: ViewStyle }) {
  if (text.trim() === '') return [];
  const markdown = new Markdown(toSafe(text).trimEnd(), 0, 0, style.markdown);
  const lines = markdown.render(Math.max(1, width - INDENT.length));
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
