import { setTimeout as delay } from 'node:timers/promises';
import { err, out } from '../../output/sink.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { integer } from '../../program/option-values.ts';

/** Milliseconds between two looks at the session. */
const LOOK_MS = 200;

export const move: LeafCommand = {
  name: 'move',
  summary: 'continue a session on another worker',
  examples: ['klaus admin move 01KT'],
  description:
    'The worker that runs the session ends its current step and gives the session back; another worker continues it. Which one is not chosen here: the scheduler gives it to the first that is free.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<session>', 'session id or its beginning')
      .option('--timeout <seconds>', 'time for the current step of the run', integer(1), 60)
      .option('--json', 'one JSON document'),
  async run(given: string, { timeout, json }: { timeout: number; json?: true }) {
    const { openAdministration } = await import('@klaus/sdk/cluster');
    await using opened = await openAdministration();
    const { administration, store } = opened;
    const session = (await store.session(given))?.id;
    if (session === undefined) throw new UsageError(`There is no session ${given} in the cluster.`);
    const ready = (await administration.workers()).filter(
      ({ isLive, draining, isAsked }) => isLive && !draining && !isAsked,
    );
    const holderOf = async (): Promise<string | null | undefined> =>
      (await administration.active()).find(({ id }) => id === session)?.worker;
    const from = await holderOf();
    const isAlone = ready.every(({ id }) => id === from);
    if (from != null && isAlone) {
      throw new CliError('store.busy', `No other worker is ready to run session ${session}.`, {
        hint: 'Start one with `klaus worker`. `klaus admin workers` lists them.',
      });
    }
    const worker = await administration.release(session);
    if (worker === undefined) {
      throw new UsageError(
        `No worker runs session ${session}.`,
        'The next free worker runs it when it has something to do.',
      );
    }
    const end = Date.now() + timeout * 1_000;
    let now = await holderOf();
    while (now === worker && Date.now() < end) {
      await delay(LOOK_MS);
      now = await holderOf();
    }
    if (now === worker) {
      throw new CliError(
        'timeout',
        `The worker ${worker} did not give session ${session} back in ${timeout} seconds.`,
        {
          hint: 'It does so after its current step. `klaus admin drain` gives all its sessions back.',
        },
      );
    }
    if (json) out.json({ session, from: worker, to: now ?? null });
    else err.write(`The worker ${worker} gave session ${session} back${now == null ? '' : `, and ${now} runs it`}.\n`);
    return EXIT.done;
  },
};
