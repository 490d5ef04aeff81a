import type { OAuthClientProvider } from '@modelcontextprotocol/client';

/** The stored login of a server. */
export interface McpTokens {
  /** A provider that renews tokens, and starts no login. */
  provider(): OAuthClientProvider;
}
