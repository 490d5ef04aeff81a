import type { ApprovalRow, AttentionFilter, AttentionItem, AttentionList, SessionRow } from '@klaus/core/agent';
import {
  type AskedRow,
  ATTENTION_LIMIT,
  findRoot,
  MAX_RUNNING,
  type SessionFacts,
  toAsked,
  toAttentionList,
  toEnded,
  toInterrupted,
} from '../../shared/attention-items.ts';
import type { ViewRow } from './view-part.ts';

/** What a view has in memory. */
export interface ViewState {
  rows: ReadonlyMap<string, ViewRow>;
  /** Open questions by session. */
  approvals: ReadonlyMap<string, readonly ApprovalRow[]>;
  claims: ReadonlySet<string>;
}

/** The sessions that need the user, as the query of the same name returns them. */
export function toViewAttention(state: ViewState, { limit = ATTENTION_LIMIT }: AttentionFilter = {}): AttentionList {
  const parentOf = (id: string): string | undefined => {
    const row = state.rows.get(id)?.row;
    return row?.parent != null && row.forkedFrom === null && state.rows.has(row.parent) ? row.parent : undefined;
  };
  const asked = listAsked(state, parentOf);
  const interrupted = listInterrupted(state, new Set(asked.map(({ session }) => session)), parentOf);
  const ended = [...state.rows.values()]
    .flatMap((one) => (one.ended ? [{ ...one, ended: one.ended }] : []))
    .toSorted((a, b) => (toRecency(a.row) < toRecency(b.row) ? -1 : 1));
  const toItems = (kind: 'done' | 'failed'): AttentionItem[] =>
    ended
      .filter(({ row }) => (row.outcome === 'done') === (kind === 'done'))
      .map(({ row, ended: end }) => toEnded({ ...toFacts(row), session: row.id, ...end }, kind));
  const [failed, done] = [toItems('failed'), toItems('done')];
  const counts = { answer: asked.length, failed: interrupted.length + failed.length, done: done.length };
  return toAttentionList([...asked, ...interrupted, ...failed, ...done].slice(0, limit), counts);
}

function listAsked({ rows, approvals }: ViewState, parentOf: (id: string) => string | undefined): AttentionItem[] {
  return [...approvals.values()]
    .flat()
    .toSorted((a, b) => (`${a.createdAt} ${a.id}` < `${b.createdAt} ${b.id}` ? -1 : 1))
    .flatMap(({ id, session, kind, title, createdAt }) => {
      const row = rows.get(session)?.row;
      if (!row) return [];
      const asks = { id, session, kind: kind as AskedRow['kind'], asks: title, since: createdAt, ...toFacts(row) };
      return [toAsked(asks, findRoot(session, parentOf))];
    });
}

function listInterrupted(
  { rows, claims }: ViewState,
  asking: ReadonlySet<string>,
  parentOf: (id: string) => string | undefined,
): AttentionItem[] {
  const working = new Set<string>();
  for (const claimed of claims) {
    for (let id: string | null | undefined = claimed; id != null && !working.has(id); id = rows.get(id)?.row.parent)
      working.add(id);
  }
  return [...rows.values()]
    .filter(({ row, seen }) => row.status === 'running' && row.lastSeq > seen)
    .toSorted((a, b) => (a.row.id > b.row.id ? -1 : 1))
    .slice(0, MAX_RUNNING)
    .filter(({ row }) => !asking.has(row.id) && !working.has(row.id) && findRoot(row.id, parentOf) === row.id)
    .map(({ row }) => toInterrupted({ session: row.id, seq: row.lastSeq, since: row.updatedAt, ...toFacts(row) }))
    .toReversed();
}

function toFacts({ workspace, project, agentType, title, firstPrompt }: SessionRow): SessionFacts {
  return { workspace, project, agent: agentType, title: title ?? firstPrompt };
}

function toRecency({ updatedAt, id }: SessionRow): string {
  return `${updatedAt} ${id}`;
}
