import type { CopiesClient } from '@klaus/sdk/client';
import { optional } from '@klaus/sdk/optional';
import type { ConnectedServer } from './connect-server.ts';

/** The working copies on a server. */
export function createHttpCopies({ client, ask }: ConnectedServer): CopiesClient {
  const of = (copy: string) => ({ params: { copy } });
  return {
    list: async () => (await ask(client.copies())).copies,
    diff: (name) => ask(client.copyDiff(of(name))),
    async merge(name, { solution, ...options } = {}) {
      const steps = solution?.steps.map(({ at, files }) => ({
        ...optional({ at }),
        files: files.map((file) =>
          file.hunks === undefined ? { path: file.path, side: file.side } : { path: file.path, hunks: [...file.hunks] },
        ),
      }));
      const solved = solution && steps ? { solution: { ...solution, steps } } : {};
      return ask(client.mergeCopy({ ...of(name), body: { ...optional(options), ...solved } }));
    },
    showConflicts: (name, options = {}) => ask(client.showCopyConflicts({ ...of(name), body: optional(options) })),
    keep: (name, options = {}) => ask(client.keepCopy({ ...of(name), body: optional(options) })),
    discard: (name, options = {}) => ask(client.discardCopy({ ...of(name), body: optional(options) })),
    clean: async (options = {}) => (await ask(client.cleanCopies({ body: optional(options) }))).removed,
    pullRequest: (name, options = {}) => ask(client.pullRequest({ ...of(name), body: optional(options) })),
  };
}
