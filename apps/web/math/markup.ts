/** An element or a text of parsed markup. */
export type MarkupNode = string | MarkupElement;

export interface MarkupElement {
  tag: string;
  attributes: Record<string, string>;
  children: MarkupNode[];
}

const TOKEN = /<(\/?)([a-zA-Z][\w:.-]*)((?:\s+[\w:.-]+=(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/gy;
const ATTRIBUTE = /([\w:.-]+)=(?:"([^"]*)"|'([^']*)')/g;

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' };

/**
 * Parses well-formed markup, such as that of KaTeX or of a serialized SVG, without creating elements. Undefined if it is
 * not well-formed, or contains comments, declarations or other things than elements and text.
 */
export function parseMarkup(text: string): MarkupNode[] | undefined {
  const root: MarkupElement = { tag: '', attributes: {}, children: [] };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text);
    if (!found) return undefined;
    const [, isEnd, tag = '', attributes = '', isEmpty, words] = found;
    const parent = open.at(-1)!;
    if (words !== undefined) parent.children.push(decode(words));
    else if (isEnd) {
      if (open.length === 1 || parent.tag !== tag) return undefined;
      open.pop();
    } else {
      const element: MarkupElement = { tag, attributes: toAttributes(attributes), children: [] };
      parent.children.push(element);
      if (!isEmpty) open.push(element);
    }
  }
  return open.length === 1 ? root.children : undefined;
}

function toAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [, name, double, single] of text.matchAll(ATTRIBUTE)) attributes[name!] = decode(double ?? single ?? '');
  return attributes;
}

function decode(text: string): string {
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w+);/gi, (all, name: string) => {
    if (!name.startsWith('#')) return ENTITIES[name] ?? all;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
  });
}
