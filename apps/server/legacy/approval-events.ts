import type { EventOf } from '@klaus/sdk';
import type { LegacyEvent, ToNamed } from './legacy-event.ts';

const OPERATIONS = { created: 'create', deleted: 'delete' } as const;

type Asked = EventOf<'approval.asked'>;

/**
 * A question to a human: `patch_approval_required` for a change of files and for nothing else. The older protocol knows
 * no other question: what else is asked has a name of its own, and the same answer. A token limit that is reached is
 * its `budget_exceeded`.
 */
export function toQuestions(event: Asked, named: ToNamed): LegacyEvent[] {
  const { approval, subject, title, reason } = event;
  const head = { patchId: approval, title, reason };
  if (subject.kind === 'limit') {
    const { limit, used, cap, offer } = subject;
    const asked = named('approval_required', { ...head, kind: 'limit', limit: { limit, used, cap, offer } });
    return limit === 'tokens' ? [named('budget_exceeded', { totalTokens: used, limit: cap }), asked] : [asked];
  }
  const command = subject.command === undefined ? {} : { command: subject.command };
  const path = toPath(subject);
  if (path === undefined) {
    const kind = subject.command === undefined ? 'call' : 'command';
    return [named('approval_required', { ...head, kind, tool: subject.name, ...command })];
  }
  const kind = subject.hunks?.[0]?.kind;
  const operation = kind === 'created' || kind === 'deleted' ? OPERATIONS[kind] : 'modify';
  return [
    named('patch_approval_required', {
      ...head,
      filePath: path,
      diff: subject.diff ?? '',
      operation,
      ...command,
    }),
  ];
}

/** The first file that would change; undefined where none would. */
function toPath(subject: Exclude<Asked['subject'], { kind: 'limit' }>): string | undefined {
  if (subject.kind === 'changes') return subject.hunks[0]?.path ?? '';
  return subject.hunks?.[0]?.path ?? subject.before[0]?.path;
}
