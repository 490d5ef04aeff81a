/**
 * Characters without a meaning in sh, bash, dash and zsh, at every position of a word. Missing on purpose: `=` (an
 * assignment, and the path of a command in zsh), except after the name of an option; `%` (a job), `~`, `^` and `#`.
 */
const PLAIN = /^(?:-[\w-]+=)?[\w@+:,./-]+$/;

/** Plain words that a shell reads as its own where a command can start. The last line has those of zsh. */
const RESERVED = new Set(
  [
    'if then elif else fi for in do done while until case esac',
    'function select time coproc',
    '- repeat foreach end nocorrect declare export float integer local readonly typeset',
  ].flatMap((words) => words.split(' ')),
);

/**
 * The text as one word for sh, bash, dash and zsh: unchanged if it means nothing else anywhere in a line, else as
 * {@link singleQuote}. The program sees no quotes: a leading `-` is still an option, and `%1` in place of a command still
 * a job of bash.
 *
 * @param word Any text. No command can contain a null byte, which stays in the result; the start of a process refuses it.
 */
export function quoteShellWord(word: string): string {
  return PLAIN.test(word) && !RESERVED.has(word) ? word : singleQuote(word);
}

/** The text in single quotes, also if it needs none: for text that is stored and compared, or that a program reads. */
export function singleQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
