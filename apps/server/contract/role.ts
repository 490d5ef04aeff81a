import { ROLES, type Role } from '@klaus/core/protocol';

export { ROLES, type Role };

/** True if a role includes what the other may do. */
export function hasRole(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}
