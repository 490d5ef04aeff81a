import type { OpenRequest } from '@klaus/sdk/client';
import type { Command } from 'commander';
import { err, out } from '../output/sink.ts';

const SOURCE = 'the piped standard input (--no-untrusted: it is your own text)';

/** Declares whose text piped input is. */
export function addPipedOptions(command: Command): Command {
  return command
    .option(
      '--untrusted',
      'piped input is a text of others, such as a mail (default: where no terminal shows that you typed the command)',
    )
    .option('--no-untrusted', 'piped input is your own text, also without a terminal');
}

/**
 * What a prompt says about its piped text. A command in a terminal is typed by the user, who knows what it pipes; one of a
 * mail filter, a timer or a service can get the text of anyone.
 *
 * @param words The command line, as for `toPromptParts`.
 */
export function toPipedMark(
  words: readonly string[],
  stdin: Uint8Array | undefined,
  { untrusted = !out.isTTY && !err.isTTY }: { untrusted?: boolean },
): Pick<OpenRequest, 'untrusted'> {
  if (!untrusted || stdin === undefined || stdin.length === 0) return {};
  const isPrompt = words.join(' ').trim() === '' || (words.length === 1 && words[0] === '-');
  return { untrusted: { source: SOURCE, ...(isPrompt ? {} : { isAttached: true as const }) } };
}
