import { openClient } from '../../client/open-client.ts';
import { out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { type Options, toGivenServer } from '../../program/options.ts';
import { chooseSession, SESSION_HELP } from '../sessions/chosen-session.ts';

const RESULTS = {
  idle: 'was not running',
  cancelled: 'is interrupted',
  stopping: 'stops',
} as const;

export const command: LeafCommand = {
  name: 'interrupt',
  summary: 'stop the runs of sessions in any process; a message continues them',
  examples: ['klaus interrupt', 'klaus interrupt 01JA 01JB', 'klaus interrupt 01J --signal'],
  server: 'both',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id...]', 'sessions', SESSION_HELP))
      .option('--signal', 'also send SIGINT to the process that works on it, unless it is a server')
      .option('--json', 'one object for each session: session, state, pid'),
  async run(given: readonly string[], options: Options & { signal?: true }) {
    if (options.signal && toGivenServer(options) !== undefined)
      throw new UsageError('--signal concerns processes of this machine.', 'Leave it out, or leave out --server.');
    await using client = await openClient(options);
    // A wrong id stops nothing.
    const ids = new Set(
      await Promise.all(
        (given.length > 0 ? given : [await chooseSession(client, undefined)]).map(
          async (each) => (await client.session(each)).id,
        ),
      ),
    );
    const { findHolder } = await import('../../daemon/find-holder.ts');
    for (const id of ids) {
      // Before the request, which it may follow at once.
      const holder = options.signal ? findHolder(id) : undefined;
      const { session, state } = await client.cancel(id, 'The user stopped the run with klaus interrupt.');
      const pid = holder === undefined || state !== 'stopping' ? undefined : interruptProcess(holder);
      if (options.json) out.json({ session, state, pid });
      else out.write(`${session}  ${RESULTS[state]}${pid === undefined ? '' : `; process ${pid} got a signal`}\n`);
    }
  },
};

/** Sends SIGINT. Undefined if the process has ended since. */
function interruptProcess(pid: number): number | undefined {
  try {
    process.kill(pid, 'SIGINT');
    return pid;
  } catch {
    return undefined;
  }
}
