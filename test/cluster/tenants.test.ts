// Covers sdk/cluster, adapters/store/postgres, core/agent/model: slots and budgets of projects over all workers.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toDefinition } from '../fixtures/acp-agent.ts';
import { untilLogged } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { startCluster, WITHOUT_CLUSTER, type Cluster } from './cluster.ts';

const SESSIONS = 5;
const SLOTS = 2;
const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { delay: 200, reply: { text: 'Done.', usage: { input: 1_000, output: 10 } } },
  ],
  fallback: { text: 'Done again.', usage: { input: 1_000, output: 10 } },
};
/** US dollars: more than one request reserves. */
const BUDGET = 1;

describe.skipIf(WITHOUT_CLUSTER !== undefined)(`tenants${WITHOUT_CLUSTER ? `: ${WITHOUT_CLUSTER}` : ''}`, () => {
  const stack = new AsyncDisposableStack();
  let cluster: Cluster;
  let klaus: ClusterKlaus;
  let server: Awaited<ReturnType<typeof startServer>>;
  let place: TestHome;

  beforeAll(async () => {
    server = stack.use(await startServer(SCRIPT));
    place = stack.use(createTestHome());
    cluster = stack.use(
      await startCluster(place, { env: { ...toEnv({ place, server }), KLAUS_CLUSTER_PROJECT_SLOTS: String(SLOTS) } }),
    );
    klaus = await cluster.openNode();
    await Promise.all([cluster.startWorker(), cluster.startWorker()]);
  }, 240_000);
  afterAll(() => stack.disposeAsync(), 60_000);

  const open = async (name: string): Promise<string> => {
    const workspace = join(place.workspace, name);
    mkdirSync(workspace, { recursive: true });
    return (await klaus.open({ workspace })).id;
  };
  const prompt = async (session: string): Promise<void> => {
    await klaus.handle(session).prompt('Do it.');
    await cluster.scheduler.wake(session, 'command');
  };
  const runsOf = (session: string) => klaus.store.eventsOf(session, ['run.started', 'run.finished']);
  const waitForEnds = async (sessions: readonly string[], count: number): Promise<void> => {
    for (const session of sessions) await untilLogged(klaus, session, 'run.finished', count);
  };

  test('a project runs as many sessions as it has slots, and all of them end', { timeout: 120_000 }, async () => {
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => open('one')));
    await Promise.all(sessions.map(prompt));
    await waitForEnds(sessions, 1);
    const changes = (await Promise.all(sessions.map(runsOf)))
      .flat()
      .toSorted((a, b) => a.at - b.at || (a.type === 'run.finished' ? -1 : 1));
    let running = 0;
    const most = Math.max(...changes.map(({ type }) => (running += type === 'run.started' ? 1 : -1)));
    expect(most).toBeLessThanOrEqual(SLOTS);
    await expect.poll(() => klaus.store.tenants.waiting()).toEqual([]);
  });

  test(
    'a budget refuses requests of all sessions of a project, before they are sent',
    { timeout: 120_000 },
    async () => {
      const [first, second] = [await open('two'), await open('two')];
      await prompt(first);
      await waitForEnds([first], 1);
      const tenant = (await klaus.store.tenants.find(first))!;
      const { spentUsd } = await klaus.store.tenants.usage(tenant, new Date());
      expect(spentUsd).toBeGreaterThan(0);

      await klaus.store.tenants.setRules(tenant, { monthlyUsd: spentUsd });
      const before = server.requests.length;
      await prompt(second);
      await waitForEnds([second], 1);
      expect((await runsOf(second))[1]).toMatchObject({ type: 'run.finished', outcome: 'limit' });
      const attempts = await klaus.store.eventsOf(second, ['model.attempted']);
      expect(new Set(attempts.map(({ outcome, usd }) => `${outcome} ${usd}`))).toEqual(new Set(['budget 0']));
      expect(server.requests.length).toBe(before);

      await klaus.store.tenants.setRules(tenant, { monthlyUsd: spentUsd + BUDGET });
      await prompt(second);
      await waitForEnds([second], 2);
      expect((await runsOf(second)).at(-1)).toMatchObject({ outcome: 'done' });
      expect((await klaus.store.tenants.usage(tenant, new Date())).spentUsd).toBeLessThan(spentUsd + BUDGET);
    },
  );

  test('a budget refuses the turns of another program, which is not started', { timeout: 60_000 }, async () => {
    const first = await open('two');
    const tenant = await klaus.store.tenants.assign(first, join(place.workspace, 'two'));
    const { spentUsd } = await klaus.store.tenants.usage(tenant, new Date());
    await klaus.store.tenants.setRules(tenant, { monthlyUsd: spentUsd / 2 });
    const workspace = join(place.workspace, 'two');
    mkdirSync(join(workspace, '.klaus/agents'), { recursive: true });
    writeFileSync(join(workspace, '.klaus/agents/other.md'), toDefinition());
    const { id } = await klaus.open({ workspace, agent: 'other', trustCommand: true });
    await prompt(id);
    await waitForEnds([id], 1);
    expect((await runsOf(id)).at(-1)).toMatchObject({ outcome: 'limit' });
    expect(await klaus.store.eventsOf(id, ['runner.opened'])).toEqual([]);
  });

  test(
    '`klaus admin projects` shows and changes the limits of a project',
    { tags: ['long'], timeout: 60_000 },
    async () => {
      const admin = async (...words: string[]) => {
        const env = { ...cluster.variables, KLAUS_HOME: klaus.home };
        const { code, stdout } = await runKlaus(['admin', 'projects', ...words, '--json'], { place, env });
        return { code, rows: stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object])) };
      };
      const folder = join(place.workspace, 'two');
      expect(await admin(folder, '--slots', '7', '--monthly-usd', 'default')).toMatchObject({
        code: 0,
        rows: [{ folder, slots: 7, monthlyUsd: null, weight: null, waiting: 0 }],
      });
      expect((await admin()).rows).toMatchObject([{ folder: join(place.workspace, 'one') }, { folder, slots: 7 }]);
      expect((await admin(folder, '--priority', '6')).code).toBe(2);
      expect((await admin(join(place.workspace, 'three'), '--slots', '1')).code).toBe(2);
      expect((await admin('--slots', '1')).code).toBe(2);
    },
  );
});
