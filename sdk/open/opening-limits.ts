import { LIMIT_NAMES, type Limits } from '@klaus/core/protocol';
import { optional } from '@klaus/core/optional';
import type { Configuration } from '../config/configuration.ts';
import type { OpenOptions } from '../klaus-options.ts';

/**
 * New tokens of a session at which a person is present, with a model that has no price. There is no budget in money that
 * would stop it, and a server that reports no cache counts the complete history at each turn: some 30 long turns.
 */
const UNPRICED_TOKENS = 1_000_000;

/** Minutes in which such a model works: a slow one takes as long for a fraction of these tokens. */
const UNPRICED_MINUTES = 60;

/** The limits of a new session: those of the options, else of the settings. The defaults are for scripts. */
export function toOpeningLimits(
  { values, sources }: Pick<Configuration, 'values' | 'sources'>,
  { limits, attended = false }: Pick<OpenOptions, 'limits' | 'attended'>,
): Limits {
  const isDefault = (name: keyof Limits): boolean => sources[`limits.${name}`].source === 'default';
  const set = LIMIT_NAMES.map((name) => [name, attended && isDefault(name) ? 0 : values.limits[name]]);
  return { ...(Object.fromEntries(set) as unknown as Limits), ...optional(limits ?? {}) };
}

/** With limits in tokens and minutes for a model without a price, unless the user has chosen them or none. */
export function withUnpricedLimit(
  limits: Limits,
  { isPriced, given, sources }: { isPriced: boolean; given: OpenOptions } & Pick<Configuration, 'sources'>,
): Limits {
  if (given.attended !== true || isPriced) return limits;
  const isChosen = (name: 'tokens' | 'minutes'): boolean =>
    given.limits?.[name] !== undefined || sources[`limits.${name}`].source !== 'default';
  return {
    ...limits,
    ...(isChosen('tokens') ? {} : { tokens: UNPRICED_TOKENS }),
    ...(isChosen('minutes') ? {} : { minutes: UNPRICED_MINUTES }),
  };
}
