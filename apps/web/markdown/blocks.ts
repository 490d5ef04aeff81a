import { lexBlocks } from './parser.ts';

/** A growing text split into Markdown blocks. Closed blocks never change again. */
export interface Blocks {
  append(text: string): void;
  /** The raw text of each block. The last one may grow. */
  list(): readonly string[];
}

/** Number of blocks at the end that later text may change: a list continues, a paragraph becomes a heading. */
const OPEN_BLOCKS = 2;

/** Longer open text, such as one long code block, is not parsed again for every piece. */
const MAX_OPEN = 20_000;

export function createBlocks(): Blocks {
  let closed: readonly string[] = [];
  let open = '';
  let list: readonly string[] | undefined = [];
  const parse = () => {
    const raws = toBlocks(open);
    const ended = raws.slice(0, -OPEN_BLOCKS);
    const head = ended.join('');
    const shown = [...closed, ...raws];
    // The lexer may drop blank lines. If its blocks do not match the text, they are parsed again next time.
    if (ended.length > 0 && open.startsWith(head)) {
      closed = [...closed, ...ended];
      open = open.slice(head.length);
    }
    list = shown;
  };
  let unread = 0;
  return {
    append(text) {
      open += text;
      unread += text.length;
      list = undefined;
    },
    list() {
      if (list) return list;
      if (open.length < MAX_OPEN || unread > open.length / 8) {
        parse();
        unread = 0;
      } else list = [...closed, open];
      return list!;
    },
  };
}

/** Splits a complete text, with the same result as for a growing one. Inline content is parsed when a block is rendered. */
export function toBlocks(text: string): string[] {
  return lexBlocks(text.replaceAll(/\r\n|\r/g, '\n')).map(({ raw }) => raw);
}

const SAFE_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link if its protocol is allowed; otherwise undefined. */
export function toSafeLink(href: string): string | undefined {
  try {
    const { protocol } = new URL(href);
    return SAFE_PROTOCOLS.has(protocol) ? href : undefined;
  } catch {
    // A relative address would resolve to this page.
    return undefined;
  }
}

const CLOSED = ['`', '**', '~~'] as const;

/** Closes code, bold and struck text at the end of an incomplete block, and removes a mark that begins nothing. */
export function closeMarks(block: string): string {
  if (/^ {0,3}(?:```|~~~)/.test(block)) return block;
  let text = block.trimEnd();
  for (const mark of CLOSED) {
    // Marks within code are text.
    const shown = mark === '`' ? text : text.replaceAll(/`[^`]*`/g, '');
    if (shown.split(mark).length % 2 === 1) continue;
    text = text.endsWith(mark) ? text.slice(0, -mark.length).trimEnd() : text + mark;
  }
  return text;
}
