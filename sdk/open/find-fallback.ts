import type { Engine } from '@klaus/core/agent';
import { fallbackSchema, isKlausError, KlausError, type Grant, type Limits } from '@klaus/core/protocol';
import { checkModel } from '../grants/opening-grant.ts';

/** The models that answer while the one of a session cannot. */
export interface FoundFallback {
  /** Full names. Absent: none. */
  fallback?: string[];
  /** One for each name that is left out. */
  notices: string[];
}

/**
 * Resolves the names of fallback models. One that cannot be used here is left out, so that the settings of a user may
 * name models for which a machine has no key.
 *
 * @param given.names At most three. @param given.model Full name of the model of the session.
 * @throws KlausError `usage` for more names.
 */
export async function findFallback(
  { models }: Engine,
  { names, model, grant, limits }: { names: readonly string[]; model: string; grant: Grant; limits: Limits },
): Promise<FoundFallback> {
  if (!fallbackSchema.safeParse(names).success) {
    throw new KlausError('usage', 'At most three names of models can be given as a fallback.');
  }
  const found = new Set<string>();
  const notices: string[] = [];
  for (const name of names) {
    try {
      const resolved = await models.resolve(name);
      checkModel(grant, resolved.name);
      if (limits.usd > 0 && resolved.info.prices.length === 0)
        throw new KlausError(
          'config',
          `No price is known for ${resolved.name}, so a budget in dollars cannot be kept.`,
        );
      if (resolved.name !== model) found.add(resolved.name);
    } catch (error) {
      if (!isKlausError(error)) throw error;
      notices.push(`${name} is left out as a fallback: ${error.message}`);
    }
  }
  return { notices, ...(found.size > 0 && { fallback: [...found] }) };
}
