import { openKlaus } from '../../client/open-klaus.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { printPinResult } from './pin.ts';

export const command: LeafCommand = {
  name: 'unpin',
  summary: 'remove a pin; the next summary can leave its text out',
  examples: ['klaus unpin 01J 3'],
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('<id>', 'sessions'))
      .argument('<pin>', 'pin id or its beginning')
      .option('--json', 'one JSON document'),
  async run(id: string, pin: string, { json }: { json?: true }) {
    await using klaus = await openKlaus();
    const session = await klaus.session(id);
    printPinResult(await session.unpin(pin, { by: 'cli' }), { session: session.id, verb: 'Unpinned', json });
  },
};
