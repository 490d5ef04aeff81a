import type { MarkdownTheme } from '../screen/index.ts';
import type { Highlighter } from './highlighter.ts';
import type { Palette } from './palette.ts';

const FENCE = '```';

export function toMarkdownTheme(palette: Palette, highlighter: Highlighter): MarkdownTheme {
  return {
    heading: palette.heading,
    link: palette.link,
    linkUrl: palette.muted,
    code: palette.code,
    codeBlock: (text) => text,
    codeBlockBorder: (fence) => toCodeRule(fence.slice(FENCE.length), palette),
    quote: palette.quote,
    quoteBorder: palette.border,
    hr: palette.border,
    listBullet: palette.accent,
    bold: palette.strong,
    italic: (text) => palette.sgr('3', text),
    strikethrough: (text) => palette.sgr('9', text),
    underline: (text) => palette.sgr('4', text),
    highlightCode: (code, language) => highlighter.highlight(code, language ?? ''),
    codeBlockIndent: '  ',
  };
}

/** The row above or below a block of code. It is never empty, because rows of code that is streamed are counted. */
function toCodeRule(language: string, { border, muted }: Palette): string {
  return language === '' ? border('──') : `${border('──')} ${muted(language)}`;
}
