import { optional } from '@klaus/sdk/optional';
import type { Event, UsageReport } from '@klaus/sdk';
import type { SessionView } from '@klaus/server/contract';
import { EXIT } from '../program/exit-codes.ts';
import { printApprovals } from '../listing/approval-text.ts';
import { MAX_PLACES, printRecalled } from '../listing/recalled-text.ts';
import { FORGOTTEN, printRemembered } from '../listing/remembered-text.ts';
import { printSessions } from '../listing/session-table.ts';
import { toTestFolder, writeTestFolder } from '../listing/test-folder.ts';
import { printTranscript } from '../listing/transcript-text.ts';
import { toUsageText } from '../listing/usage-text.ts';
import type { ServerOptions } from '../program/server-option.ts';
import { atServer, type RemoteServer } from './connect-server.ts';
import { out } from '../output/sink.ts';
import { type ExportOptions, printDocument } from '../commands/sessions/export.ts';
import { toSafeJsonText } from '@klaus/sdk/printable';

/** Sessions of one page of the list. */
const PAGE = 200;
/** Events of one page of a log. */
const LOG_PAGE = 5_000;

/** `klaus sessions --server`: the same lines as of this machine, but for background processes. */
export async function sessionsAt(
  search: string | undefined,
  options: ServerOptions & { json?: true; limit: number },
): Promise<number> {
  return await atServer(options, async ({ client }) => {
    const views: SessionView[] = [];
    for (let cursor: string | null = ''; cursor !== null && views.length < options.limit;) {
      const query = {
        limit: Math.min(PAGE, options.limit - views.length),
        ...optional({ search }),
        ...(cursor === '' ? {} : { cursor }),
      };
      const { sessions, next }: { sessions: SessionView[]; next: string | null } = await client.sessions({ query });
      views.push(...sessions);
      cursor = next;
    }
    const rows = views.map(toRow);
    if (options.json === true) for (const row of rows) out.json(row);
    else printSessions(rows, search);
    return EXIT.done;
  });
}

/** The names that `klaus sessions --json` has for a session of this machine. */
function toRow({ state, agent, tokens, usd, outcome, position, held, questions, problem, ...view }: SessionView) {
  return {
    ...view,
    agentType: agent,
    status: toStatus(state, outcome),
    outcome,
    inputTokens: tokens.input,
    outputTokens: tokens.output,
    cacheReadTokens: tokens.cacheRead,
    cacheWriteTokens: tokens.cacheWrite,
    costUsd: usd,
    held,
    position,
    questions,
    problem,
  };
}

function toStatus(state: SessionView['state'], outcome: string | null): string {
  if (state === 'needs-you') return 'waiting';
  if (state === 'idle') return 'new';
  return state === 'done' || state === 'failed' ? (outcome ?? state) : state;
}

/** `klaus show --server`. */
export async function showAt(
  id: string,
  options: ServerOptions & { json?: true; plain?: true; raw?: true },
): Promise<number> {
  return await atServer(options, async (server) => {
    const events: Event[] = [];
    for await (const page of readLog(server, id)) {
      if (options.json !== true) events.push(...page);
      else for (const event of page) out.json(event);
    }
    printTranscript(events, options);
    return EXIT.done;
  });
}

async function* readLog({ client }: RemoteServer, id: string): AsyncGenerator<Event[]> {
  for (let after = 0; ;) {
    const { events, last } = await client.log({ params: { id }, query: { after, limit: LOG_PAGE } });
    yield events;
    after = events.at(-1)?.seq ?? last;
    if (after >= last) return;
  }
}

/** `klaus export --server`: the document as the server makes it. The host chain of the server knows of it. */
export async function exportAt(id: string, options: ExportOptions): Promise<number> {
  return await atServer(options, async ({ client }) => {
    const document = await client.exportSession({ params: { id }, query: { format: options.format } });
    if (options.format === 'md') printDocument(document, options);
    else out.write(toSafeJsonText(document));
    return EXIT.done;
  });
}

/** `klaus approvals --server`. */
export async function approvalsAt(options: ServerOptions & { json?: true }): Promise<number> {
  return await atServer(options, async ({ client }) => {
    const { approvals } = await client.approvals();
    const rows = await Promise.all(approvals.map(({ id }) => client.approval({ params: { id } })));
    if (options.json !== true) printApprovals(rows);
    else for (const { hunks: _hunks, scopes: _scopes, ...row } of rows) out.json(row);
    return EXIT.done;
  });
}

/** `klaus approvals --remembered --server`. */
export async function rememberedAt(options: ServerOptions & { json?: true }): Promise<number> {
  return await atServer(options, async ({ client }) => {
    printRemembered((await client.remembered()).remembered, options.json === true);
    return EXIT.done;
  });
}

/** `klaus approvals --forget ID --server`. */
export async function forgetAt(id: string, options: ServerOptions): Promise<number> {
  return await atServer(options, async ({ client }) => {
    await client.forgetRemembered({ params: { id } });
    out.write(FORGOTTEN);
    return EXIT.done;
  });
}

/** `klaus show --grep --server`. */
export async function grepAt(
  id: string,
  q: string,
  options: ServerOptions & { json?: true; plain?: true },
): Promise<number> {
  return await atServer(options, async ({ client }) => {
    const { session, ...found } = await client.searchSession({ params: { id }, query: { q, limit: MAX_PLACES } });
    printRecalled(session, found, options);
    return EXIT.done;
  });
}

/** `klaus export --as test --server`: made at the server, written here. */
export async function exportTestAt(id: string, options: ServerOptions & { out?: string }): Promise<number> {
  return await atServer(options, async ({ client }) => {
    const { id: session } = await client.session({ params: { id } });
    const folder = toTestFolder(session, options.out);
    const { files, notes } = await client.exportTest({ params: { id: session } });
    writeTestFolder(folder, {
      files: new Map(files.map(({ path, content }) => [path, Buffer.from(content, 'base64')])),
      notes,
    });
    return EXIT.done;
  });
}

export interface UsageAtOptions extends ServerOptions {
  by?: UsageReport['by'];
  /** Unix milliseconds. */
  since?: number;
  json?: true;
}

/** `klaus usage --server`. */
export async function usageAt(id: string | undefined, options: UsageAtOptions): Promise<number> {
  return await atServer(options, async ({ client }) => {
    const { by = id === undefined ? 'day' : 'model', since } = options;
    const query = { by, ...optional({ session: id, since }) };
    const { budget, ...rest } = await client.usage({ query });
    const report = { ...rest, ...(budget ? { budget } : {}) };
    if (options.json === true) out.json(report, 2);
    else out.write(toUsageText(report));
    return EXIT.done;
  });
}
