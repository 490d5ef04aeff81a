/** Words that every shell takes as they stand: nothing is expanded, substituted, assigned or redirected. */
const PLAIN = /^[\w@%+:,./-]+$/;

/** What may stand between two commands: each side is a command of its own, whatever comes of the other. */
const BETWEEN = /&&|\|\|?|;/;

/**
 * The commands of a command line, each as its words, or undefined when it holds anything but plain words and
 * `&&`, `||`, `|` or `;` between commands. Far stricter than what a shell reads, on purpose: an authority that
 * names a command covers only what means the same to everybody, down to the spelling of the program.
 */
export function toPlainCommands(line: string): readonly (readonly string[])[] | undefined {
  if (/[\n\r]/.test(line)) return undefined;
  const commands = line.split(BETWEEN).map((command) => command.split(/[ \t]+/).filter((word) => word !== ''));
  const arePlain = commands.every((words) => words.length > 0 && words.every((word) => PLAIN.test(word)));
  return arePlain ? commands : undefined;
}
