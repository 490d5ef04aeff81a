import { toName } from '../../identity.ts';

export type Claims = Readonly<Record<string, unknown>>;

/** The value of a claim, or of a path such as `realm_access.roles`. */
export function readClaim(claims: Claims, path: string): unknown {
  // Some providers use URLs with dots as names of claims.
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((value, name) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isObject ? (value as Claims)[name] : undefined;
  }, claims);
}

/**
 * The groups of a person: the strings of a claim. An e-mail address counts only if the provider has verified it, because
 * some let a person enter any.
 */
export function toGroups(claims: Claims, path: string): string[] {
  if (path === 'email' && claims['email_verified'] !== true) return [];
  return [readClaim(claims, path)].flat().filter((group) => typeof group === 'string');
}

/** The name of a person for the log; `sub`, which the provider never gives to another one, without the claim. */
export function toClaimedName(claims: Claims, path: string): string {
  const isUnverified = path === 'email' && claims['email_verified'] === false;
  return (isUnverified ? undefined : toName(readClaim(claims, path))) ?? toName(claims['sub']) ?? 'unknown';
}
