/** Milliseconds after its last renewal at which a lease expires, by the clock of Postgres. */
export const LEASE_MS = 5_000;
/** Milliseconds between two renewals. */
export const RENEW_MS = 1_500;
