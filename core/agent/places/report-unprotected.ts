import { placeOf } from '../../policy/index.ts';
import type { EventBody } from '../../protocol/index.ts';
import { runOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import type { Uncovered } from '../ports/snapshots.ts';
import { listNames } from '../workspace/unreverted-places.ts';

const BEGINNING = 'Klaus cannot protect or restore ';

/** Reports what the first snapshot of the session does not contain: repositories, and files for which there is no room. */
export function reportUnprotected({ state }: Work, uncovered: readonly Uncovered[]): EventBody[] {
  const repositories = uncovered.filter(({ path }) => placeOf(path) === 'git');
  const large = uncovered.filter(({ why }) => why === 'over the limit');
  const texts = [
    ...toText(repositories, 'the name is not UTF-8, or it cannot be read.'),
    ...toText(large, 'there is no room for these large files. `klaus db gc` frees some; see `undo.maxBytes`.'),
  ];
  return texts.map((text) => ({ type: 'notice', run: runOf(state).id, level: 'warn', text }));
}

function toText(rows: readonly Uncovered[], why: string): string[] {
  return rows.length === 0 ? [] : [`${BEGINNING}${listNames(rows.map(({ path }) => path))}: ${why}`];
}

export function isUnprotectedNotice(body: EventBody): boolean {
  return body.type === 'notice' && body.text.startsWith(BEGINNING);
}
