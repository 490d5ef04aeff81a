import { describePlace, placeOf } from '../../policy/index.ts';
import { KlausError } from '../../protocol/index.ts';
import { isPackageFile } from '../calls/package-scripts.ts';
import type { Ending } from '../state/state.ts';

/** How a run ends in which a protected place could not be restored: never as done. */
export function toUnrevertedEnding(paths: readonly string[]): Required<Pick<Ending, 'reason' | 'error'>> {
  const { code, message, hint } = new KlausError('workspace.conflict', describeUnreverted(paths), {
    hint: 'Look at these files before you open or use this folder; `klaus undo` restores the state before the turn.',
  });
  return { reason: message, error: { code, hint: hint! } };
}

/** What the user has to know of places that could not be restored. */
export function describeUnreverted(names: readonly string[]): string {
  return `A command changed ${listNames(names)}, ${describePlaces(names)}, and it could not be restored.`;
}

/** What they are, as a relative clause, by the first of them that is one by its name. */
export function describePlaces(names: readonly string[]): string {
  const place = names.map((name) => placeOf(name)).find((found) => found !== undefined);
  if (place === undefined && names.some(isPackageFile)) return 'whose scripts others run';
  return place === undefined ? 'to which a protected file leads' : `which is ${describePlace(place)}`;
}

export function listNames(names: readonly string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(', ')} and ${names.length - 10} more` : names.join(', ');
}
