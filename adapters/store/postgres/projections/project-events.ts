import { headOf } from '@klaus/core/cut-text';
import { isCharged, type Event, type EventOf } from '@klaus/core/protocol';
import { toBlobRefs } from '../../shared/blob-refs.ts';
import { isCopied } from '../../shared/inherited.ts';
import { toIso } from '../../shared/iso-time.ts';
import {
  type RowTable,
  type RowValues,
  toAnswer,
  toApprovalRow,
  toCallEnd,
  toCallRows,
  toMessageRow,
  toResultRow,
  toUsageRow,
} from '../../shared/projected-rows.ts';
import type { ProjectionOptions } from '../../shared/projection-options.ts';
import { dependsOnFork, type SessionChange, toProject, toSessionChange } from '../../shared/session-change.ts';
import type { Sql, Statement } from '../database.ts';
import { type InheritedCache, readInherited } from './inherited.ts';
import { toInsertRows } from './row-batch.ts';
import { toSessionUpdate } from './session-update.ts';
import { toStorable } from './storable.ts';

export interface PostgresProjectionOptions extends ProjectionOptions {
  /** Of this store. Default: none. */
  inherited?: InheritedCache;
}

/**
 * Applies events of one session, in order, to the tables. Runs in the transaction that appends them. The statements are
 * sent together, one for each table that changes.
 */
export async function projectEvents(
  sql: Sql,
  events: readonly Event[],
  options: PostgresProjectionOptions,
): Promise<void> {
  const [first] = events;
  if (!first) return;
  const { session } = first;
  const inherited = events.some(needsInherited)
    ? await readInherited(sql, { session, events, cache: options.inherited })
    : 0;
  const { statements, updatedAt } = project(events, { inherited, maxToolResultSize: options.maxToolResultSize });
  const all = updatedAt === null ? statements : [...statements, [SET_TIME, [session, updatedAt]] satisfies Statement];
  await Promise.all(all.map(([text, values]) => sql.run(text, values)));
}

const SET_TIME = 'UPDATE heads SET updated_at = $2 WHERE session_id = $1';

/** What events of one session change. */
export interface Projected {
  statements: readonly Statement[];
  /** ISO 8601: of the last event that concerns the session itself. It belongs into `heads`. */
  updatedAt: string | null;
}

/** The changes of `projectEvents` for events that all do without {@link needsInherited}. */
export function projectPlainEvents(events: readonly Event[], { maxToolResultSize }: ProjectionOptions): Projected {
  return project(events, { inherited: 0, maxToolResultSize });
}

function project(
  events: readonly Event[],
  { inherited, maxToolResultSize }: ProjectionOptions & { inherited: number },
): Projected {
  const projection = new Projection(events[0]!.session, maxToolResultSize);
  for (const event of events) projection.add(event, inherited);
  return projection.end();
}

/** True if the projection of an event depends on what its session inherited. */
export function needsInherited(event: Event): boolean {
  return dependsOnFork(event) || event.type === 'approval.answered' || event.type === 'approval.changed';
}

/** The changes by events of one session. */
class Projection {
  readonly #session: string;
  readonly #maxOutput: number;
  readonly #statements: Statement[] = [];
  /** Of the row of the session. */
  #changes: SessionChange[] = [];
  #updatedAt: number | undefined;
  #rows: Record<Exclude<RowTable, 'approvals'>, RowValues[]> = { messages: [], tool_calls: [], token_usage: [] };
  /** By id: a question that is asked twice has the newest row. */
  #asked = new Map<string, RowValues>();
  /** Ends of calls whose rows are stored, by their ids: providers assign them, and the newest call is meant. */
  #ends = new Map<string, RowValues>();
  #blobs = new Set<string>();

  constructor(session: string, maxOutput: number) {
    this.#session = session;
    this.#maxOutput = maxOutput;
  }

