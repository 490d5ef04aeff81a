import type { EventOf } from '@klaus/core/protocol';

const ENDINGS = {
  merged: 'merged',
  squashed: 'merged as one commit',
  rebased: 'rebased',
  kept: 'kept as a branch',
  discarded: 'discarded',
} as const satisfies Record<EventOf<'workingCopy.ended'>['how'], string>;

/** How a working copy ended, as a sentence. */
export function describeEnding({ how, commit }: Pick<EventOf<'workingCopy.ended'>, 'how' | 'commit'>): string {
  return `The working copy was ${ENDINGS[how]}${commit === undefined ? '' : `: ${commit.slice(0, 10)}`}.`;
}
