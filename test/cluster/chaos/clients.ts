import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { isKlausError } from '@klaus/sdk';
import type { ClusterKlaus } from '@klaus/sdk/cluster';
import type { RunScheduler } from '@klaus/sdk/scheduler';
import { toUlid } from '@klaus/sdk/ulid';
import { createChance } from '../../undo/chance.ts';

/** Milliseconds between two tries, and between two looks at the approvals. */
const AGAIN = 250;
/** Clients that send at the same time. */
const CLIENTS = 8;

export interface ClientsOptions {
  /** They share the work, and answer the same approvals. */
  nodes: readonly ClusterKlaus[];
  scheduler: Pick<RunScheduler, 'wake'>;
  sessions: number;
  commands: number;
  seconds: number;
  seed: number;
}

/** The texts that were sent to each session, in order. */
export type Sent = ReadonlyMap<string, readonly string[]>;

/** Retries while a service is away. A command with the same id is one command. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isKlausError(error) || !['store.busy', 'scheduler.failed'].includes(error.code)) throw error;
      await pause(AGAIN);
    }
  }
}

/**
 * Opens the sessions, and sends the commands at an even rate. One of four needs an approval. Several clients share the
 * sessions, so that one that waits for a service does not delay the others.
 */
export async function sendAll(options: ClientsOptions): Promise<Sent> {
  const { nodes, sessions } = options;
  const sent = new Map<string, string[]>();
  for (let at = 0; at < sessions; at++) sent.set((await insist(() => nodes[0]!.open())).id, []);
  const begun = Date.now();
  const shares = Array.from({ length: CLIENTS }, (_, at) => [...sent].filter((__, of) => of % CLIENTS === at));
  await Promise.all(shares.map((share, at) => sendShare(share, { ...options, begun, seed: options.seed + at })));
  return sent;
}

/** Sends the commands of some sessions, each in its turn. */
async function sendShare(
  share: readonly (readonly [session: string, texts: string[]])[],
  { nodes, scheduler, commands, seconds, seed, begun }: ClientsOptions & { begun: number },
): Promise<void> {
  const chance = createChance(seed);
  const gap = (seconds * 1_000) / (share.length * commands);
  let next = begun;
  for (let round = 0; round < commands; round++) {
    for (const [session, texts] of share) {
      await pause(Math.max(0, next - Date.now()));
      next += gap;
      const node = chance.pick(nodes);
      const text = `${chance.percent(25) ? 'ask' : 'do'} ${round}`;
      const id = toUlid(Date.now(), randomBytes(10));
      await insist(() => node.handle(session).prompt(text, { id, delivery: 'queue', onAsk: 'wait' }));
      texts.push(text);
      // A wake that is lost is the work of the sweep.
      await scheduler.wake(session, 'command').catch(() => {});
    }
  }
}

/** Answers each approval once on one node, until the signal is aborted. Another node answers them too. */
export async function answerAll(
  node: ClusterKlaus,
  { scheduler, signal }: Pick<ClientsOptions, 'scheduler'> & { signal: AbortSignal },
): Promise<void> {
  /** An answer is durable when the call resolves, and open until a worker applies it. */
  const answered = new Set<string>();
  while (!signal.aborted) {
    for (const { id, session } of await insist(() => node.approvals())) {
      if (answered.has(id)) continue;
      try {
        await node.answer(id, 'approved', { by: 'test' });
        answered.add(id);
      } catch (error) {
        // The other node was faster, or a service is away.
        if (!isKlausError(error)) throw error;
      }
      await scheduler.wake(session, 'command').catch(() => {});
    }
    await pause(AGAIN, undefined, { signal }).catch(() => {});
  }
}
