import type { IncomingMessage } from 'node:http';
import {
  type InspectedServer,
  isKlausError,
  KlausError,
  type McpEntry,
  type ReviewedServer,
  toShownEntry,
} from '@klaus/sdk';
import { isLocal } from '../../access/request-guard.ts';
import { checkSettingsEnabled } from '../../access/settings-enabled.ts';
import type { McpReviewView, McpServerView, McpTestView } from '../../contract/index.ts';
import type { Context, PartialHandlers } from '../../http/handler.ts';
import type { McpTarget } from '../../mcp/mcp-work.ts';

/** Milliseconds that a server has to start, and for all that is asked of it. */
const START_MS = 20_000;
const ALL_MS = 60_000;

const bounds = () => ({ signal: AbortSignal.timeout(ALL_MS), startMs: START_MS });

interface Given {
  params?: { name?: string };
  query: { workspace?: string | undefined };
}

export const mcpServerHandlers = {
  async mcpServers(given, context, { request }) {
    const target = await find(given, context, request);
    const entries = await target.mcp.list();
    const views = entries.map((entry, at) => {
      const isHidden = entries.findIndex(({ name }) => name === entry.name) < at;
      return toView(entry, { ...target, name: entry.name, isHidden, context });
    });
    return { servers: await Promise.all(views) };
  },

  async addMcpServer({ body: { name, from, server }, ...given }, context, { request }) {
    const { mcp } = await find(given, context, request);
    if ((await mcp.list()).some((entry) => entry.name === name && entry.from === from)) {
      throw new KlausError('usage', `There is an MCP server ${name} already.`, {
        hint: 'Choose another name, or remove it.',
      });
    }
    const file = await mcp.add(name, withoutAbsent(server), from);
    return { file };
  },

  async removeMcpServer(given, context, { request }) {
    const target = await find(given, context, request);
    await context.mcp.cancelLogin(target);
    return { file: await target.mcp.remove(target.name) };
  },

  async testMcpServer(given, context, { request }) {
    const { mcp, name } = await find(given, context, request);
    return toTest(await mcp.test(name, bounds()));
  },

  async trustMcpServer({ body: { hash }, ...given }, context, { request }) {
    const { mcp, name } = await find(given, context, request);
    await mcp.trust(name, hash);
    return { isTrusted: true as const };
  },

  async reviewMcpServer(given, context, { request }) {
    const target = await find(given, context, request);
    const found = await target.mcp.review(target.name, bounds());
    return toReview(context.mcp.addReview(target, found), found);
  },

  async acceptMcpServer({ body: { review, reading }, ...given }, context, { request }) {
    const target = await find(given, context, request);
    const found = context.mcp.takeReview(target, review);
    if (!found) {
      throw new KlausError('usage', 'These descriptions are not known any more.', { hint: 'Read them again.' });
    }
    const unknown = reading?.find((name) => !found.tools.some((tool) => tool.name === name));
    if (unknown !== undefined) throw new KlausError('usage', `The server has no tool ${unknown}.`);
    found.accept(reading);
    return { accepted: found.tools.length };
  },

  async mcpLogin(given, context, { request }) {
    return { login: context.mcp.login(await find(given, context, request)) };
  },

  async startMcpLogin(given, context, { request }) {
    return { ...(await context.mcp.startLogin(await find(given, context, request))) };
  },

  async answerMcpLogin({ body: { address }, ...given }, context, { request }) {
    const target = await find(given, context, request);
    if (!(await context.mcp.answerLogin(target, address))) {
      throw new KlausError('usage', 'This is not the address to which the browser was sent back.', {
        hint: 'It begins with `http://127.0.0.1:` and has the path `/callback`.',
      });
    }
    return { ...context.mcp.login(target)! };
  },

  async cancelMcpLogin(given, context, { request }) {
    await context.mcp.cancelLogin(await find(given, context, request));
    return {};
  },
} satisfies PartialHandlers;

/** @throws Refusal, KlausError `workspace.*`. */
async function find(given: Given, { klaus, workspaces }: Context, request: IncomingMessage): Promise<McpTarget> {
  await checkSettingsEnabled(klaus);
  const path = workspaces.check(given.query.workspace ?? workspaces.configured, { isLocal: isLocal(request) });
  // Servers are configured and trusted in the repository of a working copy.
  const folder = klaus.copies.repositoryOf(path) ?? path;
  return { mcp: klaus.mcp(folder), folder, name: given.params?.name ?? '' };
}

async function toView(
  entry: McpEntry,
  { isHidden, context, ...target }: McpTarget & { isHidden: boolean; context: Context },
): Promise<McpServerView> {
  const { name, from, hash, isTrusted, isAccepted, variables, address } = entry;
  const { isLoggedIn, problem } = await readLogin(target);
  return {
    ...{ name, from, ...toShownEntry(entry.entry), variables: [...variables], hash, grant: address ?? null },
    ...{ isTrusted, isAccepted, isHidden, problem, isLoggedIn: isHidden ? null : isLoggedIn },
    login: isHidden ? null : context.mcp.login(target),
  };
}

async function readLogin({ mcp, name }: McpTarget): Promise<Pick<McpServerView, 'isLoggedIn' | 'problem'>> {
  try {
    return { isLoggedIn: (await mcp.isLoggedIn(name)) ?? null, problem: null };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return { isLoggedIn: null, problem: error.message };
  }
}

function toTest({ pinned: _, prompts, ...found }: InspectedServer): McpTestView {
  return { ...found, prompts: prompts.length };
}

function toReview(review: string, found: ReviewedServer): McpReviewView {
  const { server, tools, changed, diff = null, reading, warning } = found;
  return { review, server, tools, changed: [...changed], diff, reading: [...reading], warning };
}

function withoutAbsent(server: object): object {
  return Object.fromEntries(Object.entries(server).filter(([, value]) => value !== undefined));
}
