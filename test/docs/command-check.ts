import { createProgram } from '../../apps/cli/program/program.ts';

type Program = Awaited<ReturnType<typeof createProgram>>;

/** The words of a command line as a shell takes them, and which of them were quoted. */
function toWords(line: string): { word: string; quoted: boolean }[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => ({
    word: double ?? single ?? bare!,
    quoted: bare === undefined,
  }));
}

/** Every command is parsed, and none is run. */
async function createParser(): Promise<Program> {
  const program = await createProgram();
  const disarm = (command: Program): void => {
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
    if (command.commands.length === 0) command.action(() => {});
    for (const child of command.commands) disarm(child as Program);
  };
  disarm(program);
  return program;
}

/**
 * Why the program would not take a line such as `klaus db query "SELECT 1"`: unknown commands and options, missing
 * words, values that are not allowed. Undefined where it would.
 */
export async function whyNoCommand(line: string): Promise<string | undefined> {
  const [, ...words] = toWords(line);
  const program = await createParser();
  const [first] = words;
  const isCommand = first !== undefined && program.commands.some((each) => each.name() === first.word);
  // Anything else would be a prompt: a guide writes those in quotes.
  if (!isCommand && !first?.quoted && !first?.word.startsWith('-')) return `there is no command ${first?.word}`;
  try {
    await program.parseAsync(
      words.map(({ word }) => word),
      { from: 'user' },
    );
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return code === 'commander.helpDisplayed' ? undefined : message;
  }
  return undefined;
}
