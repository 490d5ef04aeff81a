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

/** How a separate Klaus process ended, and its output. */
export interface Ended {
  signal: NodeJS.Signals | null;
  lines: { session?: string; result?: { state: string; finished?: EventOf<'run.finished'> } }[];
}

/** A temporary project and state folder, with the orders for a Klaus process. */
export interface KillBench extends Disposable {
  folder: string;
  order: Order;
}

/** @param fillProject Creates the project in a folder that does not exist yet. */
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

/** Runs a Klaus process until it exits or is killed. */
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

/** Runs a process that is killed, then resumes; the prompt is sent again if it was not sent. */
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

/** The events of a session with a valid chain. */
export async function readSession(home: string, session: string): Promise<Event[]> {
  using store = createSqliteStore({ home });
  expect(await store.verify(session)).toMatchObject({ intact: true });
  return [...store.view.events(session)];
}

/** The content of the workspace, including ignored files, as a Git tree. */
export function treeOf({ order: { workspace } }: KillBench): string {
  const env = { ...GIT_ENV, GIT_INDEX_FILE: join(workspace, '..', 'index') };
  execFileSync('git', ['-C', workspace, 'add', '-A', '-f'], { env });
  return execFileSync('git', ['-C', workspace, 'write-tree'], { env, encoding: 'utf8' }).trim();
}

/** Ignores times, dates, and hashes that depend on times or paths. */
const TIMES =
  /duration_ms:? [\d.]+|\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z| ?[+-]\d{4})?|\b[0-9a-f]{7,64}\b|\b\d+(\.\d+)? ?m?s\b/g;

export function canonicalOf(bench: KillBench, events: Event[]): unknown[] {
  const replaced = toCanonical(events, new Map([[bench.order.workspace, '/w']]));
  return JSON.parse(JSON.stringify(replaced).replaceAll(TIMES, '0')) as unknown[];
}

/** The lines that commands wrote, each of which may occur once. */
export function linesOf({ order }: KillBench): string[] {
  const log = join(order.workspace, 'ran.log');
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : [];
}
