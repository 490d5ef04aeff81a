import type { Token, Tokens } from 'marked';
import { toBlocks } from '../markdown/blocks.ts';
import { lex, type DetailsToken, type MathToken, type NoteToken } from '../markdown/parser.ts';

/**
 * The text of Markdown as it is shown, without its syntax. Blocks, cells and items are separated by line feeds. Formulas
 * are their source.
 */
export function toShownText(markdown: string): string {
  return toBlocks(markdown)
    .map((block) => toText(lex(block)))
    .join('\n');
}

function toText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(toOne).join('');
}

const toLines = (parts: readonly string[]) => parts.map((part) => `${part}\n`).join('');

function toOne(token: Token): string {
  switch (token.type) {
    case 'heading':
    case 'paragraph':
      return `${toText(token.tokens)}\n`;
    case 'code':
    case 'codespan':
    case 'math':
      return (token as Tokens.Code | Tokens.Codespan | MathToken).text;
    case 'list':
      return toLines((token as Tokens.List).items.map((item) => toText(item.tokens)));
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return toLines([header, ...rows].flat().map((cell) => toText(cell.tokens)));
    }
    case 'details':
      return toLines([toText((token as DetailsToken).summary), toText((token as DetailsToken).tokens)]);
    case 'note':
      return (token as NoteToken).label;
    case 'br':
      return '\n';
    case 'hr':
    case 'space':
    case 'def':
    case 'checkbox':
      return '';
    case 'text':
    case 'escape':
    case 'image':
      return toInner(token as Tokens.Generic) ?? (token as Tokens.Text).text;
    default:
      return toInner(token as Tokens.Generic) ?? token.raw;
  }
}

const toInner = ({ tokens }: Tokens.Generic) => (tokens ? toText(tokens) : undefined);
