/** A completable word at the caret, with its range in the text. */
export interface Completion {
  kind: 'file' | 'command';
  /** The text after `@` or `/`. */
  query: string;
  from: number;
  to: number;
}

export function findCompletion(text: string, caret: number): Completion | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([\w:-]*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1]!, from: 0, to: caret };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return undefined;
  return { kind: 'file', query: file[1]!, from: caret - file[1]!.length - 1, to: caret };
}

/** Inserts a completion. Returns the text and the new position of the caret. */
export function complete(text: string, { from, to }: Completion, word: string): { text: string; caret: number } {
  const head = text.slice(0, from) + word;
  const rest = text.slice(to);
  const gap = rest.startsWith(' ') ? '' : ' ';
  return { text: head + gap + rest, caret: head.length + 1 };
}
