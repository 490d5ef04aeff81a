import type { Environment } from '@klaus/adapters/system';
import type { ServerFamily } from '@klaus/core/protocol';
import { createAsk, LOOK, LOOK_NAMED } from './ask-server.ts';
import { LOCAL_FAMILIES, toLocalPlace, type LocalPlace } from './local-place.ts';
import type { OfferedModel } from './local-program.ts';

/** A program that answered as one that serves models. */
export interface FoundServer extends LocalPlace {
  models: readonly OfferedModel[];
}

/**
 * Looks for programs that serve models, at their usual addresses or those that their own variables name. Only GET
 * requests without any text of a session are sent: each for 300 ms, without redirects, with answers of at most 64 KB. A
 * program is recognised by the shape of its answers.
 *
 * @param named The only one that is looked for, because the user names it; it has 3 seconds. Default: all.
 */
export async function findLocalServers(env: Environment, named?: ServerFamily): Promise<FoundServer[]> {
  const families = named === undefined ? LOCAL_FAMILIES : [named];
  const bounds = named === undefined ? LOOK : LOOK_NAMED;
  const found = await Promise.all(families.map((family) => lookAt(toLocalPlace(family, env), bounds)));
  return found.filter((server) => server !== undefined);
}

/** Tries to look at a program that listens and does not answer in time, as on a busy machine. */
const MAX_TRIES = 3;

/** @param bounds Default: those of a program that is looked for. @returns Undefined for another program, or none. */
export async function lookAt(
  place: LocalPlace,
  bounds: typeof LOOK | typeof LOOK_NAMED = LOOK,
): Promise<FoundServer | undefined> {
  for (let tries = 1; ; tries++) {
    let isLate = false;
    const ask = createAsk({ origin: place.origin, ...bounds, onLate: () => void (isLate = true) });
    const models = await place.program.listModels(ask);
    if (models) return { ...place, models };
    if (!isLate || tries === MAX_TRIES) return undefined;
  }
}
