import { PromptEditor, type InlineScreen } from '../screen/index.ts';
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
  return composer;
}
