// Covers apps/server/runs, apps/cli/daemon, core/agent/loop: many sessions while their daemon and sandboxes are killed.
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createKlaus, type Event, type Script } from '@klaus/sdk';
import { expect } from 'vitest';
import { toEnv } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { type Chance, createChance } from '../undo/chance.ts';
import { createRoof, type Roof, TITLE, untilGone } from './roof.ts';

/** Sessions, seconds of kills, and seed: `CHAOS_SESSIONS=50 CHAOS_SECONDS=300 CHAOS_SEED=7`. */
const SESSIONS = Number(process.env['CHAOS_SESSIONS'] ?? 4);
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 6);
const SEED = Number(process.env['CHAOS_SEED'] ?? 1);

const STEPS = 4;
const NUMBER = "{{user | match 'session (\\d+)'}}";

/** Each session appends lines to a file of its own, which must not happen twice, and writes a file that needs an approval. */
const SCRIPT: Script = {
  steps: [
    TITLE,
    ...Array.from({ length: STEPS }, (_, turn) => ({
      when: { turn },
      pace: 10,
      reply: {
        text: 'Working on the next line of the file now.',
        calls: [
          {
            name: 'run_command',
            input: { command: `mkdir -p effects; sleep 0.3; echo line-${turn} >> effects/${NUMBER}` },
          },
        ],
      },
    })),
    {
      when: { turn: STEPS },
      reply: { calls: [{ name: 'write_file', input: { path: `.github/workflows/${NUMBER}.yml`, content: 'a: 1\n' } }] },
    },
  ],
  fallback: { text: 'It is done.' },
};

test('kills lose no event, repeat no effect and leave no process', { timeout: (SECONDS + 600) * 1_000 }, async () => {
  const chance = createChance(SEED);
  await using roof = await createRoof({
    script: SCRIPT,
    env: { KLAUS_SANDBOX: 'bubblewrap', AGENT_MAX_CONCURRENT_SESSIONS: String(SESSIONS) },
  });
  const ids: string[] = [];
  for (let number = 0; number < SESSIONS; number++) ids.push(await start(roof, number));
  const kills = await killAtRandom(roof, chance);
  // A person answers, and waits for the rest.
  for (let waited = 8; waited === 8;) {
    await answer(roof);
    waited = (await roof.klaus('wait', ...ids, '--needs-you')).code ?? 0;
  }
  await checkLogs(roof, ids);
  for (let number = 0; number < SESSIONS; number++) {
    const lines = readEffects(roof, number);
    expect(new Set(lines).size).toBe(lines.length);
  }
  for (const pid of roof.daemons()) process.kill(pid, 'SIGTERM');
  await untilGone(roof.daemons);
  await untilGone(() => findLeft(roof));
  expect(kills).toBeGreaterThan(0);
  expect((await roof.klaus('audit', 'verify')).code).toBe(0);
});

async function start(roof: Roof, number: number): Promise<string> {
  const words = ['start', 'klaus', `session ${number}`, '--detach', '--approve', 'auto'];
  const { code, stdout, stderr } = await roof.klaus(...words, '--max-tool-calls', '0', '--budget-tokens', '0');
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Kills the daemon, a sandbox or nothing, again and again, and answers in between. Returns the number of kills. */
async function killAtRandom(roof: Roof, chance: Chance): Promise<number> {
  const until = Date.now() + SECONDS * 1_000;
  let kills = 0;
  while (Date.now() < until) {
    await pause(200 + chance.number(1_500));
    const sandboxes = findLeft(roof).filter((pid) => !roof.daemons().includes(pid));
    const victims = chance.percent(50) ? roof.daemons() : sandboxes;
    if (victims.length === 0) continue;
    kill(chance.pick(victims));
    kills += 1;
    await answer(roof);
    // Starts the daemon again, if it was killed.
    await roof.klaus('wait', (await listOpen(roof))[0] ?? '', '--timeout', '0');
  }
  return kills;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has just ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function listOpen(roof: Roof): Promise<string[]> {
  await using klaus = await createKlaus({ cwd: roof.place.workspace, env: toEnv({ place: roof.place }) });
  return (await klaus.sessions()).flatMap(({ id, outcome }) => (outcome === 'done' ? [] : [id]));
}

/** Approves everything that waits. */
async function answer(roof: Roof): Promise<void> {
  const { stdout } = await roof.klaus('approvals', '--json');
  const open = stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { id: string });
  // Another process can have answered, or the daemon works on it.
  await Promise.all(open.map(({ id }) => roof.klaus('approve', id)));
}

/** Every log is complete, every call and every approval has one end, and every run is done. */
async function checkLogs(roof: Roof, ids: readonly string[]): Promise<void> {
  await using klaus = await createKlaus({ cwd: roof.place.workspace, env: toEnv({ place: roof.place }) });
  for (const id of ids) {
    const events = await Array.fromAsync((await klaus.session(id)).events());
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const finished = count(events, 'tool.finished', 'call');
    expect(new Set(Object.values(finished))).toEqual(new Set([1]));
    expect(Object.keys(finished)).toEqual(expect.arrayContaining(Object.keys(count(events, 'tool.started', 'call'))));
    expect(count(events, 'approval.answered', 'approval')).toEqual(count(events, 'approval.asked', 'approval'));
    expect(events.findLast(({ type }) => type === 'run.finished')).toMatchObject({ outcome: 'done' });
  }
}

/** How often each id occurs in the events of a type. */
function count(events: readonly Event[], type: Event['type'], key: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const event of events) {
    if (event.type !== type) continue;
    const id = String((event as unknown as Record<string, unknown>)[key]);
    found[id] = (found[id] ?? 0) + 1;
  }
  return found;
}

function readEffects({ place }: Roof, number: number): string[] {
  const path = join(place.workspace, 'effects', String(number));
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

/** Processes of this state folder: those with its variable, and those of its sandboxes. */
function findLeft({ place }: Roof): number[] {
  const root = join(place.home, '..');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && belongsTo(pid, root));
}

function belongsTo(pid: number, root: string): boolean {
  try {
    const read = (name: string): string => readFileSync(`/proc/${pid}/${name}`, 'utf8');
    return (
      read('environ').includes(root) ||
      read('cmdline').includes(root) ||
      readlinkSync(`/proc/${pid}/cwd`).startsWith(root)
    );
  } catch {
    // It has just ended.
    return false;
  }
}
