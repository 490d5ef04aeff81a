import { formatUsd } from '@klaus/sdk/format';
import type { SessionState } from '@klaus/sdk/session-states';
import { chooseSessionIds, openStates } from '../../client/session-states.ts';
import { out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { SESSION_HELP } from './chosen-session.ts';

export const command: LeafCommand = {
  name: 'status',
  summary: 'print what sessions do now, and what they wait for',
  examples: ['klaus status', 'klaus status 01JA 01JB --json'],
  server: 'local',
  declare: (declared) =>
    declared
      .addArgument(new IdArgument('[id...]', 'sessions', SESSION_HELP))
      .option('--json', 'one object per session'),
  async run(given: readonly string[], { json }: Options) {
    using states = await openStates();
    for (const state of states?.get(await chooseSessionIds(states, given)) ?? []) {
      if (json) out.json(state);
      else out.write(toText(state));
    }
  },
};

function toText(session: SessionState): string {
  const { id, state, agent, model, costUsd, title, firstPrompt, workspace, lastLine, waitsFor, problem } = session;
  const { outcome, outcomeReason } = session;
  const rows: [string, string | null][] = [
    [id, title ?? firstPrompt ?? ''],
    ['state', outcome === null || state === 'done' ? state : `${state}: ${outcome}`],
    ['agent', agent],
    ['model', model],
    ['cost', formatUsd(costUsd)],
    ['folder', workspace],
    ['reason', state === 'failed' ? outcomeReason : null],
    ['last line', lastLine],
    ...waitsFor.map(({ approval, title: asked }): [string, string] => ['waits for', `${asked} (${approval})`]),
    ['problem', problem && `${problem.code}: ${problem.message}`],
  ];
  return toTable(rows.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}
