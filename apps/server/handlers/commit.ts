import type { Context, Exchange, PartialHandlers } from '../http/handler.ts';
import { readConfiguration } from '../runs/send-prompt.ts';
import { findSession, openSession } from './sessions.ts';

/** Calls a tool for the user, in a run of its own. The result follows in the log. */
async function call(
  context: Context,
  id: string,
  { name, input, by }: { name: string; input: Record<string, string | string[] | boolean>; by: Exchange['by'] },
) {
  const { klaus, queue } = context;
  const { lastSeq: after } = await findSession(context, id);
  const session = await openSession(context, id);
  const configuration = await readConfiguration(klaus, session.id);
  const onAsk = configuration.get('onAsk') ?? 'wait';
  const command = await session.send({ type: 'call', name, input, by, onAsk });
  await queue.add(session.id);
  return { session: session.id, command, after };
}

export const commitHandlers = {
  async repository({ params }, context) {
    const { workspace } = await findSession(context, params.id);
    context.workspaces.checkKnown(workspace);
    return { repository: (await (await context.klaus.files(workspace)).repository()) ?? null };
  },

  createBranch: ({ params, body }, context, { by }) =>
    call(context, params.id, { name: 'git_branch', input: { action: 'create', name: body.name }, by }),

  commit: ({ params, body }, context, { by }) =>
    call(context, params.id, { name: 'git_commit', input: { message: body.message, paths: body.paths }, by }),

  push: ({ params, body }, context, { by }) =>
    call(context, params.id, {
      name: 'push_branch',
      input: { remote: body.remote, branch: body.branch, force: false, protected: [] },
      by,
    }),
} satisfies PartialHandlers;
