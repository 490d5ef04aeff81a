import { findRegistries } from '@klaus/adapters/sandboxes';
import {
  allowsModel,
  isCovered,
  parseGrants,
  toDefaultGrant,
  toGrant,
  toGrantText,
  toNetAuthorities,
  unite,
} from '@klaus/core/policy';
import { grantSchema, KlausError, type Grant, type Limits } from '@klaus/core/protocol';

/** A grant as data, or as texts in the syntax of `klaus run --grant`. */
export type GivenGrant = Grant | string | readonly string[];

/**
 * The grant that a session opens with.
 *
 * @param given Default: the workspace and the sandbox.
 * @param at.workspace Absolute real path.
 * @param at.now Unix milliseconds.
 * @param at.readable Folders beside the workspace that the default allows to read.
 * @param at.writable Those that it also allows to change.
 * @throws KlausError `usage` for an invalid grant, or one that delegates authority that it does not hold.
 */
export function toOpeningGrant(
  given: GivenGrant | undefined,
  at: { workspace: string; readable?: readonly string[]; writable?: readonly string[]; now: number },
): Grant {
  if (given === undefined) return toDefaultGrant(at.workspace, at);
  if (typeof given === 'string') return parseGrants([given], at);
  if (isTexts(given)) return parseGrants(given, at);
  const parsed = grantSchema.safeParse(given);
  if (!parsed.success) {
    const { path = [], message = 'it does not fit' } = parsed.error.issues[0] ?? {};
    throw new KlausError('usage', `This is no grant: ${path.join('.') || 'grant'}: ${message}`);
  }
  const united = unite([parsed.data]);
  const claimed = toGrant([...parsed.data.authorities, ...(parsed.data.delegable ?? [])]);
  if (!isCovered(claimed, toGrant(parsed.data.authorities))) {
    throw new KlausError('usage', 'The grant delegates something that it does not hold.', {
      hint: `It holds ${toGrantText(toGrant(parsed.data.authorities))}.`,
    });
  }
  return united;
}

/**
 * A grant with further hosts, which it may not delegate.
 *
 * @param given.allowNet As in `OpenOptions`. @param given.env The user's.
 * @throws KlausError `usage` for a word that is neither a preset nor a host.
 */
export function withHosts(
  grant: Grant,
  {
    allowNet = [],
    env,
  }: { allowNet: readonly string[] | undefined; env: Readonly<Record<string, string | undefined>> },
): Grant {
  if (allowNet.length === 0) return grant;
  const hosts = toNetAuthorities(allowNet, findRegistries(env).hosts);
  return { ...grant, authorities: [...grant.authorities, ...hosts] };
}

function isTexts(given: GivenGrant): given is readonly string[] {
  return Array.isArray(given);
}

/**
 * The limits of a session, at most the money and turns of its grant; without amounts in the grant, the user's
 * settings apply.
 */
export function narrowLimits(limits: Limits, grant: Grant): Limits {
  const usd = toCap(grant.authorities.flatMap((one) => (one.kind === 'spend' ? [one.usd] : [])));
  const turns = toCap(grant.authorities.flatMap((one) => (one.kind === 'turns' ? [one.count] : [])));
  return { ...limits, usd: toNarrower(limits.usd, usd), turns: toNarrower(limits.turns, turns) };
}

function toCap(amounts: readonly number[]): number | undefined {
  return amounts.length === 0 ? undefined : Math.max(...amounts);
}

/** 0 means unlimited in a limit, and no amount in a grant. */
function toNarrower(limit: number, cap: number | undefined): number {
  if (cap === undefined) return limit;
  return limit === 0 ? cap : Math.min(limit, cap);
}

/** @throws KlausError `usage` if the grant names models without this one. */
export function checkModel(grant: Grant, name: string): void {
  if (allowsModel(grant, name)) return;
  const models = grant.authorities.filter((one) => one.kind === 'model');
  throw new KlausError('usage', `The grant does not name the model ${name}.`, {
    hint: `It names ${models.flatMap(({ ids }) => ids).join(', ')}: choose one with --model.`,
  });
}
