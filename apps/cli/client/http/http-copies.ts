import type { CopiesClient } from '@klaus/sdk/client';
import type { ConnectedServer } from './connect-server.ts';

/** The working copies on a server. */
export function createHttpCopies({ client, ask }: ConnectedServer): CopiesClient {
  const of = (copy: string) => ({ params: { copy } });
  return {
    list: async () => (await ask(client.copies())).copies,
    diff: (name) => ask(client.copyDiff(of(name))),
    async merge(name, { solution, ...options } = {}) {
      const steps = solution?.steps.map(({ at, files }) => ({
        at,
        files: files.map((file) =>
          file.hunks === undefined ? { path: file.path, side: file.side } : { path: file.path, hunks: [...file.hunks] },
        ),
      }));
      const solved = solution && steps ? { solution: { ...solution, steps } } : {};
      return ask(client.mergeCopy({ ...of(name), body: { ...options, ...solved } }));
    },
    showConflicts: (name, options = {}) => ask(client.showCopyConflicts({ ...of(name), body: options })),
    keep: (name, options = {}) => ask(client.keepCopy({ ...of(name), body: options })),
    discard: (name, options = {}) => ask(client.discardCopy({ ...of(name), body: options })),
    clean: async (options = {}) => (await ask(client.cleanCopies({ body: options }))).removed,
    pullRequest: (name, options = {}) => ask(client.pullRequest({ ...of(name), body: options })),
  };
}
