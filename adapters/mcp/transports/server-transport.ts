import type { KlausError } from '@klaus/core/protocol';
import type { Transport } from '@modelcontextprotocol/client';
import type { ServerMessages } from '../messages/server-messages.ts';

/** A connection to a server. */
export interface ServerTransport extends Transport {
  readonly messages: ServerMessages;
  /** Resolves with the reason when the server is gone, for a connection that ends with it. Never rejects. */
  readonly ended?: Promise<KlausError>;
  /** True if the connection was ended because the server exceeded a limit. */
  readonly isRefused?: boolean;
}
