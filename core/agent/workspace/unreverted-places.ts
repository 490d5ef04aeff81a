import { describePlace, isPackageFile, placeOf } from '../../policy/index.ts';
import { KlausError } from '../../protocol/index.ts';
import type { Ending } from '../loop/closing-events.ts';

/** The ending of a run in which a protected place could not be restored. */
export function toUnrevertedEnding(paths: readonly string[]): Required<Pick<Ending, 'reason' | 'error'>> {
  const { code, message, hint } = new KlausError('workspace.conflict', describeUnreverted(paths), {
    hint: 'Check these files before you open or use this folder. `klaus undo` restores the state before the turn.',
  });
  return { reason: message, error: { code, hint: hint! } };
}

/** The message about places that could not be restored. */
export function describeUnreverted(names: readonly string[]): string {
  return `A command changed ${listNames(names)}, ${describePlaces(names)}, and it could not be restored.`;
}

/** A relative clause about the kind of the places, derived from the first one with a known name. */
export function describePlaces(names: readonly string[]): string {
  const place = names.map((name) => placeOf(name, { isNew: true })).find((found) => found !== undefined);
  if (place === undefined && names.some(isPackageFile)) return 'whose scripts other programs run';
  return place === undefined ? 'to which a protected file refers' : `which is ${describePlace(place)}`;
}

export function listNames(names: readonly string[]): string {
  return names.length > 10 ? `${names.slice(0, 10).join(', ')} and ${names.length - 10} more` : names.join(', ');
}
