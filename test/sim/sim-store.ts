import type { StateCache, Lease, Store } from '@klaus/core/agent';
import { toText, type Command } from '@klaus/core/protocol';
import type { Host } from './scheduler.ts';
import type { ProcessStore } from './stores/life-stores.ts';
import type { World } from './world.ts';

/** The error of the store's port in a dead process. Nothing reaches the real store. */
const GONE = 'this process is gone';

/**
 * The real store of one process: every write waits for the scheduler before and after, and may fail. A kill before the
 * write loses it; a kill after it loses only its result.
 */
export function createSimStore(world: World, { host, store }: { host: Host; store: ProcessStore }): Store {
  const { scheduler, monitor, faults } = world;
  const check = (): void => {
    if (!host.isAlive) throw new Error(GONE);
  };
  /** The store identifies its own leases by reference. */
  const leases = new WeakMap<Lease, Lease>();
  return {
    async append(session, drafts, { lease, ...options }) {
      await scheduler.pause(host, 'append');
      faults.checkStore();
      const types = drafts.map(({ type }) => type).join(' ');
      return await scheduler.real(host, `appended ${types}`, async () => {
        const events = await store.append(session, drafts, { ...options, lease: leases.get(lease) ?? lease });
        monitor.writes++;
        monitor.consumed(options.consume ?? [], events);
        world.holders.appended(host, lease);
        return events;
      });
    },
    async appendHost(body) {
      await scheduler.pause(host, 'append host');
      return scheduler.real(host, 'appended host', () => store.appendHost(body));
    },
    async *read(session, after) {
      check();
      if (!world.stores.isRemote) return yield* store.read(session, after);
      yield* await scheduler.io(host, () => Array.fromAsync(store.read(session, after)));
    },
    async send(session, command) {
      await scheduler.pause(host, `send ${command.type}`);
      faults.checkStore();
      await scheduler.real(host, `sent ${command.type}`, async () => {
        await store.send(session, command);
        noteSent(world, command);
      });
    },
    async inbox(session) {
      check();
      return scheduler.io(host, () => store.inbox(session));
    },
    async claim(session, options) {
      check();
      const lease = await scheduler.io(host, () => store.claim(session, options));
      scheduler.note(`${host.name} claims: ${lease ? 'held' : 'busy'}`);
      if (!lease) return undefined;
      const mine = toLease(world, host, lease);
      world.holders.claimed(host, mine, options?.attempt);
      leases.set(mine, lease);
      return mine;
    },
    subscribe: (session, after, listener) => store.subscribe(session, after, listener),
    emitLive: (live) => store.emitLive(live),
    onLive: (listener) => store.onLive(listener),
    isWatched: () => store.isWatched(),
    onSend: (session, wake) => listen(world, { host, store, session, wake }),
    writeBlob() {
      const writer = store.writeBlob();
      return {
        write: (chunk) => writer.write(chunk),
        async finish() {
          await scheduler.pause(host, 'blob');
          // The objects of a cluster are simulated and wait by themselves.
          if (world.cluster) return writer.finish();
          return scheduler.real(host, 'blob kept', () => writer.finish());
        },
        abort: () => writer.abort(),
      };
    },
    readBlob: (hash) => scheduler.io(host, () => store.readBlob(hash)),
    ...(store.stateCache
      ? { stateCache: toSimCheckpoints(world, { host, leases, checkpoints: store.stateCache }) }
      : {}),
  };
}

function toSimCheckpoints(
  { scheduler, plan }: World,
  { host, leases, checkpoints }: { host: Host; leases: WeakMap<Lease, Lease>; checkpoints: StateCache },
): StateCache {
  return {
    read: (session, version) => scheduler.io(host, () => checkpoints.read(session, version)),
    // For some seeds every state is cached, even for a short log.
    seqOf: async (session) => (plan.seed % 4 === 1 ? -10_000 : scheduler.io(host, () => checkpoints.seqOf(session))),
    async write(lease, kept) {
      await scheduler.pause(host, 'keep state');
      await scheduler.real(host, 'kept state', () => checkpoints.write(leases.get(lease) ?? lease, kept));
    },
  };
}

/** Listens for commands of other processes. */
export function listen(
  { stores, notices }: World,
  { host, store, session, wake }: { host: Host; store: ProcessStore; session: string; wake: () => void },
): () => void {
  return stores.isRemote ? notices.listen(host, wake) : store.onSend(session, wake);
}

function toLease(world: World, host: Host, lease: Lease): Lease {
  const mine: Lease = {
    session: lease.session,
    fence: lease.fence,
    async release() {
      if (!host.isAlive) return;
      world.holders.released(host, mine);
      await world.scheduler.io(host, () => lease.release());
    },
  };
  return mine;
}

/** Records durable writes, so that they can be searched in the log. */
function noteSent({ cluster, monitor, notices, scheduler }: World, command: Command): void {
  notices.sent();
  cluster?.sent(command.id);
  if (command.type === 'prompt') monitor.prompts.set(command.id, toText(command));
  if (command.type === 'withdraw')
    monitor.withdrawals.set(command.id, { prompt: command.command, isLater: monitor.prompts.has(command.command) });
  if (command.type !== 'approve') return;
  const known = monitor.answers.get(command.approval) ?? [];
  monitor.answers.set(command.approval, [...known, { answer: command.answer, at: scheduler.now }]);
}
