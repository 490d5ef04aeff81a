import { Lexer } from 'marked';

/** Text cut into Markdown blocks; those that have ended never change again, however much text follows. */
export interface Blocks {
  /** Add to the end. */
  append(text: string): void;
  /** The raw text of each block, and of what is still growing as the last one. */
  list(): readonly string[];
}

/** Blocks at the end that text to come may still change: a list goes on, a paragraph becomes a heading. */
const OPEN_BLOCKS = 2;

/** Characters of a growing end from which on it is not read again at every piece, such as one endless code block. */
const MAX_OPEN = 20_000;

export function createBlocks(): Blocks {
  let closed: readonly string[] = [];
  let open = '';
  let list: readonly string[] | undefined = [];
  const settle = () => {
    const raws = toRaws(open);
    const ended = raws.slice(0, -OPEN_BLOCKS);
    const head = ended.join('');
    const shown = [...closed, ...raws];
    // The lexer may leave out blanks; what does not stand in the text as it says is read again next time.
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
        settle();
        unread = 0;
      } else list = [...closed, open];
      return list!;
    },
  };
}

/** Cuts a whole text, in the same way as one that comes in pieces. */
export function toBlocks(text: string): readonly string[] {
  return toRaws(text);
}

/** Where blocks end is all that is wanted here: what stands within a line is read when its block is drawn. */
function toRaws(text: string): string[] {
  return new Lexer().blockTokens(text.replaceAll(/\r\n|\r/g, '\n')).map(({ raw }) => raw);
}

const SAFE_PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** The address of a link when it is one that may be followed; else undefined. */
export function toSafeLink(href: string): string | undefined {
  try {
    const { protocol } = new URL(href);
    return SAFE_PROTOCOLS.has(protocol) ? href : undefined;
  } catch {
    // A relative address would lead into this page and not to what is meant.
    return undefined;
  }
}
