import type { MarkdownTheme } from '../screen/index.ts';
import { createHighlighter, type Highlighter } from '../style/highlighter.ts';
import { toMarkdownTheme } from '../style/markdown-style.ts';
import { createPalette, type Palette, type Theme } from '../style/palette.ts';

/** How entries look. */
export interface ViewStyle {
  readonly palette: Palette;
  readonly markdown: MarkdownTheme;
  readonly highlighter: Highlighter;
  readonly theme: Theme;
  /** True: thinking is shown completely, not as one line. */
  showThinking: boolean;
  setTheme(theme: Theme): void;
}

/** @param hasAllColours Of the terminal: 24 bits of colour. */
export function createViewStyle(first: Theme, hasAllColours = false): ViewStyle {
  let theme = first;
  let palette = createPalette(theme, hasAllColours);
  const highlighter = createHighlighter(() => palette);
  let markdown = toMarkdownTheme(palette, highlighter);
  return {
    get palette() {
      return palette;
    },
    get markdown() {
      return markdown;
    },
    get theme() {
      return theme;
    },
    highlighter,
    showThinking: false,
    setTheme(next) {
      theme = next;
      palette = createPalette(theme, hasAllColours);
      markdown = toMarkdownTheme(palette, highlighter);
    },
  };
}

/** The same with code in one colour: its rows are the same, and take less time. */
export function withoutColours(style: ViewStyle): ViewStyle {
  const { highlightCode: _, ...markdown } = style.markdown;
  return { ...style, markdown };
}
