import { readFileSync } from 'node:fs';
import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

export const testEvent: LeafCommand = {
  name: 'test',
  summary: 'print the answer to an event in a file: nothing is run, and the decision is recorded',
  examples: ['klaus guard test --event event.json'],
  server: 'none',
  declare: (declared) =>
    declared.requiredOption('--event <file>', 'JSON as Claude Code gives it to a hook; - is standard input'),
  async run({ event }: { event: string }) {
    let text: string;
    try {
      text = readFileSync(event === '-' ? 0 : event, 'utf8');
    } catch (error) {
      throw new UsageError(`${event} cannot be read: ${(error as Error).message}.`);
    }
    await using klaus = await openKlaus();
    const [{ createGuard }, { toGuardOptions }] = await Promise.all([
      import('@klaus/claude-code/hooks'),
      import('./guard-options.ts'),
    ]);
    out.json(await createGuard(toGuardOptions(klaus)).handle(text));
  },
};
