import { listPromptCommands } from '@klaus/sdk/mcp-prompts';
import { isLocal } from '../access/request-guard.ts';
import type { PartialHandlers } from '../http/handler.ts';
import { findSession } from './sessions.ts';

export const mcpHandlers = {
  async mcpPrompts({ query: { session, workspace } }, context, { request }) {
    const { klaus, workspaces } = context;
    const given = workspace ?? workspaces.configured;
    const path =
      session === undefined
        ? workspaces.check(given, { isLocal: isLocal(request) })
        : (await findSession(context, session)).workspace;
    // Servers are configured and trusted in the repository of a working copy.
    const folder = klaus.copies.repositoryOf(path) ?? path;
    return { prompts: listPromptCommands({ home: klaus.home, folder }) };
  },
} satisfies PartialHandlers;
