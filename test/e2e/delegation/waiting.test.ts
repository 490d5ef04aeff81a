// Covers adapters/store/sqlite/queries, apps/cli/client, sdk/diagnose: what lists say of a session that waits for an agent below it.
import { expect, test } from 'vitest';
import { openSessionStates } from '@klaus/sdk/session-states';
import { listSessions } from '../../fixtures/klaus.ts';
import {
  createTeam,
  DELEGATES_ALL,
  lead,
  pause,
  spawn,
  toAgent,
  toLead,
  wait,
  write,
  type Team,
} from './team.fixture.ts';

const WRITER = toAgent('writer');
const LEAD = toLead('lead', ['writer']);
const ROOT = [[spawn('writer')], [wait()], 'Done.'];

/** What each list says of the session that waits. */
async function listAll({ place, klaus }: Team) {
  const { id } = (await klaus.sessions()).find(({ parent }) => !parent)!;
  using states = openSessionStates(place.home)!;
  const findings = await klaus.diagnose();
  return {
    listed: (await listSessions(place)).find((row) => row.id === id)!.status,
    state: states.get([id])[0]!.state,
    attention: (await klaus.store.attention()).items.map(({ kind }) => kind),
    interrupted: /(\d+) interrupted/.exec(findings.find(({ name }) => name === 'sessions')!.text)![1],
  };
}

test('while the agent works, the session runs', async () => {
  let seen: unknown;
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: { lead: ROOT, writer: [[pause], 'Done.'] },
    onPause: async () => void (seen = await listAll(team)),
  });
  await lead(team, { grant: DELEGATES_ALL });
  expect(seen).toEqual({ listed: 'running', state: 'running', attention: [], interrupted: '0' });
});

test('while the agent asks, the session waits', async () => {
  await using team = await createTeam({
    agents: [WRITER, LEAD],
    scripts: { lead: ROOT, writer: [[write('w.txt')], 'Done.'] },
  });
  await lead(team, { onAsk: 'wait' });
  expect(await listAll(team)).toEqual({ listed: 'waiting', state: 'needs-you', attention: ['call'], interrupted: '0' });
});
