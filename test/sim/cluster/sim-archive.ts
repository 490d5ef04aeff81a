import type { ObjectStore } from '@klaus/adapters/objects';
import type { LocalSnapshots } from '@klaus/adapters/workspace';
import type { ApplyResult } from '@klaus/core/agent';
import { KlausError, type TreeId } from '@klaus/core/protocol';
import { archiveSnapshots, type ArchivedSnapshots } from '../../../sdk/cluster/archived-snapshots.ts';
import { ROOT } from '../files.ts';
import type { Host } from '../scheduler.ts';
import type { World } from '../world.ts';

/** The objects of one process: a kill before `put` ends loses the object, or only the answer. */
export function createSimObjects({ scheduler }: World, host: Host, objects: ObjectStore): ObjectStore {
  return {
    async put(key, body) {
      await scheduler.pause(host, 'object put');
      const isNew = await objects.put(key, body);
      await scheduler.pause(host, 'object stored');
      return isNew;
    },
    async renew(key, body) {
      await scheduler.pause(host, 'object put');
      await objects.renew(key, body);
      await scheduler.pause(host, 'object stored');
    },
    get: (key) => objects.get(key),
    stat: (key) => objects.stat(key),
    list: (prefix) => objects.list(prefix),
    delete: (key) => objects.delete(key),
    close() {},
  };
}

/** The snapshots of one worker, which has the states that it made or fetched. */
export function createSimArchive(
  world: World,
  { host, objects }: { host: Host; objects: ObjectStore },
): ArchivedSnapshots {
  const { files, faults } = world;
  const snapshots = files.snapshotsOf(host, () => faults.checkSnapshot());
  const here = new Set<TreeId>();
  const check = (...trees: TreeId[]): void => {
    const missing = trees.find((tree) => !here.has(tree));
    if (missing) throw new KlausError('usage', `${host.name} does not have the state ${missing}.`);
  };
  const keep = (result: ApplyResult): ApplyResult => {
    if (result.applied) for (const tree of [result.before, result.after]) here.add(tree);
    return result;
  };
  const local: Partial<LocalSnapshots> = {
    ...snapshots,
    git: () => [],
    has: (tree) => here.has(tree),
    async snapshot(options) {
      if (options?.only) check(options.only.base);
      const tree = await snapshots.snapshot(options);
      here.add(tree);
      return tree;
    },
    changes(from, to) {
      check(from, to);
      return snapshots.changes(from, to);
    },
    entry(tree, path) {
      check(tree);
      return snapshots.entry(tree, path);
    },
    apply: async (...given) => keep(await snapshots.apply(...given)),
    async *pack(tree) {
      check(tree);
      yield Buffer.from(JSON.stringify([tree, ...files.contentOf(tree)]));
    },
    async unpack(packs, tree) {
      const found = await Array.fromAsync(packs, (pack) => (JSON.parse(Buffer.from(pack).toString()) as [TreeId])[0]);
      if (found.includes(tree)) here.add(tree);
    },
  };
  return archiveSnapshots(local as LocalSnapshots, { objects, root: ROOT });
}
