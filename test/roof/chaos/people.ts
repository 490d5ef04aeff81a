import { setTimeout as pause } from 'node:timers/promises';
import type { Klaus } from '@klaus/sdk';
import { createClient } from '@klaus/server/client';
import type { RunningKlaus } from '../../fixtures/klaus.ts';
import type { Chance } from '../../undo/chance.ts';
import { type ChaosSession, endCopy, type Scene, toMessage } from './scene.ts';

/** A message that was sent, and whether the command that sent it reported success. */
export interface Sent {
  readonly session: string;
  readonly text: string;
  readonly isReported: boolean;
}

/** What people do while processes are killed. */
export interface People {
  readonly scene: Scene;
  /** Reads the state folder, as another program does. It works on no session. */
  readonly klaus: Klaus;
  readonly chance: Chance;
  readonly sent: Sent[];
  /** Number of messages until now. */
  messages: number;
  /** Approvals that several clients answered at the same time. */
  readonly raced: Set<string>;
  /** Commands that follow a run, with what they print. */
  readonly following: Set<RunningKlaus>;
  /** Everything that `klaus logs -f` has printed. */
  readonly printed: Map<string, string[]>;
  /** The session to which a message is being sent. */
  sending: string | undefined;
  /** Sessions whose working copy is being ended, or has been. */
  readonly ended: Set<string>;
}

export function createPeople(given: Pick<People, 'scene' | 'klaus' | 'chance'>): People {
  return {
    ...given,
    sent: [],
    messages: 0,
    raced: new Set(),
    following: new Set(),
    printed: new Map(),
    sending: undefined,
    ended: new Set(),
  };
}

/** Repeats something until a time. */
export async function repeat(until: number, { every, step }: { every: number; step: () => Promise<unknown> }) {
  while (Date.now() < until) {
    await pause(every);
    await step();
  }
}

/** Answers everything that waits: some approvals by one client, others by three at the same time. */
export async function answerAll(people: People): Promise<void> {
  const { klaus, chance } = people;
  const open = await klaus.approvals();
  await Promise.all(
    open.map(({ id }) => {
      if (chance.percent(70)) return answerByServer(people, id);
      return chance.percent(40) ? race(people, id) : answerByCommand(people, 'approve', id);
    }),
  );
}

async function race(people: People, id: string): Promise<void> {
  people.raced.add(id);
  const other = people.chance.percent(30) ? 'reject' : 'approve';
  await Promise.all([
    answerByCommand(people, 'approve', id),
    answerByCommand(people, other, id),
    answerByServer(people, id),
  ]);
}

/** Any failure is one of a process that was killed, or the answer of another client. */
async function answerByServer({ scene: { roof, secret } }: People, id: string): Promise<void> {
  const url = roof.descriptor()?.url;
  if (url === undefined) return;
  const client = createClient({ baseUrl: url, token: secret });
  await client.answer({ params: { id }, body: { answer: 'approved' } }).catch(() => {});
}

/** Resolves when the command has answered. It may work on the session until its run ends. */
async function answerByCommand(people: People, command: 'approve' | 'reject', id: string): Promise<void> {
  const running = people.scene.roof.begin(command, id, '--json');
  follow(people, running);
  await running.printed('stdout', '\n').catch(() => {});
}

function follow({ following }: People, running: RunningKlaus): void {
  following.add(running);
  void running.ended.then(() => following.delete(running));
}

/** Sends a message to a random session. */
export async function sendMessage(people: People): Promise<void> {
  const { scene, chance, sent, ended } = people;
  const session = chance.pick(scene.sessions);
  if (ended.has(session.id)) return;
  const text = toMessage(session, (people.messages += 1));
  people.sending = session.id;
  const { code } = await scene.roof.klaus('message', session.id, text);
  people.sending = undefined;
  sent.push({ session: session.id, text, isReported: code === 0 });
}

/** Follows a session until its run ends, a kill, or a time. */
export async function followLog({ scene, printed }: People, { id }: ChaosSession, until: number): Promise<void> {
  const running = scene.roof.begin('logs', id, '-f', '--json');
  const timer = setTimeout(() => running.kill('SIGTERM'), Math.max(0, until - Date.now()));
  const { stdout } = await running.ended;
  clearTimeout(timer);
  const lines = stdout.slice(0, stdout.lastIndexOf('\n') + 1).split('\n');
  printed.set(id, [...(printed.get(id) ?? []), ...lines.filter(Boolean)]);
}

/** Ends the working copy of a session that is done, and has no message that would continue it in the removed folder. */
export async function endOneCopy(people: People): Promise<void> {
  const { scene, klaus, ended } = people;
  const states = new Map((await klaus.sessions({ limit: Number.MAX_SAFE_INTEGER })).map((row) => [row.id, row]));
  for (const session of scene.sessions) {
    const { id, kind } = session;
    const row = states.get(id);
    if (kind !== 'copy' || ended.has(id) || row?.status !== 'idle' || row.outcome !== 'done') continue;
    if (people.sending === id || (await klaus.store.inbox(id)).length > 0 || people.sending === id) continue;
    ended.add(id);
    await endCopy(scene, session);
    return;
  }
}
