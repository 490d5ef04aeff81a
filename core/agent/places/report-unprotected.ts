import { placeOf } from '../../policy/index.ts';
import type { EventBody } from '../../protocol/index.ts';
import { runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { listNames } from '../workspace/unreverted-places.ts';

const BEGINNING = 'Klaus cannot protect or restore ';

/** Reports repositories that the first snapshot of the session does not contain: they cannot be protected. */
export function reportUnprotected({ state }: Work, uncovered: readonly string[]): EventBody[] {
  const names = uncovered.filter((path) => placeOf(path) === 'git');
  if (names.length === 0) return [];
  const text = `${BEGINNING}${listNames(names)}: the name is not UTF-8, or it cannot be read.`;
  return [{ type: 'notice', run: runOf(state).id, level: 'warn', text }];
}

export function isUnprotectedNotice(body: EventBody): boolean {
  return body.type === 'notice' && body.text.startsWith(BEGINNING);
}
