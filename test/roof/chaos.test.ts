// Covers apps/server/runs, apps/cli/daemon, core/agent/loop, sdk/copies: many sessions while their processes are killed.
// @module-tag long
import { createKlaus, type Event, type Klaus } from '@klaus/sdk';
import { expect } from 'vitest';
import { findMismatches, readAllEvents } from '../faults/tree/books.ts';
import { toEnv } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { createChance } from '../undo/chance.ts';
import { checkRepository, endAllCopies, findLeftFiles, findMounts, readFile } from './chaos/check-copies.ts';
import { checkAnswers, checkEffects, checkLog, checkMessages, checkPrinted } from './chaos/check-logs.ts';
import { findProcesses, killAtRandom, type Kills } from './chaos/killer.ts';
import * as people from './chaos/people.ts';
import { createScene, type Scene } from './chaos/scene.ts';
import { untilGone } from './roof.ts';

/** Sessions, seconds of kills, and seed: `CHAOS_SESSIONS=50 CHAOS_SECONDS=300 CHAOS_SEED=7`. */
const SESSIONS = Number(process.env['CHAOS_SESSIONS'] ?? 4);
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 6);
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);
/** Turns of each session: enough to work during most of the kills. */
const TURNS = 4 + Math.floor(SECONDS / 30);
/** Sessions that a client follows. */
const FOLLOWED = 3;

test('kills lose nothing, repeat nothing and leave nothing', { timeout: (SECONDS * 4 + 900) * 1_000 }, async () => {
  const chance = createChance(SEED);
  await using scene = await createScene({ count: SESSIONS, turns: TURNS });
  await using klaus = await openKlaus(scene);
  const group = people.createPeople({ scene, klaus, chance });
  const kills = await spendTime(group, Date.now() + SECONDS * 1_000);
  await finish(group);
  await endAllCopies(scene, group.ended);
  for (const pid of scene.roof.daemons()) process.kill(pid, 'SIGTERM');
  await untilGone(scene.roof.daemons);
  await untilGone(() => findProcesses(scene.root).map(({ pid }) => pid));
  expect(findMounts(scene.root)).toEqual([]);
  if (SESSIONS > 4) report(group, kills);
  await checkSessions(group);
  checkRepository(scene);
  expect((await scene.roof.klaus('audit', 'verify')).code).toBe(0);
  expect(findLeftFiles(scene)).toEqual([]);
  expect(Object.values(kills).some((count) => count > 0)).toBe(true);
});

function openKlaus({ roof: { place } }: Scene): Promise<Klaus> {
  return createKlaus({ cwd: place.workspace, env: toEnv({ place }) });
}

/** People work with the sessions while processes are killed. */
async function spendTime(group: people.People, until: number): Promise<Kills> {
  const { scene, chance } = group;
  const every = (ms: number, step: () => Promise<unknown>): Promise<void> => people.repeat(until, { every: ms, step });
  const [kills] = await Promise.all([
    killAtRandom(scene, { chance, until }),
    every(500, () => people.answerAll(group)),
    every(400, () => people.sendMessage(group)),
    every(2_000, () => people.endOneCopy(group)),
    ...scene.sessions.slice(-FOLLOWED).map((session) => every(200, () => people.followLog(group, session, until))),
  ]);
  return kills;
}

/** Answers and resumes until every run is done. */
async function finish(group: people.People): Promise<void> {
  const { scene, klaus, following } = group;
  const ids = scene.sessions.map(({ id }) => id);
  for (;;) {
    await people.answerAll(group);
    const { code } = await scene.roof.klaus('wait', ...ids, '--needs-you');
    if (code === 8) continue;
    const rows = await klaus.sessions({ limit: Number.MAX_SAFE_INTEGER });
    const failed = rows.filter(({ id, outcome }) => ids.includes(id) && outcome !== 'done');
    if (failed.length === 0) break;
    for (const { id } of failed) await scene.roof.klaus('message', id, 'say Continue.');
  }
  for (const { ended } of following) await ended;
}

/** Checks the log of every session, those of child sessions too. */
async function checkSessions({ scene, klaus, sent, printed }: people.People): Promise<void> {
  const events = readAllEvents(klaus.home);
  const logs = Map.groupBy(events, ({ session }) => session);
  for (const session of scene.sessions) {
    const log = logs.get(session.id)!;
    checkLog(log, session);
    checkMessages(
      log,
      sent.filter((each) => each.session === session.id),
    );
    checkPrinted(log, printed.get(session.id) ?? []);
    const lines = readFile(scene, session, `effects/${session.number}`)?.trim().split('\n') ?? [];
    for (const [id, each] of logs) if (isBelow(logs, id, session.id)) checkEffects(each, lines);
    checkAnswers(log, (path) => readFile(scene, session, path) !== undefined);
    if (session.kind === 'lead') expect(await findMismatches(klaus, session.id)).toEqual([]);
  }
}

function isBelow(logs: ReadonlyMap<string, readonly Event[]>, id: string, root: string): boolean {
  if (id === root) return true;
  const [opened] = logs.get(id) ?? [];
  return opened?.type === 'session.opened' && opened.parent ? isBelow(logs, opened.parent.session, root) : false;
}

function report({ klaus, sent, raced, ended, printed }: people.People, kills: Kills): void {
  const events = readAllEvents(klaus.home);
  const sessions = new Set(events.map(({ session }) => session)).size;
  const lines = [...printed.values()].reduce((sum, each) => sum + each.length, 0);
  const answers = events.filter(({ type }) => type === 'approval.answered').length;
  const counts = { sessions, events: events.length, answers, raced: raced.size, messages: sent.length, lines };
  console.log(JSON.stringify({ kills, ...counts, copiesEndedDuringKills: ended.size }));
}
