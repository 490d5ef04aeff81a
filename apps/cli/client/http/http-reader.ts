import { isServiceModel } from '@klaus/sdk/service-models';
import { toSafeJsonText } from '@klaus/sdk/printable';
import type { Client } from '@klaus/server/client';
import type { SessionView } from '@klaus/server/contract';
import { UsageError } from '../../program/cli-error.ts';
import type { ListedSession, SessionClient } from '@klaus/sdk/client';
import type { ConnectedServer } from './connect-server.ts';

/** Sessions of one page of the list. */
const PAGE = 200;
/** Events of one page of a log. */
const LOG_PAGE = 5_000;
/** How many of the newest sessions of a folder are checked for one to continue. */
const MAX_CHECKED = 50;

/** The methods of a client that only read. */
export function createHttpReader({ client, name, ask }: ConnectedServer) {
  const known = new Map<string | undefined, ReturnType<Client['settings']>>();
  const readSettings = (workspace?: string) => {
    const settings = known.get(workspace) ?? ask(client.settings({ query: { workspace } }));
    known.set(workspace, settings);
    return settings;
  };
  return {
    async settings(workspace) {
      const { model, maxPromptChars, onAsk } = await readSettings(workspace);
      return { model, maxPromptChars, onAsk: onAsk ?? undefined, lacksBudget: async () => false };
    },
    async session(id) {
      const view = await ask(client.session({ params: { id } }));
      // A session in the queue of the server is worked on as soon as there is room.
      return { ...view, held: view.held || view.position !== null };
    },
    async latest({ cwd }) {
      const workspace = cwd ?? (await readSettings()).workspace;
      const { sessions } = await ask(client.sessions({ query: { workspace, limit: MAX_CHECKED } }));
      const latest = sessions.find(({ parent, model }) => parent === null && !isServiceModel(model));
      if (latest) return latest;
      throw new UsageError(
        `There is no session of ${workspace} at ${name} yet.`,
        '`klaus sessions --server …` lists the sessions of other folders.',
      );
    },
    async sessions({ search, limit, here, archived = false }) {
      if (here)
        throw new UsageError('--here concerns folders of this machine.', 'Leave it out, or search for the folder.');
      const rows: ListedSession[] = [];
      for (let cursor: string | undefined, isLast = false; !isLast && rows.length < limit;) {
        const size = Math.min(PAGE, limit - rows.length);
        const query = { limit: size, archived: String(archived), search, cursor };
        const page: { sessions: SessionView[]; next: string | null } = await ask(client.sessions({ query }));
        rows.push(...page.sessions.map(toListed));
        isLast = page.next === null;
        cursor = page.next ?? undefined;
      }
      return rows;
    },
    async *events(id) {
      for (let after = 0; ;) {
        const page = await ask(client.log({ params: { id }, query: { after, limit: LOG_PAGE } }));
        yield* page.events;
        after = page.events.at(-1)?.seq ?? page.last;
        if (after >= page.last) return;
      }
    },
    callOutput: (id, call) => ask(client.callOutput({ params: { id, call } })),
    search: (id, q, { limit }) => ask(client.searchSession({ params: { id }, query: { q, limit } })),
    async export(id, format, { language } = {}) {
      const document = await ask(client.exportSession({ params: { id }, query: { format, language } }));
      return [format === 'json' ? toSafeJsonText(document) : document];
    },
    async exportTest(id) {
      const { files, notes } = await ask(client.exportTest({ params: { id } }));
      return { files: new Map(files.map(({ path, content }) => [path, Buffer.from(content, 'base64')])), notes };
    },
    async usage({ session, by = session === undefined ? 'day' : 'model', since }) {
      const { budget, ...report } = await ask(client.usage({ query: { by, session, since } }));
      return { ...report, budget };
    },

    async approvals() {
      const { approvals } = await ask(client.approvals());
      const rows = await ask(Promise.all(approvals.map(({ id }) => client.approval({ params: { id } }))));
      return rows.map(({ scopes: _, hunks, ...row }) => ({ ...row, hunks: async () => hunks }));
    },
    async approval(id) {
      const { hunks, ...row } = await ask(client.approval({ params: { id } }));
      return { ...row, hunks: hunks.map((hunk) => hunk.id) };
    },
    givenApprovals: async (id) => (await ask(client.givenApprovals({ params: { id } }))).approvals,
    remembered: async () => (await ask(client.remembered())).remembered,
  } satisfies Partial<SessionClient>;
}

/** A session with the field names that `klaus sessions --json` has on this machine. */
function toListed({ state, agent, tokens, usd, outcome, position, held, questions, problem, ...view }: SessionView) {
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