  add(event: Event, inherited: number): void {
    // An answer depends on the questions and on the workspace as they are at its time.
    if (event.type === 'approval.answered' || event.type === 'approval.changed') this.#flush();
    this.#open(event);
    const change = toSessionChange(event, inherited);
    if (change) {
      this.#changes.push(change);
      this.#updatedAt = event.at;
    }
    if (event.type === 'message.added') {
      this.#rows.messages.push(toMessageRow(event));
      const calls = toCallRows(event);
      // The ends before a call with the same id belong to an older one.
      if (calls.length > 0 && this.#ends.size > 0) this.#flush();
      this.#rows.tool_calls.push(...calls);
    } else if (event.type === 'tool.finished') this.#finishCall(event);
    else if (event.type === 'model.attempted' && isCharged(event) && !isCopied(event, inherited))
      this.#rows.token_usage.push(toUsageRow(event));
    else if (event.type === 'approval.asked') this.#asked.set(event.approval, toApprovalRow(event));
    else if (event.type === 'approval.answered' || event.type === 'approval.changed') {
      this.#flush();
      this.#statements.push(...toAnswerStatements(event, isCopied(event, inherited)));
    }
    for (const { hash } of toBlobRefs(event)) this.#blobs.add(hash);
  }

  end(): Projected {
    this.#flush();
    return {
      statements: this.#statements,
      updatedAt: this.#updatedAt === undefined ? null : toIso(this.#updatedAt),
    };
  }

  #open(event: Event): void {
    const at = toIso(event.at);
    if (event.seq === 1) {
      const text = `INSERT INTO sessions (id, workspace_dir, created_at) VALUES ($1, '', $2)`;
      this.#statements.push([text, [event.session, at]]);
      this.#updatedAt = event.at;
    }
    if (event.type === 'session.opened') {
      const text = 'INSERT INTO projects (hash, root, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING';
      this.#statements.push([text, [toProject(event.workspace), event.workspace, at]]);
    }
  }

  #finishCall(event: EventOf<'tool.finished'>): void {
    const output = headOf(event.output, this.#maxOutput);
    this.#rows.messages.push(toResultRow(event, output));
    // Its row may be one of these events.
    if (this.#rows.tool_calls.length > 0) this.#flush();
    this.#ends.set(event.call, toCallEnd(event, output));
  }

  #flush(): void {
    if (this.#changes.length > 0) {
      const update = toSessionUpdate(this.#session, this.#changes);
      if (update) this.#statements.push(update);
      this.#changes = [];
    }
    for (const table of ['messages', 'tool_calls', 'token_usage'] as const) {
      if (this.#rows[table].length === 0) continue;
      this.#statements.push(toInsertRows(table, this.#rows[table]));
      this.#rows[table] = [];
    }
    if (this.#asked.size > 0) {
      this.#statements.push(toInsertRows('approvals', [...this.#asked.values()]));
      this.#asked.clear();
    }
    if (this.#ends.size > 0) {
      this.#statements.push(toEndCalls(this.#session, this.#ends));
      this.#ends.clear();
    }
    if (this.#blobs.size > 0) {
      const text =
        'INSERT INTO blob_refs (session_id, hash) SELECT $1, hash FROM unnest($2::text[]) AS hash ON CONFLICT DO NOTHING';
      this.#statements.push([text, [this.#session, [...this.#blobs]]]);
      this.#blobs.clear();
    }
  }
}

function toEndCalls(session: string, ends: ReadonlyMap<string, RowValues>): Statement {
  const text = `UPDATE tool_calls
    SET output = ended.output, success = ended.success, duration_ms = ended.duration_ms, outcome = ended.outcome
    FROM unnest($2::text[], $3::text[], $4::integer[], $5::bigint[], $6::text[])
      AS ended(call, output, success, duration_ms, outcome)
    WHERE tool_calls.id = (SELECT max(id) FROM tool_calls AS calls
      WHERE calls.session_id = $1 AND calls.tool_call_id = ended.call)`;
  const columns = [0, 1, 2, 3].map((at) => [...ends.values()].map((row) => toStorable(row[at])));
  return [text, [session, [...ends.keys()], ...columns]];
}

function toAnswerStatements(
  event: EventOf<'approval.answered' | 'approval.changed'>,
  isInherited: boolean,
): Statement[] {
  const statements: Statement[] = [];
  const { approval, session } = event;
  if (event.type === 'approval.answered') {
    const text = `UPDATE approvals SET answer = $1, answered_by = $2, note = $3, answered_at = $4
      WHERE id = $5 AND session_id = $6`;
    statements.push([text, [...toAnswer(event).map(toStorable), approval, session]]);
  }
  if (isInherited) return statements;
  if (event.type === 'approval.changed' && event.scope !== 'project') {
    statements.push(['DELETE FROM remembered WHERE approval = $1 AND session_id = $2', [approval, session]]);
  } else if (event.scope === 'project' && event.remember) {
    const text = `INSERT INTO remembered (approval, session_id, workspace, agent, record, created_at)
      SELECT $1, id, workspace_dir, $3, $4, $5 FROM sessions WHERE id = $2
      ON CONFLICT (approval) DO UPDATE SET session_id = excluded.session_id, workspace = excluded.workspace,
        agent = excluded.agent, record = excluded.record, created_at = excluded.created_at`;
    const { remember, at } = event;
    statements.push([text, [approval, session, remember.agent, JSON.stringify(remember), toIso(at)]]);
  }
  return statements;
}
