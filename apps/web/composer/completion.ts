/** What is being typed that can be completed, and where it stands in the text. */
export interface Completion {
  kind: 'file' | 'command';
  /** What stands behind the `@` or the `/`. */
  query: string;
  from: number;
  to: number;
}

/** Finds what the caret is in the middle of; undefined where nothing can be completed. */
export function findCompletion(text: string, caret: number): Completion | undefined {
  const before = text.slice(0, caret);
  const command = /^\/([\w-]*)$/.exec(before);
  if (command) return { kind: 'command', query: command[1]!, from: 0, to: caret };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return undefined;
  return { kind: 'file', query: file[1]!, from: caret - file[1]!.length - 1, to: caret };
}

/** The text with a completion in its place, and where the caret goes. */
export function complete(text: string, { from, to }: Completion, word: string): { text: string; caret: number } {
  const head = text.slice(0, from) + word;
  const rest = text.slice(to);
  const gap = rest.startsWith(' ') ? '' : ' ';
  return { text: head + gap + rest, caret: head.length + 1 };
}
