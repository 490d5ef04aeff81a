import { KlausError, type Authority, type AuthorityKind, type Grant } from '../../protocol/index.ts';
import { delegableOf, heldBy, toGrant } from './algebra.ts';
import { isUnitCovered, meet, toUnits } from './authority.ts';
import { toAuthorityText } from './grant-text.ts';

const MOST = Number.MAX_SAFE_INTEGER;

/** The widest authority of a kind: revoking it revokes the kind. */
export const WIDEST: { readonly [K in AuthorityKind]: Extract<Authority, { kind: K }> } = {
  fs: { kind: 'fs', path: '/', rights: 'rwx' },
  net: { kind: 'net', host: '*', port: 0 },
  exec: { kind: 'exec' },
  tool: { kind: 'tool', name: '*' },
  secret: { kind: 'secret', name: '*', host: '*' },
  model: { kind: 'model', ids: ['*'] },
  spend: { kind: 'spend', usd: MOST },
  turns: { kind: 'turns', count: MOST },
  spawn: { kind: 'spawn', depth: MOST, count: MOST },
};

export interface RevokeOptions {
  /** Names of all tools there are: lets `tool(*)` lose one of them. */
  tools?: readonly string[];
  /**
   * What to do if a grant cannot express an authority without the revoked part, such as one folder of `fs(/srv, rw)`:
   * `refuse` throws, `all` revokes all of the authority. Default: `refuse`.
   */
  partial?: 'refuse' | 'all';
}

/**
 * The grant without these parts; of an amount the part is deducted.
 *
 * @param parts Absent: everything.
 * @throws KlausError `usage` if a grant cannot express the rest.
 */
export function revoke(grant: Grant, parts: readonly Authority[] | undefined, options: RevokeOptions = {}): Grant {
  if (!parts) return { authorities: [] };
  // An expiry in a part is ignored: a revocation takes effect at once.
  const gone = parts.flatMap(toUnits).map(({ expiresAt: _, ...part }): Authority => part);
  const without = (all: readonly Authority[]): Authority[] => {
    const units = all.flatMap(toUnits).flatMap((unit) => expand(unit, gone, options.tools ?? []));
    return gone.reduce((left, part) => left.flatMap((unit) => deduct(unit, part, options)), units);
  };
  return toGrant(without(heldBy(grant)), without(delegableOf(grant)));
}

/** `tool(*)` as its names, if one of them is revoked. */
function expand(unit: Authority, gone: readonly Authority[], tools: readonly string[]): Authority[] {
  if (unit.kind !== 'tool' || unit.name !== '*' || tools.length === 0) return [unit];
  if (!gone.some((part) => part.kind === 'tool' && part.name !== '*')) return [unit];
  return tools.map((name) => ({ ...unit, name }));
}

function deduct(unit: Authority, part: Authority, { partial = 'refuse' }: RevokeOptions): Authority[] {
  const { expiresAt: _, ...plain } = unit;
  if (isUnitCovered(plain, part)) return [];
  if (!meet(plain, part)) return [unit];
  if (unit.kind === 'spend' && part.kind === 'spend') return [{ ...unit, usd: unit.usd - part.usd }];
  if (unit.kind === 'turns' && part.kind === 'turns') return [{ ...unit, count: unit.count - part.count }];
  if (unit.kind === 'spawn' && part.kind === 'spawn') return [{ ...unit, count: Math.max(0, unit.count - part.count) }];
  if (partial === 'all') return [];
  throw new KlausError(
    'usage',
    `The grant has ${toAuthorityText(unit)}, and a grant cannot leave out ${toAuthorityText(part)} of it.`,
    { hint: `Revoke all of ${toAuthorityText(unit)}.` },
  );
}
