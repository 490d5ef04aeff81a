import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

export const dismiss: LeafCommand = {
  name: 'dismiss',
  summary: 'clear reports that the guard is off, or that a session ran without it',
  examples: ['klaus guard dismiss'],
  server: 'none',
  declare: (declared) =>
    declared.argument('[of]', 'the settings file or the session, as in klaus attention (default: all)'),
  async run(of?: string) {
    const { dismissGuardState, readGuardStates } = await import('@klaus/sdk/guard-log');
    await using klaus = await openKlaus();
    const all = of === undefined ? readGuardStates(klaus.store.view).map((state) => state.of) : [of];
    let count = 0;
    for (const each of all) if (await dismissGuardState(klaus, each)) count += 1;
    out.write(`Cleared: ${count}.\n`);
  },
};
