import type { createProgram } from '../../apps/cli/program/program.ts';
import { toPage } from './markdown.ts';

type Command = Awaited<ReturnType<typeof createProgram>>;

/** `docs/reference/cli.md`: the help of every command, as the program prints it. */
export function toCliPage(program: Command): string {
  return toPage(
    '# Command line',
    'The output of `--help`. Exit codes are in [errors](errors.md), settings in [configuration](config.md).',
    ...toSections(program, program.name()),
  );
}

function toSections(command: Command, name: string): string[] {
  const inner = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  return [
    `## ${name}`,
    `\`\`\`text\n${toHelp(command)}\n\`\`\``,
    ...inner.flatMap((child) => toSections(child, `${name} ${child.name()}`)),
  ];
}

/** The help with its examples, with a fixed width and without colours on every machine. */
function toHelp(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => (text += part),
    getOutHelpWidth: () => 100,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return text.trim();
}
