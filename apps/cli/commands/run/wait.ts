import type { Outcome } from '@klaus/sdk';
import type { SessionState } from '@klaus/sdk/session-states';
import { continueWork, hasEnded, untilChange } from '../../client/follow-states.ts';
import { chooseSessionIds, openStates } from '../../client/session-states.ts';
import { out } from '../../output/sink.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT, outcomeToExitCode } from '../../program/exit-codes.ts';
import { toSeconds } from '../../program/option-values.ts';
import type { Options } from '../../program/options.ts';
import { SESSION_HELP } from '../sessions/chosen-session.ts';

export const command: LeafCommand = {
  name: 'wait',
  summary: 'wait until the runs of sessions have ended',
  examples: [
    'klaus wait 01JA 01JB && git diff',
    'klaus wait 01JA 01JB --any --json',
    'klaus wait 01JA --timeout 600; test $? = 9 && klaus interrupt 01JA',
  ],
  description:
    'Waits until the runs of all these sessions have ended, also through approvals. The exit code is that of klaus run: 0 if all are done, else that of the first one that is not.',
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id...]', 'sessions', SESSION_HELP))
      .option('--any', 'until one of them has ended')
      .option('--needs-you', 'also end when one of them waits for an approval (exit code 8)')
      .option('--timeout <seconds>', 'wait no longer than this (exit code 9); the sessions continue', toSeconds)
      .option('--json', 'one object for each session that has ended'),
  async run(given: readonly string[], options: Options & { any?: true; needsYou?: true }) {
    using states = await openStates();
    const ids = await chooseSessionIds(states, given);
    const { any: isAny = false, needsYou = false, timeout } = options;
    const until = timeout === undefined ? Infinity : Date.now() + timeout * 1_000;
    const isEnd = (session: SessionState): boolean => hasEnded(session) || (needsYou && session.state === 'needs-you');
    const printed = new Set<string>();
    for (let version: number | undefined; ;) {
      const now = states?.get(ids) ?? [];
      const missing = ids.find((id) => !now.some((session) => session.id === id));
      if (missing !== undefined) throw new UsageError(`Session ${missing} was deleted.`);
      for (const session of now.filter(isEnd)) {
        if (printed.has(session.id)) continue;
        printed.add(session.id);
        print(session, options);
      }
      const ended = now.filter(isEnd);
      if (isAny ? ended.length > 0 : ended.length === now.length) return toWaitedExit(ended);
      if (Date.now() >= until) throw toTimeout(now.filter((session) => !isEnd(session)));
      await continueWork(now);
      version = await untilChange(states!, { version, until });
    }
  },
};

function print({ id, state, outcome, waitsFor, problem }: SessionState, { json }: Options): void {
  if (json) out.json({ session: id, state, outcome, waitsFor, problem });
  else out.write(`${id}  ${outcome ?? problem?.message ?? state}\n`);
}

function toWaitedExit(ended: readonly SessionState[]): number {
  return ended.map(toExit).find((code) => code !== EXIT.done) ?? EXIT.done;
}

function toExit({ state, outcome, problem }: SessionState): number {
  if (state === 'needs-you') return EXIT.waiting;
  if (problem !== null && state !== 'done' && state !== 'failed') return EXIT.usage;
  return outcome === null ? EXIT.failed : outcomeToExitCode(outcome as Outcome);
}

function toTimeout(open: readonly SessionState[]): CliError {
  const which = open.map(({ id, state }) => `${id} (${state})`).join(', ');
  return new CliError('timeout', `The time is over, and not all runs have ended: ${which}.`, {
    hint: 'They continue. `klaus status ID` prints what they do, `klaus interrupt ID` stops them.',
  });
}
