/** Words that a shell does not expand, substitute, assign or redirect. */
const PLAIN = /^[\w@%+:,./-]+$/;

/** Operators between two separate commands. */
const BETWEEN = /&&|\|\|?|;/;

/**
 * The commands of a command line, each as its words, or undefined when it holds anything but plain words and
 * `&&`, `||`, `|` or `;` between commands. Far stricter than what a shell reads, on purpose: an authority that
 * names a command covers only commands that mean the same in every shell, down to the spelling of the program.
 */
export function toPlainCommands(line: string): readonly (readonly string[])[] | undefined {
  if (/[\n\r]/.test(line)) return undefined;
  const commands = line.split(BETWEEN).map((command) => command.split(/[ \t]+/).filter((word) => word !== ''));
  const arePlain = commands.every((words) => words.length > 0 && words.every((word) => PLAIN.test(word)));
  return arePlain ? commands : undefined;
}
