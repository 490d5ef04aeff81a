import { hunksOf, type EventOf } from '@klaus/core/protocol';
import type { Text } from '../text/en.ts';

/** The question in words: what an approval does, without the command or the change itself. */
export function toQuestionTitle(asked: EventOf<'approval.asked'>, t: Text): string {
  const { subject, title } = asked;
  switch (subject.kind) {
    case 'limit':
      return t.approval.goBeyond(subject);
    case 'plan':
      return t.approval.plan;
    case 'changes':
      return t.approval.keepChanges(subject.files);
    case 'input':
      return title;
    case 'call': {
      if (subject.command !== undefined) return t.approval.runCommand;
      const files = new Set(hunksOf(asked).map(({ path }) => path)).size;
      return files > 0 ? t.approval.changeFiles(files) : title;
    }
  }
}
