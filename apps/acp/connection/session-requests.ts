import {
  RequestError,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type NewSessionRequest,
} from '@agentclientprotocol/sdk/unstable';
import { isAbsolute } from 'node:path';
import { toRealFolder } from '../session/editor-folder.ts';
import type { EditorSession } from '../session/editor-session.ts';
import { isEffort, isMode } from '../updates/config-options.ts';
import { toUnsupported, type EditorSessions } from './editor-sessions.ts';
import { toRequestError } from './request-error.ts';

/** The code of an error that a key is missing or refused. */
const AUTH_REQUIRED = -32_000;
/** Sessions of a page of the list. */
const PAGE = 100;
/** How many of the newest sessions are listed. */
const MAX_LISTED = 2_000;

/** A folder, and what a client offers that is not used. */
export type FolderRequest = Pick<NewSessionRequest, 'cwd' | 'additionalDirectories'> & {
  mcpServers?: readonly { name: string }[];
};

/** Runs a request. Errors with a code of Klaus become errors of the protocol. */
export function createCoded(of: () => EditorSessions) {
  return async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run();
    } catch (error) {
      const shown = toRequestError(error);
      // The user may store a key before the next request.
      if (shown instanceof RequestError && shown.code === AUTH_REQUIRED) of().expire();
      throw shown;
    }
  };
}

/** Opens a session. @throws KlausError `auth` without a key, `workspace.*`. */
export async function openSession(sessions: EditorSessions, params: FolderRequest) {
  checkFolder(params.cwd);
  const client = await sessions.client(params.cwd);
  const sessionId = await client.open({
    ...sessions.defaults,
    workspace: params.cwd,
    chat: true,
    attended: true,
    parts: [],
  });
  const session = await sessions.attach(sessionId, {
    cwd: params.cwd,
    isReplay: false,
    notices: toUnsupported(params),
  });
  return { sessionId, session };
}

/** A loaded session keeps its own workspace. @param options.isReplay True: its history is sent first. */
export async function attach(
  sessions: EditorSessions,
  { sessionId, ...params }: FolderRequest & { sessionId: string },
  { isReplay }: { isReplay: boolean },
): Promise<EditorSession> {
  checkFolder(params.cwd);
  await sessions.check(sessionId, params.cwd);
  return sessions.attach(sessionId, { cwd: params.cwd, isReplay, notices: toUnsupported(params) });
}

function checkFolder(cwd: string): void {
  if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, '`cwd` must be an absolute path.');
}

/** Changes an option. Returns all of them. @throws RequestError -32602 for an unknown option or value. */
export async function setOption(session: EditorSession, { configId, value }: { configId: string; value: unknown }) {
  const options = session.configOptions();
  if (options.some(({ id, currentValue }) => id === configId && currentValue === value)) return options;
  const change = toChange(configId, value);
  if (!change) throw RequestError.invalidParams({ configId, value }, 'There is no such option or value.');
  await session.change(change);
  return session.configOptions(change);
}

function toChange(configId: string, value: unknown) {
  if (typeof value !== 'string') return undefined;
  if (configId === 'mode' && isMode(value)) return { mode: value };
  if (configId === 'effort' && isEffort(value)) return { effort: value };
  // The engine knows models and refuses others.
  return configId === 'model' ? { model: value } : undefined;
}

/** Sessions without those that another one started, the newest first. */
export async function listSessions(
  sessions: EditorSessions,
  params: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const { cwd, cursor } = params;
  const from = cursor === undefined || cursor === null ? 0 : Number(cursor);
  if (!Number.isSafeInteger(from) || from < 0) throw RequestError.invalidParams({ cursor }, 'The cursor is invalid.');
  if (cwd) checkFolder(cwd);
  const client = await sessions.client(cwd ?? undefined);
  const real = cwd ? toRealFolder(cwd) : undefined;
  const rows = (await client.sessions({ limit: MAX_LISTED })).filter(
    ({ parent, workspace }) => parent === null && (!cwd || workspace === cwd || workspace === real),
  );
  const page = rows.slice(from, from + PAGE);
  return {
    sessions: page.map(({ id, workspace, title, firstPrompt, updatedAt }) => ({
      sessionId: id,
      cwd: cwd ?? workspace,
      title: title ?? firstPrompt ?? null,
      updatedAt,
    })),
    ...(from + PAGE < rows.length ? { nextCursor: String(from + PAGE) } : {}),
  };
}
