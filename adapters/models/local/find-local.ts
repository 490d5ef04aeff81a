import type { Environment } from '@klaus/adapters/system';
import { createAsk, LOOK } from './ask-server.ts';
import { LOCAL_FAMILIES, toLocalPlace, type LocalPlace } from './local-place.ts';
import type { OfferedModel } from './local-program.ts';

/** A program that answered as one that serves models. */
export interface FoundServer extends LocalPlace {
  models: readonly OfferedModel[];
}

/**
 * Looks for programs that serve models, at their usual addresses or those that their own variables name. Only GET
 * requests without any text of a session are sent: for 300 ms, without redirects, with answers of at most 64 KB. A
 * program is recognised by the shape of its answers.
 */
export async function findLocalServers(env: Environment): Promise<FoundServer[]> {
  const found = await Promise.all(LOCAL_FAMILIES.map((family) => lookAt(toLocalPlace(family, env))));
  return found.filter((server) => server !== undefined);
}

/** Undefined: another program, or none. */
export async function lookAt(place: LocalPlace): Promise<FoundServer | undefined> {
  const models = await place.program.listModels(createAsk({ origin: place.origin, ...LOOK }));
  return models && { ...place, models };
}
