import { hasRole, type Role, type SignInView } from '@klaus/server/contract';
import { createStore, useStore } from './store.ts';

/** How this server signs in, and who is signed in; undefined until it is known. */
export const access = createStore<SignInView | undefined>(undefined);

/** True if the user of the page has a role. The server decides; the page only does not offer what it would refuse. */
export function hasAccess(least: Role | undefined, view = access.get()): boolean {
  // Before it is known, and for the user of the server, everything is offered.
  return least === undefined || hasRole(view?.signedIn?.role ?? 'admin', least);
}

export function useAccess(least: Role | undefined): boolean {
  return hasAccess(least, useStore(access));
}
