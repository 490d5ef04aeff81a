import type { SessionStore, Store, StoreQueries } from '@klaus/core/agent';

/** What doors use of the store. Sessions are changed through `Session` alone. */
export interface KlausStore
  extends
    StoreQueries,
    Pick<Store, 'inbox' | 'onSend' | 'emitLive' | 'onLive' | 'readBlob'>,
    Pick<SessionStore, 'view' | 'outbox'> {}
