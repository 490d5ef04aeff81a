import { headOf } from '@klaus/sdk/cut-text';
import { isLocal } from '../access/request-guard.ts';
import type { Context, Exchange, PartialHandlers } from '../http/handler.ts';
import { KlausError, type WorkingCopy } from '@klaus/sdk';

type Asked = Pick<Exchange, 'request'>;

/** True if the server may work in the repository of a copy. Over the Unix socket it may work in any. */
function isAllowed({ workspaces }: Context, { repository }: Pick<WorkingCopy, 'repository'>, { request }: Asked) {
  return isLocal(request) || workspaces.allowsKnown(repository);
}

/** The copies of a request: its name, checked. @throws KlausError `workspace.outside`, `copy.missing`. */
async function check(context: Context, name: string, asked: Asked): Promise<string> {
  const repository = await context.klaus.copies.findRepository(name);
  if (repository === undefined || isAllowed(context, { repository }, asked)) return name;
  if (!context.seen.sees(repository)) {
    throw new KlausError('copy.missing', `There is no working copy ${headOf(name, 100)} in your projects.`, {
      hint: '`GET /api/copies` lists them.',
    });
  }
  throw new KlausError('workspace.outside', `The server may not work in ${repository}.`, {
    hint: 'Add the folder to the setting `server.workspaces` (KLAUS_SERVER_WORKSPACES) of the server.',
  });
}

/** Redacts the secrets of the workspace of a session, and of Klaus, in texts without NUL. */
async function redactIn({ klaus }: Context, workspace: string, texts: readonly string[]): Promise<string[]> {
  // Secrets are read once for all texts.
  return (await (await klaus.files(workspace)).redact(texts.join('\0'))).split('\0');
}

export const copyHandlers = {
  async copies(_given, context, asked) {
    const copies = await context.klaus.copies.list();
    return { copies: copies.filter((copy) => isAllowed(context, copy, asked)) };
  },

  async cleanCopies({ body }, context, asked) {
    const { klaus } = context;
    const found = await klaus.copies.clean({ dryRun: true });
    const removed = found.filter((copy) => isAllowed(context, copy, asked));
    const isDry = body.dryRun === true;
    const done: (WorkingCopy & { saved: string[] })[] = [];
    for (const copy of removed)
      done.push({ ...copy, saved: isDry ? [] : [...(await klaus.copies.discard(copy.name)).saved] });
    return { removed: done };
  },

  async copyDiff({ params }, context, asked) {
    const { klaus } = context;
    const { copy, base, files } = await klaus.copies.diff(await check(context, params.copy, asked));
    const diffs = await redactIn(
      context,
      copy.path,
      files.map(({ diff }) => diff ?? ''),
    );
    return { copy, base, files: files.map((file, at) => ({ ...file, diff: file.diff === null ? null : diffs[at]! })) };
  },

  async mergeCopy({ params, body }, context, asked) {
    const { method, into, message, solution } = body;
    const options = { method, into, message, solution };
    const { klaus } = context;
    const merged = await klaus.copies.merge(await check(context, params.copy, asked), options);
    if (merged.done) {
      const { submodules, notes, saved } = merged;
      return { ...merged, submodules: [...submodules], notes: [...notes], saved: [...saved] };
    }
    const given = merged.conflicts.flatMap(({ hunks }) =>
      hunks.flatMap(({ target, base, copy }) => [target, base, copy]),
    );
    const copy = (await klaus.copies.list()).find(({ session }) => session === merged.session)!;
    const shown = await redactIn(context, copy.path, given);
    let at = 0;
    const conflicts = merged.conflicts.map(({ path, messages, hunks, sides }) => ({
      path,
      messages: [...messages],
      hunks: hunks.map(({ line }) => {
        const [target = '', base = '', copy = ''] = shown.slice(at, at + 3);
        const isEditable = given.slice(at, at + 3).every((text, index) => text === shown[at + index]);
        at += 3;
        return { line, target, base, copy, isEditable };
      }),
      sides: sides.map((side): 'target' | 'copy' => side),
    }));
    const { done, session, into: branch, target, head, at: commit } = merged;
    return { done, session, into: branch, target, head, at: commit, conflicts };
  },

  async showCopyConflicts({ params, body }, context, asked) {
    const { session, path, files, prompt } = await context.klaus.copies.showConflicts(
      await check(context, params.copy, asked),
      body,
    );
    return { session, path, files: [...files], prompt };
  },

  async keepCopy({ params, body }, context, asked) {
    const kept = await context.klaus.copies.keep(await check(context, params.copy, asked), body);
    return { ...kept, notes: [...kept.notes] };
  },

  async discardCopy({ params, body }, context, asked) {
    const { session, saved } = await context.klaus.copies.discard(await check(context, params.copy, asked), body);
    return { session, saved: [...saved] };
  },

  pullRequest: async ({ params, body }, context, asked) =>
    context.klaus.copies.pullRequest(await check(context, params.copy, asked), body),
} satisfies PartialHandlers;
