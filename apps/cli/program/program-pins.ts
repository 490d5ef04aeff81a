import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PinOptions, UnpinOptions } from '../commands/sessions/pin.ts';

/** `klaus pin` and `klaus unpin`: what stays in the context word for word. */
export function addPins(program: Command, done: (exitCode: number) => void): void {
  program
    .command('pin')
    .summary('keep a text in the context of a session, word for word; without one: list what is pinned')
    .description(
      'Older messages are replaced by a summary when the context window is full. What is pinned is not: it stays word for word. All pinned texts together may take a tenth of the context window.',
    )
    .argument('<id>', 'session id or its beginning')
    .argument('[text...]', 'the text; - reads it from standard input')
    .addOption(
      new Option('--message <seq>', 'pin this record of the session: a message, or the result of a call').argParser(
        toSeq,
      ),
    )
    .option('--json', 'one object a line')
    .addHelpText(
      'after',
      '\nExamples:\n  klaus pin 01J "Never touch src/legacy."\n  klaus show 01J --grep "error code"\n  klaus pin 01J --message 42',
    )
    .action(async (id: string, words: string[], options: PinOptions) =>
      done(await (await import('../commands/sessions/pin.ts')).pin(id, words, options)),
    );
  program
    .command('unpin')
    .summary('let the next summary leave a pinned text out')
    .argument('<id>', 'session id or its beginning')
    .argument('<pin>', 'pin id or its beginning')
    .option('--json', 'one JSON document')
    .action(async (id: string, pin: string, options: UnpinOptions) =>
      done(await (await import('../commands/sessions/pin.ts')).unpin(id, pin, options)),
    );
}

function toSeq(text: string): number {
  const seq = Number(text);
  if (text.trim() === '' || !Number.isInteger(seq) || seq < 1)
    throw new InvalidArgumentError('It must be the number of a record, from 1.');
  return seq;
}
