/** A key that is found when it is needed. */
export interface RenewableKey {
  /** @throws ProviderError `authentication_error`. */
  read(): Promise<string>;
  /** Finds another one, because the server did not accept this one. @throws ProviderError `authentication_error`. */
  renew(refused: string): Promise<string>;
}

export type KeySource = string | RenewableKey;

/** The header with a key. @param name Default: `authorization`, as a bearer token. */
export function toKeyHeader(key: string, name = 'authorization'): Record<string, string> {
  return { [name]: /^authorization$/i.test(name) ? `Bearer ${key}` : key };
}
