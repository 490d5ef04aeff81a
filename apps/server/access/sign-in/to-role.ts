import { ROLES, type Role } from '../../contract/index.ts';

/**
 * The highest role of the groups of a person; undefined without one.
 *
 * @param mapping `GROUP=ROLE`; `*` is everyone.
 */
export function toRole(groups: readonly string[], mapping: readonly string[]): Role | undefined {
  const roles = mapping.flatMap((entry) => {
    const at = entry.lastIndexOf('=');
    const group = entry.slice(0, at);
    return group === '*' || groups.includes(group) ? [entry.slice(at + 1)] : [];
  });
  return ROLES.findLast((role) => roles.includes(role));
}
