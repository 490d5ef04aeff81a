import { PromptEditor, type InlineScreen } from '../screen/index.ts';
import { toRule } from '../style/rule.ts';
import type { ViewStyle } from '../view/view-style.ts';

const MAX_COMPLETIONS = 8;

/** The input at the bottom of the terminal. */
export function createComposer(screen: InlineScreen, style: ViewStyle): PromptEditor {
  const accent = (text: string): string => style.palette.accent(text);
  const muted = (text: string): string => style.palette.muted(text);
  const composer = new PromptEditor(
    screen,
    {
      borderColor: (text) => style.palette.border(text),
      selectList: {
        selectedPrefix: accent,
        selectedText: accent,
        description: muted,
        scrollInfo: muted,
        noMatch: muted,
      },
    },
    { autocompleteMaxVisible: MAX_COMPLETIONS },
  );
  composer.mark = accent('› ');
  composer.border = (width, side, hidden) => toInputBorder(width, style, { side, hidden });
  return composer;
}

/** A line above or below the input. @param given.left Printable, may contain colours. Default: none. */
export function toInputBorder(
  width: number,
  { palette }: ViewStyle,
  { side, hidden, left = '' }: { side: 'top' | 'bottom'; hidden: number; left?: string },
): string {
  const right = hidden === 0 ? '' : palette.muted(`${side === 'top' ? '↑' : '↓'} ${hidden} more`);
  return toRule(width, palette.border, { left, right });
}
