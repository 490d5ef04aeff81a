import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteStore } from '@klaus/adapters/store';
import { toCanonical, type Event, type EventOf } from '@klaus/sdk';
import { expect } from 'vitest';
import type { Order } from './klaus-process.ts';
import { GIT_ENV } from './twelve-tools.ts';

export const PROGRAM = join(import.meta.dirname, 'klaus-process.ts');

/** How a Klaus in a process of its own ended, and what it said. */
export interface Ended {
  signal: NodeJS.Signals | null;
  lines: { session?: string; result?: { state: string; finished?: EventOf<'run.finished'> } }[];
}

/** A project and a state folder of their own, with what a Klaus is told to do there. */
export interface KillBench extends Disposable {
  folder: string;
  order: Order;
}

/** @param fillProject Makes the project in a folder that is not there yet. */
export function createKillBench(
  fillProject: (folder: string) => void,
  order: Pick<Order, 'url'> & Partial<Order>,
): KillBench {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-kill-'));
  const workspace = join(folder, 'project');
  fillProject(workspace);
  return {
    folder,
    order: { home: join(folder, 'home'), workspace, ...order },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a Klaus to its end or its death. */
export function runOrder(order: Order): Promise<Ended> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, JSON.stringify(order)], { timeout: 120_000 }, (error, stdout, stderr) => {
      const signal = error?.signal ?? null;
      if (error && (signal !== 'SIGKILL' || error.killed)) return reject(new Error(`${error.message}\n${stderr}`));
      const lines = stdout.split('\n').filter(Boolean);
      resolve({ signal, lines: lines.map((line) => JSON.parse(line) as Ended['lines'][number]) });
    });
  });
}

/** Runs with something that kills it on the way, then resumes; the prompt is sent again where it was never sent. */
export async function killAndResume(
  { order }: KillBench,
  kill: Partial<Order>,
): Promise<{ killed: Ended; session: string }> {
  const killed = await runOrder({ ...order, ...kill });
  const session = killed.lines[0]!.session!;
  const { prompt, ...rest } = order;
  const resumed = await runOrder({ ...rest, session });
  expect(resumed.signal).toBeNull();
  const isBegun = (await readSession(order.home, session)).some((event) => event.type === 'run.started');
  if (!isBegun) await runOrder({ ...rest, session, prompt: prompt! });
  return { killed, session };
}

/** The events of a session whose chain is whole. */
export async function readSession(home: string, session: string): Promise<Event[]> {
  using store = createSqliteStore({ home });
  expect(await store.verify(session)).toMatchObject({ intact: true });
  return [...store.view.events(session)];
}

/** The content of the workspace as git sees it, ignoring nothing. */
export function treeOf({ order: { workspace } }: KillBench): string {
  const env = { ...GIT_ENV, GIT_INDEX_FILE: join(workspace, '..', 'index') };
  execFileSync('git', ['-C', workspace, 'add', '-A', '-f'], { env });
  return execFileSync('git', ['-C', workspace, 'write-tree'], { env, encoding: 'utf8' }).trim();
}

/** Times, dates and the hashes of what was made at these times, or of paths, are no difference. */
const TIMES =
  /duration_ms:? [\d.]+|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| ?[+-]\d{4})?|\b[0-9a-f]{7,64}\b|\b\d+(\.\d+)? ?m?s\b/g;

export function canonicalOf(bench: KillBench, events: Event[]): unknown[] {
  const replaced = toCanonical(events, new Map([[bench.order.workspace, '/w']]));
  return JSON.parse(JSON.stringify(replaced).replaceAll(TIMES, '0')) as unknown[];
}

/** The lines that commands left, each of which may be there once. */
export function linesOf({ order }: KillBench): string[] {
  const log = join(order.workspace, 'ran.log');
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
}
