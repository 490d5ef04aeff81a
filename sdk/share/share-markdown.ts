import { marked, type Token, type Tokens } from 'marked';

/** Escapes a text for the content and for the attributes of HTML. */
export function escapeHtml(text: string): string {
  const signs: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  // NUL and other controls are no characters of HTML.
  return text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (sign) => signs[sign]!);
}

/**
 * Markdown as HTML that is built from its tokens alone: tags of the text are shown as text, images as links, and links
 * only with the protocols `http`, `https` and `mailto`.
 */
export function markdownToHtml(text: string): string {
  return renderAll(marked.lexer(text));
}

function renderAll(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(render).join('');
}

const inside = (name: string, content: string) => `<${name}>${content}</${name}>`;

function render(token: Token): string {
  switch (token.type) {
    case 'heading':
      // The document uses the first two levels.
      return inside(`h${Math.min(6, (token as Tokens.Heading).depth + 2)}`, renderAll(token.tokens));
    case 'paragraph':
      return inside('p', renderAll(token.tokens));
    case 'blockquote':
    case 'strong':
    case 'em':
    case 'del':
      return inside(token.type, renderAll(token.tokens));
    case 'code':
      return `<pre><code>${escapeHtml((token as Tokens.Code).text)}</code></pre>`;
    case 'list':
      return renderList(token as Tokens.List);
    case 'table':
      return renderTable(token as Tokens.Table);
    case 'hr':
      return '<hr>';
    case 'br':
      return '<br>';
    case 'codespan':
      return inside('code', escapeHtml((token as Tokens.Codespan).text));
    case 'link':
      return renderLink((token as Tokens.Link).href, renderAll(token.tokens));
    case 'image':
      return renderLink((token as Tokens.Image).href, escapeHtml((token as Tokens.Image).text || token.raw));
    case 'text':
      return token.tokens ? renderAll(token.tokens) : escapeHtml((token as Tokens.Text).text);
    case 'escape':
      return escapeHtml((token as Tokens.Escape).text);
    case 'space':
    case 'def':
      return '';
    default:
      return escapeHtml(token.raw);
  }
}

function renderList(list: Tokens.List): string {
  const items = list.items.map(({ task, checked, tokens }) => {
    const mark = task ? (checked ? '☑ ' : '☐ ') : '';
    return inside('li', mark + renderAll(tokens.filter(({ type }) => type !== 'checkbox')));
  });
  return list.ordered ? `<ol start="${Number(list.start) || 1}">${items.join('')}</ol>` : inside('ul', items.join(''));
}

function renderTable({ header, rows }: Tokens.Table): string {
  const toRow = (name: string, cells: readonly Tokens.TableCell[]) =>
    inside('tr', cells.map(({ tokens }) => inside(name, renderAll(tokens))).join(''));
  const body = rows.map((cells) => toRow('td', cells)).join('');
  return `<div class="table"><table>${inside('thead', toRow('th', header))}${inside('tbody', body)}</table></div>`;
}

const SAFE_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

function renderLink(href: string, content: string): string {
  if (!URL.canParse(href) || !SAFE_PROTOCOLS.has(new URL(href).protocol)) return content;
  return `<a href="${escapeHtml(href)}" rel="noreferrer noopener" target="_blank">${content}</a>`;
}
