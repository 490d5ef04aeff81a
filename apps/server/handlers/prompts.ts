import { homedir } from 'node:os';
import { deletePrompt, listPrompts, savePrompt } from '@klaus/sdk/prompts';
import { isLocal } from '../access/request-guard.ts';
import type { PartialHandlers } from '../http/handler.ts';
import { findSession } from './sessions.ts';

export const savedPromptHandlers = {
  async prompts({ query: { session, workspace } }, context, { request }) {
    const { klaus, workspaces } = context;
    const given = workspace ?? workspaces.configured;
    const folder =
      session === undefined
        ? workspaces.check(given, { isLocal: isLocal(request) })
        : (await findSession(context, session)).workspace;
    const found = listPrompts({ workspace: folder, home: homedir(), state: klaus.home });
    return {
      prompts: found.map(({ description = null, argumentHint = null, ...prompt }) => ({
        ...prompt,
        description,
        argumentHint,
      })),
    };
  },

  savePrompt({ params: { name }, body }, { klaus }) {
    savePrompt(klaus.home, name, body);
    return { name };
  },

  deletePrompt({ params: { name } }, { klaus }) {
    deletePrompt(klaus.home, name);
    return { name };
  },
} satisfies PartialHandlers;
