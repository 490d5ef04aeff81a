import type { Layer, Layers } from '../ports/layer.ts';
import { createMembers } from './members.ts';

/** Layers of several folders, opened and closed together. @param others In the order of the session's `writable`. */
export function joinLayers(own: Layers, others: readonly { root: string; layers: Layers }[]): Layers {
  if (others.length === 0) return own;
  const members = createMembers(others.map(({ root }) => root));
  return {
    async open(options) {
      const opened: Layer[] = [];
      const close = async (): Promise<void> => {
        for (const layer of opened.toReversed()) await layer.close();
      };
      try {
        for (const layers of [own, ...others.map((other) => other.layers)]) opened.push(await layers.open(options));
      } catch (error) {
        await close();
        throw error;
      }
      const [first, ...rest] = opened;
      return {
        kind: first!.kind,
        folder: first!.folder,
        beside: rest.map(({ folder }, at) => ({ path: others[at]!.root, folder })),
        async touched() {
          const found = await Promise.all(opened.map((layer) => layer.touched()));
          return {
            paths: found.flatMap(({ paths }, index) => paths.map((path) => members.name({ index, path }))),
            git: found.some(({ git }) => git),
          };
        },
        close,
      };
    },
  };
}
