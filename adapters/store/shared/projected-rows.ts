import { toCalled, toContent, type EventOf } from '@klaus/core/protocol';
import { toIso } from './iso-time.ts';

/** The columns of projections that events add rows to, in the order of the functions below, with their types in Postgres. */
export const COLUMNS = {
  messages: {
    session_id: 'text',
    role: 'text',
    content: 'text',
    tool_name: 'text',
    tool_call_id: 'text',
    created_at: 'text',
    origin: 'text',
  },
  tool_calls: {
    session_id: 'text',
    tool_name: 'text',
    input: 'text',
    tool_call_id: 'text',
    turn: 'bigint',
    created_at: 'text',
  },
  token_usage: {
    session_id: 'text',
    model: 'text',
    input_tokens: 'bigint',
    output_tokens: 'bigint',
    cache_read_tokens: 'bigint',
    cache_write_tokens: 'bigint',
    cost_usd: 'double precision',
    purpose: 'text',
    turn: 'bigint',
    outcome: 'text',
    created_at: 'text',
    held_usd: 'double precision',
  },
  approvals: {
    id: 'text',
    session_id: 'text',
    kind: 'text',
    title: 'text',
    reason: 'text',
    tool_name: 'text',
    diff: 'text',
    command: 'text',
    limit_name: 'text',
    offer: 'double precision',
    created_at: 'text',
    expires_at: 'bigint',
  },
} as const;

/** A table with its columns in {@link COLUMNS}. */
export type RowTable = keyof typeof COLUMNS;

/** The values of a row, in the order of its columns. */
export type RowValues = (string | number | null)[];

export function toMessageRow({ session, message, at }: EventOf<'message.added'>): RowValues {
  return [session, message.role, toContent(message), null, null, toIso(at), message.origin];
}

export function toCallRows({ session, message, turn, at }: EventOf<'message.added'>): RowValues[] {
  return message.parts.flatMap((part) => {
    if (part.type !== 'call') return [];
    const { name, input } = toCalled(part);
    return [[session, name, JSON.stringify(input ?? null), part.id, turn, toIso(at)]];
  });
}

/** @param output The part of the output that the table holds. */
export function toResultRow({ session, name, call, at }: EventOf<'tool.finished'>, output: string): RowValues {
  return [session, 'tool', output, name, call, toIso(at), 'tools'];
}

/** The columns of a call that its end sets: `output`, `success`, `duration_ms` and `outcome`. */
export function toCallEnd({ outcome, durationMs }: EventOf<'tool.finished'>, output: string): RowValues {
  return [output, Number(outcome === 'ok'), Math.round(durationMs), outcome];
}

export function toUsageRow(event: EventOf<'model.attempted'>): RowValues {
  const { input, output, cacheRead, cacheWrite } = event.usage;
  const { session, model, usd, purpose, turn, outcome, at, held } = event;
  const prompt = input + cacheRead + cacheWrite;
  const cost = [prompt, output, cacheRead, cacheWrite, usd];
  return [session, model, ...cost, purpose, turn, outcome, toIso(at), held?.usd ?? null];
}

export function toApprovalRow(event: EventOf<'approval.asked'>): RowValues {
  const { approval, session, subject, title, reason, at, expiresAt } = event;
  const call = subject.kind === 'limit' ? undefined : subject;
  const effect = subject.kind === 'call' || subject.kind === 'changes' ? subject : undefined;
  const limit = subject.kind === 'limit' ? subject : undefined;
  return [
    approval,
    session,
    subject.kind,
    title,
    reason,
    call?.name ?? null,
    effect?.diff ?? null,
    effect?.command ?? null,
    limit?.limit ?? null,
    limit?.offer ?? null,
    toIso(at),
    Math.trunc(expiresAt),
  ];
}

/** The columns of a question that its answer sets: `answer`, `answered_by`, `note` and `answered_at`. */
export function toAnswer({ answer, by, note, at }: EventOf<'approval.answered'>): RowValues {
  return [answer, by, note ?? null, toIso(at)];
}
