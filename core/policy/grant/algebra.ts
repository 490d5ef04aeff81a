import { AUTHORITY_KINDS, type Authority, type Grant } from '../../protocol/index.ts';
import { isNothing, isUnitCovered, meet, toKey, toRights, toUnits } from './authority.ts';

export function intersectAuthorities(a: readonly Authority[], b: readonly Authority[]): Authority[] {
  return simplify(a.flatMap((one) => b.flatMap((other) => meet(one, other) ?? [])));
}

/** True when `a` allows nothing that `b` does not allow, at no time. */
export function areCovered(a: readonly Authority[], b: readonly Authority[]): boolean {
  const units = b.flatMap(toUnits);
  return a.flatMap(toUnits).every((unit) => units.some((other) => isUnitCovered(unit, other)));
}

/**
 * The same authority in a readable form: without pieces that another piece covers, and with rights of one path and
 * names of models with the same expiry combined. Sorted by kind, then in the order of the input.
 */
function simplify(authorities: readonly Authority[]): Authority[] {
  const units = authorities.flatMap(toUnits);
  const kept: Authority[] = [];
  for (const [at, unit] of units.entries()) {
    if (kept.some((other) => isUnitCovered(unit, other))) continue;
    if (units.some((other, index) => index > at && isUnitCovered(unit, other) && toKey(unit) !== toKey(other)))
      continue;
    kept.push(unit);
  }
  const merged: Authority[] = [];
  for (const unit of kept) {
    const at = merged.findIndex((other) => join(other, unit) !== undefined);
    if (at < 0) merged.push(unit);
    else merged[at] = join(merged[at]!, unit)!;
  }
  return merged.sort((a, b) => AUTHORITY_KINDS.indexOf(a.kind) - AUTHORITY_KINDS.indexOf(b.kind));
}

/** Two pieces that differ in nothing but their rights or names, as one. */
function join(a: Authority, b: Authority): Authority | undefined {
  if (a.expiresAt !== b.expiresAt) return undefined;
  if (a.kind === 'fs' && b.kind === 'fs' && a.path === b.path) {
    return { ...a, rights: toRights((right) => a.rights.includes(right) || b.rights.includes(right))! };
  }
  if (a.kind === 'model' && b.kind === 'model') return { ...a, ids: [...a.ids, ...b.ids] };
  return undefined;
}

/** A grant's authorities with its own expiry written into each. */
export function heldBy(grant: Grant): Authority[] {
  return limit(grant.authorities, grant.expiresAt);
}

/** The authorities that a grant lets its holder delegate: never more than it holds. */
export function delegableOf(grant: Grant): Authority[] {
  if (!grant.delegable?.length) return [];
  return intersectAuthorities(limit(grant.delegable, grant.expiresAt), heldBy(grant));
}

function limit(authorities: readonly Authority[], expiresAt: number | undefined): Authority[] {
  if (expiresAt === undefined) return [...authorities];
  return authorities.map((one) => ({ ...one, expiresAt: Math.min(one.expiresAt ?? Infinity, expiresAt) }));
}

/** The pieces that have not expired. An authority expires at `expiresAt`. */
export function liveAt(authorities: readonly Authority[], now: number): Authority[] {
  return authorities.filter((one) => (one.expiresAt ?? Infinity) > now && !isNothing(one));
}

/** A grant of these pieces; a common expiry is written once. */
export function toGrant(authorities: readonly Authority[], delegable: readonly Authority[] = []): Grant {
  const held = simplify(authorities);
  const handed = intersectAuthorities(delegable, held);
  const ends = new Set([...held, ...handed].map((one) => one.expiresAt));
  const [shared] = ends;
  const isShared = ends.size === 1 && shared !== undefined;
  const plain = (all: readonly Authority[]): Authority[] =>
    isShared ? all.map(({ expiresAt: _, ...rest }) => rest) : [...all];
  return {
    authorities: plain(held),
    ...(handed.length === 0 ? {} : { delegable: plain(handed) }),
    ...(isShared ? { expiresAt: shared } : {}),
  };
}

/** What both grants allow, and what both let delegate. */
export function intersect(a: Grant, b: Grant): Grant {
  return toGrant(intersectAuthorities(heldBy(a), heldBy(b)), intersectAuthorities(delegableOf(a), delegableOf(b)));
}

/** Everything that any of the grants allows; each keeps its own expiry. */
export function unite(grants: readonly Grant[]): Grant {
  return toGrant(grants.flatMap(heldBy), grants.flatMap(delegableOf));
}

/** True when `a` allows nothing, and lets nothing be delegated, that `b` does not. */
export function isCovered(a: Grant, b: Grant): boolean {
  return areCovered(heldBy(a), heldBy(b)) && areCovered(delegableOf(a), delegableOf(b));
}
