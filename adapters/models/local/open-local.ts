import type { Agent } from 'node:http';
import { findListener, type Environment } from '@klaus/adapters/system';
import { KlausError, toNearest, type ModelServerSettings, type ServerFamily } from '@klaus/core/protocol';
import { findLocalServers, type FoundServer } from './find-local.ts';
import { describePlace, LOCAL_FAMILIES, toLocalPlace, toLocalSettings, type LocalPlace } from './local-place.ts';
import { createOwnedAgent } from './owned-agent.ts';

/** What the user allows of programs that were found on a port. */
export interface LocalAccess {
  /** Whether requests may be sent to the program. */
  isAllowed(place: LocalPlace): boolean;
  /** False: no program loads a model. Default true. */
  loads?: boolean;
}

/** A program that the user allowed. */
export interface OpenedLocal {
  settings: ModelServerSettings;
  /** Checks the owner of each connection. Absent if the program is on another machine. */
  agent?: Agent;
}

interface LocalOptions {
  env: Environment;
  /** Default: nothing is allowed. */
  access: LocalAccess | undefined;
}

/**
 * The settings of a program that was not configured, if it answers and the user has allowed it.
 *
 * @throws KlausError `config` if not, `model.unknown` for a model that it does not have.
 */
export async function openLocal(
  { family, id }: { family: ServerFamily; id: string },
  { env, access }: LocalOptions,
): Promise<OpenedLocal> {
  const place = toLocalPlace(family, env);
  const [found] = await findLocalServers(env, family);
  if (!found) throw toMissing(place);
  checkAccess(place, access, id);
  if (!hasModel(found, id)) {
    const ids = found.models.map((model) => model.id);
    const nearest = toNearest(id, ids) ?? ids[0];
    throw new KlausError(
      'model.unknown',
      `${place.program.title} at ${place.origin} has no model ${JSON.stringify(id)}.`,
      {
        hint: nearest === undefined ? 'It has no models yet.' : `Did you mean ${family}/${nearest}?`,
      },
    );
  }
  const settings = toLocalSettings(place);
  if (!place.isLoopback) return { settings };
  // Another user can take the port when the program ends.
  const check = (at: { host: string; port: number }): void =>
    checkAccess({ ...place, owner: findListener(at) }, access, id);
  return { settings, agent: createOwnedAgent(place.origin.startsWith('https:'), check) };
}

/** @throws KlausError `config` for a program that the user did not allow, or another owner of its socket. */
function checkAccess(place: LocalPlace, access: LocalAccess | undefined, id: string): void {
  if (access?.isAllowed(place)) return;
  throw new KlausError('config', `Nothing was sent yet to ${describePlace(place)}.`, {
    hint: `Allow it once: klaus -m ${place.family}/${id} --yes "Say hello."`,
  });
}

/**
 * The name of the only model that is found: the loaded ones of a program count, else all of it.
 *
 * @throws KlausError `config` with the names to choose from, if there are several or none.
 */
export async function findOnlyLocal(env: Environment): Promise<string> {
  const names = (await findLocalServers(env)).flatMap(listNames);
  if (names.length === 1) return names[0]!;
  if (names.length > 1) throw toAmbiguous(names);
  throw new KlausError('config', 'No program that serves models was found on this machine.', {
    hint: `Start one, such as \`${toLocalPlace(LOCAL_FAMILIES[0]!, env).program.start}\`. docs/guides/local-models.md shows all of them.`,
  });
}

/** Names of the models that a program offers at once: those in memory, or all if it has none there. */
export function listNames({ family, models }: FoundServer): string[] {
  const loaded = models.filter(({ isLoaded }) => isLoaded);
  return (loaded.length > 0 ? loaded : models).map(({ id }) => `${family}/${id}`);
}

/** Names in the message of an error. */
const MAX_NAMES = 10;

function toAmbiguous(names: readonly string[]): KlausError {
  const shown = names.slice(0, MAX_NAMES).map((name) => `klaus -m ${name}`);
  return new KlausError('config', `There are ${names.length} local models.`, {
    hint: `Choose one: ${shown.join(', or ')}`,
  });
}

function toMissing({ program, origin }: LocalPlace): KlausError {
  return new KlausError('config', `No ${program.title} answers at ${origin}.`, { hint: `Start it: ${program.start}` });
}

/** In Ollama, an id without a tag means the tag `latest`. */
function hasModel({ models }: FoundServer, id: string): boolean {
  return models.some((model) => model.id === id || model.id === `${id}:latest`);
}
