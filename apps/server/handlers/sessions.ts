import { basename } from 'node:path';
import { optional } from '@klaus/sdk/optional';
import { KlausError, NO_LIMITS, toQueuedMessages, type Session, type SessionRow } from '@klaus/sdk';
import { toMarkdown, toTranscript } from '@klaus/sdk/transcript';
import type { SessionDetail, SessionView } from '../contract/index.ts';
import type { Context, Document, PartialHandlers } from '../http/handler.ts';
import { isPublicOnly } from '../access/check-network.ts';
import { checkSandbox } from '../access/check-sandbox.ts';
import { toFolder } from '../access/limit-context.ts';
import { checkRole, isLocal } from '../access/request-guard.ts';
import { sendPrompt } from '../runs/send-prompt.ts';
import { Refusal } from '../http/problem.ts';
import { toDefined } from './agents.ts';
import { findRow } from './find-row.ts';
import { toSessionViews } from '../streams/session-view.ts';

/** Rows that are read at once to find sessions by state, for which there is no index. */
const PAGE = 200;

/** The session of an address. @throws KlausError as {@link findRow}, Refusal 410 if it is being deleted. */
export async function findSession({ deletions, ...context }: Context, id: string): Promise<SessionRow> {
  const row = await findRow(context, id);
  if (deletions.undoUntil(row.id) === undefined) return row;
  throw new Refusal(410, 'not_found', {
    title: `Session ${row.id} is being deleted.`,
    detail: `\`POST /api/sessions/${row.id}/keep\` undoes it.`,
  });
}

/** Opens the session of an address. @throws as {@link findSession}. */
export async function openSession(context: Context, id: string): Promise<Session> {
  return context.klaus.handle((await findSession(context, id)).id);
}

async function viewOf(context: Context, id: string): Promise<SessionView> {
  return toSessionViews(context, [(await context.klaus.store.session(id))!])[0]!;
}

export const sessionHandlers = {
  async sessions({ query }, context) {
    const { state, project, sort, cursor, limit, ...rest } = query;
    const order = query.order ?? (sort === 'title' ? 'asc' : 'desc');
    // There is no index of states and projects.
    const count = state === undefined && project === undefined && context.seen.isComplete ? limit + 1 : PAGE;
    const isFound = (view: SessionView): boolean =>
      (state === undefined || view.state === state) && (project === undefined || view.project === project);
    const { deletions, seen } = context;
    const found: SessionView[] = [];
    for (let before = cursor; ;) {
      const rows = await context.klaus.sessions({
        sort,
        order,
        limit: count,
        ...rest,
        before,
      });
      const shown = rows.filter((row) => deletions.undoUntil(row.id) === undefined && seen.sees(row.workspace));
      found.push(...toSessionViews(context, shown).filter(isFound));
      before = rows.at(-1)?.id;
      const isLast = rows.length < count;
      if (found.length > limit || isLast) {
        const sessions = found.slice(0, limit);
        return { sessions, next: found.length > limit ? sessions.at(-1)!.id : null };
      }
    }
  },

  async openSession({ body }, context, { request, identity }) {
    const { klaus, queue } = context;
    const from = { isLocal: isLocal(request) };
    const {
      session: id,
      workspace,
      agent,
      runner,
      workers,
      chat,
      limits,
      model,
      fallback,
      temperature,
      effort,
      mode,
      sandbox,
      isolate,
      grant,
      allowNet,
      workingCopy,
      trustCommand,
      instance,
      startedBy,
      attended,
    } = body;
    // Without a sandbox, a command can do what the user of the server can.
    if (sandbox === 'host') checkRole(identity!, 'admin');
    if (trustCommand && !from.isLocal) {
      throw new KlausError('usage', '`trustCommand` is only accepted over the Unix socket.', {
        hint: 'Leave it out, or start the session on the machine of the server.',
      });
    }
    if (workspace !== undefined && !workspace.startsWith('/')) {
      throw new KlausError('usage', 'The workspace must be an absolute path.');
    }
    const isKnown = id !== undefined && (await klaus.store.head(id)) !== undefined;
    const folder = isKnown ? undefined : toFolder(context, workspace, from);
    if (isKnown) await checkSandbox(context, identity!, (await findRow(context, id)).id);
    const session = isKnown
      ? klaus.handle(id)
      : await klaus.open({
          id,
          workspace: folder,
          agent: toDefined(agent),
          runner,
          chat,
          attended,
          model,
          fallback,
          temperature,
          effort,
          mode,
          sandbox,
          isolate,
          grant,
          allowNet,
          workers,
          workingCopy,
          trustCommand,
          publicOnly: isPublicOnly(identity!),
          instance,
          startedBy,
          checkFolder: (path) => void context.workspaces.check(path, from),
          limits,
        });
    const command = await sendPrompt(klaus, session, body);
    if (command !== undefined) await queue.add(session.id);
    return { session: session.id, command: command ?? null };
  },

  session: async ({ params }, context) => toDetail(context, await findSession(context, params.id)),

  async changeSession({ params, body }, context) {
    const { klaus } = context;
    const session = klaus.handle((await findSession(context, params.id)).id);
    const { limits, ...change } = body;
    if (Object.keys(optional(change)).length > 0) await session.send({ type: 'change', ...change });
    if (limits) await session.send({ type: 'limits', limits });
    await session.applyQueuedCommands();
    // The command is durable. The process that holds the session applies it shortly.
    const { title, pinned, archived, mode } = change;
    return { ...(await viewOf(context, session.id)), ...optional({ title, pinned, archived, mode }) };
  },

  async deleteSession({ params }, context) {
    const { id } = await findSession(context, params.id);
    if (context.queue.isRunning(id) || context.queue.positionOf(id) !== undefined) {
      throw new KlausError('store.busy', 'A run of this session is in progress.', { hint: 'Stop it first.' });
    }
    return { session: id, undoUntil: context.deletions.begin(id) };
  },

  async keepSession({ params }, context) {
    const { id } = await findRow(context, params.id);
    context.deletions.undo(id);
    return viewOf(context, id);
  },

  async exportSession({ params, query: { format, language } }, context, { by }) {
    const { id } = await findSession(context, params.id);
    // The export is audited before the first byte is sent.
    await context.klaus.store.recordExport(id, { format, by });
    return toDocument(context, id, { format, language });
  },

  async exportTest({ params }, context, { by }) {
    const { klaus } = context;
    const { id } = await findSession(context, params.id);
    const { files, notes } = await klaus.exportTest(id);
    await klaus.store.recordExport(id, { format: 'test', by });
    const encoded = [...files].map(([path, content]) => ({ path, content: Buffer.from(content).toString('base64') }));
    return { files: encoded, notes: [...notes] };
  },

  async searchSession({ params, query }, context) {
    const { id } = await findSession(context, params.id);
    const { hits, skipped } = await context.klaus.handle(id).recall.search(query.q, { limit: query.limit });
    return { session: id, hits, skipped };
  },

  async log({ params, query }, context) {
    const { id, lastSeq } = await findSession(context, params.id);
    const events = [];
    const after = query.last === undefined ? query.after : Math.max(0, lastSeq - query.last);
    for await (const event of context.klaus.handle(id).events(after)) {
      events.push(event);
      if (events.length === (query.last ?? query.limit)) break;
    }
    return { events, last: lastSeq };
  },

  async sessionEvents({ params, query }, context, exchange) {
    const { id } = await findSession(context, params.id);
    const last = Number(exchange.request.headers['last-event-id']);
    const after = Number.isInteger(last) && last > 0 ? last : query.after;
    context.hubs.follow(id, { stream: exchange.openStream(), after });
  },
} satisfies PartialHandlers;

