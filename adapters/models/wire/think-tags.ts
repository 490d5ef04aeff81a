/** A piece of an answer's content. */
export interface ContentPiece {
  type: 'text' | 'thinking';
  text: string;
}

/** Tags in which models reason, if no parser of the server takes them out. */
const TAGS: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'], // DeepSeek R1, Qwen, GLM, MiniMax and most others
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'], // Gemini's compatible API
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'], // Magistral
  ['◁think▷', '◁/think▷'], // Kimi VL
];
const OPENINGS = TAGS.map(([open]) => open);
const CLOSINGS = TAGS.map(([, close]) => close);

export interface ThinkTags {
  split(text: string): ContentPiece[];
  /** What was kept back, because a tag could have begun there. */
  end(): ContentPiece[];
  readonly wereFound: boolean;
}

/**
 * Takes reasoning in tags out of the content of an answer: only at its beginning, so that an answer about such tags
 * keeps them. The pieces can end within a tag.
 */
export function createThinkTags(): ThinkTags {
  let state: 'start' | 'thinking' | 'answer' = 'start';
  let held = '';
  let close = '';
  let wereFound = false;

  /** Reads `held` in the state `start`. True if the state has changed. */
  function readStart(pieces: ContentPiece[]): boolean {
    const begun = held.trimStart();
    const opening = TAGS.find(([open]) => begun.startsWith(open));
    const closing = CLOSINGS.find((each) => begun.startsWith(each));
    if (opening ?? closing) {
      state = opening ? 'thinking' : 'start';
      close = opening?.[1] ?? '';
      held = begun.slice((opening?.[0] ?? closing!).length);
      wereFound = true;
      return true;
    }
    if ([...OPENINGS, ...CLOSINGS].some((tag) => tag.startsWith(begun))) return false;
    state = 'answer';
    // The empty lines between reasoning and answer belong to neither.
    pieces.push({ type: 'text', text: wereFound ? begun : held });
    held = '';
    return false;
  }

  function readThinking(pieces: ContentPiece[]): boolean {
    const at = held.indexOf(close);
    const end = at < 0 ? held.length - toOverlap(held, close) : at;
    if (end > 0) pieces.push({ type: 'thinking', text: held.slice(0, end) });
    held = held.slice(at < 0 ? end : at + close.length);
    if (at >= 0) state = 'start';
    return at >= 0;
  }

  return {
    split(text) {
      if (state === 'answer') return text === '' ? [] : [{ type: 'text', text }];
      held += text;
      const pieces: ContentPiece[] = [];
      while (state === 'start' ? readStart(pieces) : state === 'thinking' && readThinking(pieces));
      return pieces;
    },
    get wereFound() {
      return wereFound;
    },
    end() {
      const text = wereFound && state === 'start' ? held.trimStart() : held;
      held = '';
      return text === '' ? [] : [{ type: state === 'thinking' ? 'thinking' : 'text', text }];
    },
  };
}

/** The number of characters at the end of `text` with which `tag` begins. */
function toOverlap(text: string, tag: string): number {
  let length = Math.min(text.length, tag.length - 1);
  while (length > 0 && !tag.startsWith(text.slice(-length))) length--;
  return length;
}

/**
 * Splits a complete content whose opening tag is in the prompt, as some chat templates have it: the answer begins
 * behind the closing tag. Undefined if a closing tag is only mentioned: in code, in quotes, between spaces, or behind
 * an opening tag.
 */
export function splitUnopened(text: string): { thinking: string; text: string } | undefined {
  for (const [open, close] of TAGS) {
    const at = text.indexOf(close);
    if (at < 0) continue;
    const before = text.slice(0, at);
    const after = text.slice(at + close.length);
    const isMentioned =
      before.includes(open) || /[ \t`'"“‘«(]$/.test(before) || /^[`'"”’».,:;)]/.test(after) || isInCode(before);
    if (!isMentioned) return { thinking: before.trim(), text: after.trimStart() };
  }
  return undefined;
}

/** True if a fence or a quote of Markdown is open at the end of `text`. */
function isInCode(text: string): boolean {
  const fences = text.match(/^ *(?:```|~~~)/gm)?.length ?? 0;
  const line = text.slice(text.lastIndexOf('\n') + 1);
  return fences % 2 === 1 || line.split('`').length % 2 === 0;
}
