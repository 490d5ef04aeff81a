import type { EventOf } from '@klaus/sdk';
import type { LegacyEvent, CreateLegacyEvent } from './legacy-event.ts';

const OPERATIONS = { created: 'create', deleted: 'delete' } as const;

type ApprovalAsked = EventOf<'approval.asked'>;

/**
 * A change of files is `patch_approval_required`, the only question of the older protocol. Other questions are
 * `approval_required`, with the same answer. A reached token limit is also `budget_exceeded`.
 */
export function toApprovalEvents(event: ApprovalAsked, create: CreateLegacyEvent): LegacyEvent[] {
  const { approval, subject, title, reason } = event;
  const head = { patchId: approval, title, reason };
  if (subject.kind === 'limit') {
    const { limit, used, cap, offer } = subject;
    const question = create('approval_required', { ...head, kind: 'limit', limit: { limit, used, cap, offer } });
    return limit === 'tokens' ? [create('budget_exceeded', { totalTokens: used, limit: cap }), question] : [question];
  }
  if (subject.kind === 'plan')
    return [create('approval_required', { ...head, kind: 'plan', tool: subject.name, plan: subject.plan })];
  if (subject.kind === 'input')
    return [create('approval_required', { ...head, kind: 'input', tool: subject.name, message: subject.message })];
  const command = subject.command === undefined ? {} : { command: subject.command };
  const path = toPath(subject);
  if (path === undefined) {
    const kind = subject.command === undefined ? 'call' : 'command';
    return [create('approval_required', { ...head, kind, tool: subject.name, ...command })];
  }
  const kind = subject.hunks?.[0]?.kind;
  const operation = kind === 'created' || kind === 'deleted' ? OPERATIONS[kind] : 'modify';
  const change = { filePath: path, diff: subject.diff ?? '', operation };
  return [create('patch_approval_required', { ...head, ...change, ...command })];
}

/** The first file that would change; undefined where none would. */
function toPath(subject: Exclude<ApprovalAsked['subject'], { kind: 'limit' | 'plan' | 'input' }>): string | undefined {
  if (subject.kind === 'changes') return subject.hunks[0]?.path ?? '';
  return subject.hunks?.[0]?.path ?? subject.before[0]?.path;
}
