import type { HostEventType } from '@klaus/core/protocol';

/** Events of the host chain after which the state of the guard, or the list of its decisions, is different. */
export const GUARD_TYPES = ['guard.decided', 'guard.changed'] as const satisfies readonly HostEventType[];
