import { headOf } from '@klaus/core/cut-text';
import type { AttentionItem, AttentionList } from '@klaus/core/agent';
import { toIso } from './iso-time.ts';

/** Default of `AttentionFilter.limit`. */
export const ATTENTION_LIMIT = 200;
/** Characters of a line. */
const LINE = 200;
/** Characters of an answer in which its last line is searched. */
export const ANSWER_END = 4_000;
/** Runs without an end that are compared with the processes that work on sessions, the latest first. */
export const MAX_RUNNING = 500;
/** Milliseconds after which the claim of a notification is deleted. */
export const NOTIFICATION_MS = 7 * 24 * 60 * 60 * 1_000;

/** What a row says about its session. */
export type SessionFacts = Pick<AttentionItem, 'workspace' | 'project' | 'agent' | 'title'>;

/** The columns of {@link SessionFacts}, in the SQL of both stores. */
export const FACTS = `sessions.workspace_dir AS workspace, sessions.project_hash AS project, sessions.agent_type AS agent,
  coalesce(sessions.title, sessions.first_prompt) AS title`;

/** An open question. */
export interface AskedRow extends SessionFacts {
  id: string;
  session: string;
  kind: 'call' | 'changes' | 'plan' | 'limit';
  asks: string;
  since: string;
}

/** A session whose run has no end. */
export interface RunningRow extends SessionFacts {
  session: string;
  seq: number;
  since: string;
}

/** The end of a run that no user interface showed. */
export interface EndedRow extends SessionFacts {
  session: string;
  /** Of the end. */
  seq: number;
  /** Unix milliseconds. */
  at: number;
  reason: string;
  /** The end of the last message of the model. */
  text: string | null;
}

/** @param root The session that the user opened. */
export function toAsked({ asks, session: asker, ...row }: AskedRow, root: string): AttentionItem {
  const child = root === asker ? null : asker;
  return { ...row, session: root, child, seq: null, line: toFirstLine(asks), action: 'answer' };
}

export function toInterrupted(row: RunningRow): AttentionItem {
  return {
    ...row,
    id: `${row.session}:${row.seq}`,
    kind: 'interrupted',
    child: null,
    line: 'The process of the run ended.',
    action: 'resume',
  };
}

export function toEnded({ reason, text, at, ...row }: EndedRow, kind: 'done' | 'failed'): AttentionItem {
  const isDone = kind === 'done';
  return {
    ...row,
    id: `${row.session}:${row.seq}`,
    kind,
    child: null,
    since: toIso(at),
    line: isDone ? toLastLine(text ?? '') || reason : toFirstLine(reason),
    action: isDone ? 'look' : 'resume',
  };
}

/** The items in the order of their times. @param counts Of all items, also those above a limit. */
export function toAttentionList(items: readonly AttentionItem[], counts: AttentionList['counts']): AttentionList {
  const order = ({ since, id }: AttentionItem): string => `${since} ${id}`;
  return { items: items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1)), counts };
}

/**
 * The session that the user opened. A fork of a child session is one.
 *
 * @param parentOf The parent of a session that is not a fork, if both exist.
 */
export function findRoot(session: string, parentOf: (session: string) => string | undefined): string {
  const found = [session];
  for (let id = parentOf(session); id !== undefined && !found.includes(id); id = parentOf(id)) found.push(id);
  return found.at(-1)!;
}

function toFirstLine(text: string): string {
  return headOf(toLines(text)[0] ?? '', LINE);
}

function toLastLine(text: string): string {
  return headOf(toLines(text).at(-1) ?? '', LINE);
}

function toLines(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}
