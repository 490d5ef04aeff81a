import { isRecord, type Part } from '@klaus/core/protocol';
import { createThinkTags, splitUnopened, type ContentPiece } from './think-tags.ts';

/** Text and reasoning of an answer, or of one item of it. */
export interface Content {
  /** @param content A text, a part, or a list of them, in any depth. */
  take(content: unknown): ContentPiece[];
  /** Takes what is reasoning, in any of these forms. */
  takeThinking(content: unknown): ContentPiece[];
  /** Reasoning, then text; either is left out if it is empty. */
  finish(): Part[];
  /** True if the model refused to answer. */
  readonly isRefusal: boolean;
  /** Characters so far. */
  readonly length: number;
}

export function createContent(): Content {
  const tags = createThinkTags();
  let text = '';
  let thinking = '';
  let isRefusal = false;

  function add(pieces: ContentPiece[]): ContentPiece[] {
    for (const piece of pieces) {
      if (piece.type === 'text') text += piece.text;
      else thinking += piece.text;
    }
    return pieces;
  }

  return {
    take(content) {
      // Nearly every delta.
      if (typeof content === 'string') return add(tags.split(content));
      return toPieces(content, 'text').flatMap((piece) => {
        isRefusal ||= piece.type === 'refusal';
        return piece.type === 'thinking' ? add([{ ...piece, type: 'thinking' }]) : add(tags.split(piece.text));
      });
    },
    takeThinking(content) {
      return toPieces(content, 'thinking').flatMap(({ text: said }) => add([{ type: 'thinking', text: said }]));
    },
    finish() {
      add(tags.end());
      const unopened = thinking === '' ? splitUnopened(text) : undefined;
      const reasoning = unopened?.thinking ?? (tags.wereFound ? thinking.trim() : thinking);
      const answer = unopened?.text ?? text;
      return [
        ...(reasoning === '' ? [] : [{ type: 'thinking' as const, text: reasoning }]),
        ...(answer === '' ? [] : [{ type: 'text' as const, text: answer }]),
      ];
    },
    get isRefusal() {
      return isRefusal;
    },
    get length() {
      return text.length + thinking.length;
    },
  };
}

interface Said {
  type: ContentPiece['type'] | 'refusal';
  text: string;
}

/** Fields of parts that contain what is said. */
const FIELDS = ['text', 'thinking', 'reasoning', 'refusal', 'summary', 'content', 'value'];

/** @param type Of texts that are in no part that has one. */
function toPieces(content: unknown, type: Said['type']): Said[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type, text: content }];
  if (Array.isArray(content)) return content.flatMap((part) => toPieces(part, type));
  if (!isRecord(content)) return [];
  const field = FIELDS.find((name) => content[name] !== undefined && content[name] !== null);
  return field === undefined ? [] : toPieces(content[field], toKind(content['type'], type));
}

function toKind(name: unknown, otherwise: Said['type']): Said['type'] {
  if (typeof name !== 'string') return otherwise;
  return name === 'refusal' ? 'refusal' : /think|reason|summary/.test(name) ? 'thinking' : otherwise;
}
