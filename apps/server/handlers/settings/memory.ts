import type { IncomingMessage } from 'node:http';
import type { Knowledge, KnowledgeEntry } from '@klaus/sdk';
import { checkComplete, toFolder } from '../../access/limit-context.ts';
import { isLocal } from '../../access/request-guard.ts';
import type { NoteView } from '../../contract/settings/memory-routes.ts';
import type { Context, PartialHandlers } from '../../http/handler.ts';

export const memoryHandlers = {
  async memory({ query: { workspace } }, context, { request }) {
    const notes = await open(context, workspace, request).list({ limit: Number.MAX_SAFE_INTEGER });
    return { notes: notes.map(toView) };
  },

  async setNote({ query: { workspace }, body }, context, { request }) {
    if (body.scope === 'global') checkComplete(context);
    return toView(await open(context, workspace, request).set(body));
  },

  async removeNote({ params: { key, scope }, query: { workspace } }, context, { request }) {
    if (scope === 'global') checkComplete(context);
    return { isRemoved: await open(context, workspace, request).remove(key, scope) };
  },
} satisfies PartialHandlers;

/** @throws Refusal, KlausError `workspace.missing` for a workspace that clients may not use. */
function open(context: Context, workspace: string | undefined, request: IncomingMessage): Knowledge {
  return context.klaus.memory(toFolder(context, workspace, { isLocal: isLocal(request) }));
}

function toView({ key, value, category, scope, session, updatedAt }: KnowledgeEntry): NoteView {
  return { key, value, category, scope, session, updatedAt };
}