function toCopyView({ path, branch, repository }: { path: string; branch: string; repository: string }) {
  return { name: basename(path), branch, repository };
}

async function toDetail(context: Context, row: SessionRow): Promise<SessionDetail> {
  const { klaus } = context;
  const { id } = row;
  const usage = await klaus.usage({ session: id });
  const limits = { ...NO_LIMITS };
  const [opened] = await klaus.store.eventsOf(id, ['session.opened']);
  const ended = opened?.workingCopy && (await klaus.store.lastOf(id, ['workingCopy.ended']));
  for (const event of await klaus.store.eventsOf(id, ['session.opened', 'session.changed'])) {
    if (event.limits) Object.assign(limits, event.limits);
  }
  const known = klaus.models().models.find(({ name }) => name === row.model);
  const turn = await klaus.store.lastOf(id, ['turn.started']);
  return {
    ...toSessionViews(context, [row])[0]!,
    limits,
    budget: usage.budget ?? [],
    contextWindow: turn?.modelInfo?.contextWindow ?? known?.contextWindow ?? null,
    queue: toQueuedMessages(await klaus.store.inbox(id)),
    pins: await klaus.handle(id).pins(),
    workingCopy: opened?.workingCopy ? { ...toCopyView(opened.workingCopy), ended: ended?.how ?? null } : null,
  };
}

function toDocument(
  { klaus }: Context,
  id: string,
  { format, language }: { format: 'md' | 'json' | 'html'; language?: 'en' | 'de' },
): Document {
  const session = klaus.handle(id);
  if (format === 'html') {
    const content = (async function* () {
      yield await klaus.shareHtml(id, { language });
    })();
    return { mediaType: 'text/html; charset=utf-8', fileName: `klaus-${id}.html`, content };
  }
  if (format === 'md') {
    const content = (async function* () {
      for (const entry of toTranscript(await Array.fromAsync(session.events())))
        yield `${toMarkdown(entry, { full: `klaus show ${id} --full` })}\n`;
    })();
    return { mediaType: 'text/markdown; charset=utf-8', fileName: `klaus-${id}.md`, content };
  }
  const content = (async function* () {
    yield `{"session":${JSON.stringify(await klaus.store.session(id))},\n"events":[`;
    let separator = '\n';
    for await (const event of session.events()) {
      yield `${separator}${JSON.stringify(event)}`;
      separator = ',\n';
    }
    yield '\n]}\n';
  })();
  return { mediaType: 'application/json', fileName: `klaus-${id}.json`, content };
}
