import { isLocal } from '../access/request-guard.ts';
import { readPresent } from '../access/present-settings.ts';
import type { KnownModel, MessageHit } from '@klaus/sdk';
import { API_VERSION, type ModelView, type SearchHit } from '../contract/index.ts';
import { DELETE_UNDO_MS } from '../runs/deletions.ts';
import type { Context, PartialHandlers } from '../http/handler.ts';
import { findRow } from './find-row.ts';
import { toOpenApi } from '../http/openapi.ts';
import { Refusal } from '../http/problem.ts';

export const hostHandlers = {
  health: (_given, { version }) => ({ status: 'ok', version, api: API_VERSION }),

  async settings(
    { query: { workspace } },
    { klaus, queue, seen, workspaces, version, maxBodyBytes, prepareDemo },
    { request, identity },
  ) {
    const folder = workspace === undefined ? undefined : workspaces.check(workspace, { isLocal: isLocal(request) });
    const configuration = folder === undefined ? await readPresent(klaus) : await klaus.configurationOf(folder);
    const start = await klaus.startMode({ workspace: folder, person: identity?.name });
    return {
      version,
      workspace: workspace ?? (seen.isComplete ? configuration.get('workspace') : workspaces.configured),
      model: configuration.get('model'),
      mode: start.mode,
      modeChosenAt: start.chosenAt ?? null,
      onAsk: configuration.get('onAsk') ?? null,
      sandbox: configuration.get('sandbox.driver') ?? null,
      isolate: configuration.get('isolate'),
      limits: configuration.values.limits,
      maxPromptChars: configuration.get('maxPromptChars'),
      maxBodyBytes,
      maxConcurrent: queue.limit,
      canMoveQueued: queue.canMove,
      deleteUndoMs: DELETE_UNDO_MS,
      monthlyUsd: configuration.get('usage.monthlyUsd'),
      hasSettings: configuration.get('server.settings'),
      hasDemo: prepareDemo !== undefined && seen.isComplete,
    };
  },

  async chooseMode({ body }, { klaus }, { identity, by }) {
    await klaus.chooseMode(body.mode, { by, person: identity?.name });
    return { mode: (await klaus.startMode({ person: identity?.name })).mode };
  },

  async metrics(_given, { metrics }) {
    if (metrics) return { mediaType: metrics.mediaType, content: [await metrics.toText()] };
    throw new Refusal(404, 'not_found', {
      title: 'Metrics are disabled.',
      detail: 'Set AGENT_METRICS_ENABLED to true.',
    });
  },

  openapi: (_given, { version, basePath }) => toOpenApi(version, basePath),

  events: (_given, { feed, seen }, exchange) => feed.add(exchange.openStream(), seen),

  runs(_given, { klaus, queue, seen }) {
    const isSeen = ({ session }: { session: string }): boolean =>
      seen.isComplete || seen.sees(klaus.store.view.session(session)?.workspace ?? '');
    return { running: queue.running.filter(isSeen), queued: queue.queued.filter(isSeen), limit: queue.limit };
  },

  async models(_given, { klaus }) {
    await readPresent(klaus);
    const { models, asOf } = klaus.models();
    const chosen = klaus.configuration.get('model');
    const highest = Math.max(0, ...models.map((model) => model.prices[0]?.price.output ?? 0));
    return { models: models.map((model) => toModelView(model, { chosen, highest })), asOf };
  },

  async usage({ query }, context) {
    const { by, session, since } = query;
    const id = session === undefined ? undefined : (await findRow(context, session)).id;
    const workspaces = session === undefined ? await listSeen(context) : undefined;
    return await context.klaus.usage({ by, session: id, since, workspaces });
  },

  search: async ({ query }, context) => ({
    hits: (await searchSeen(context, query)).map((hit) => toHit(hit, query.q)),
  }),
} satisfies PartialHandlers;

/** The workspaces with usage that the sender may see; undefined if these are all. */
async function listSeen({ klaus, seen }: Context): Promise<string[] | undefined> {
  if (seen.isComplete) return undefined;
  // A row of deleted sessions has no workspace.
  return (await klaus.store.usage({ by: 'workspace' })).map(({ key }) => key ?? '').filter(seen.sees);
}

/** Most messages that are searched for the ones of some projects. */
const MAX_HITS = 20_000;

/** The best hits in the sessions that the sender may see. */
async function searchSeen({ klaus, seen }: Context, { q, limit }: { q: string; limit: number }): Promise<MessageHit[]> {
  const isSeen = ({ session }: MessageHit): boolean =>
    seen.isComplete || seen.sees(klaus.store.view.session(session)?.workspace ?? '');
  for (let count = limit; ; count *= 4) {
    const hits = await klaus.search(q, { limit: count });
    const own = hits.filter(isSeen).slice(0, limit);
    if (own.length === limit || hits.length < count || count >= MAX_HITS) return own;
  }
}

const TIER_TEXTS = { opus: 'Strongest', sonnet: 'Everyday work', haiku: 'Fast and cheap' } as const;

function toModelView(model: KnownModel, { chosen, highest }: { chosen: string; highest: number }): ModelView {
  const { name, provider, tier, until, usable, contextWindow, maxOutputTokens, images } = model;
  const price = model.prices[0]?.price;
  const size = contextWindow >= 1_000_000 ? `${contextWindow / 1_000_000}M` : `${Math.round(contextWindow / 1_000)}K`;
  const words = [tier === undefined ? 'Known model' : TIER_TEXTS[tier], `${size} tokens of context`];
  return {
    name,
    provider,
    description: `${words.join(', ')}${images ? '' : ', no images'}${until === undefined ? '' : `; ends on ${until}`}.`,
    tier: tier ?? null,
    contextWindow,
    maxOutputTokens,
    images,
    efforts: [...(model.efforts ?? [])],
    price: price ?? null,
    relativePrice: price === undefined || highest === 0 ? null : Math.round((price.output / highest) * 1_000) / 1_000,
    until: until ?? null,
    usable,
    isDefault: usable && (name === chosen || tier === chosen || name.slice(provider.length + 1) === chosen),
  };
}

/** Characters of a snippet, and of its part before the first match. */
const SNIPPET = 240;
const BEFORE = 60;

function toHit({ content, ...hit }: MessageHit, query: string): SearchHit {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(ing|ed|es|s)$/u, ''));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.filter(Boolean).join('|')})[\\p{L}\\p{N}]*`, 'giu');
  const at = Math.max(0, (words.length === 0 ? 0 : content.search(pattern)) - BEFORE);
  const text = `${at > 0 ? '…' : ''}${content.slice(at, at + SNIPPET).toWellFormed()}${at + SNIPPET < content.length ? '…' : ''}`;
  const snippet: SearchHit['snippet'] = [];
  let last = 0;
  for (const match of words.length === 0 ? [] : text.matchAll(pattern)) {
    if (match.index > last) snippet.push({ text: text.slice(last, match.index), hit: false });
    snippet.push({ text: match[0], hit: true });
    last = match.index + match[0].length;
  }
  if (last < text.length) snippet.push({ text: text.slice(last), hit: false });
  return { ...hit, snippet };
}
