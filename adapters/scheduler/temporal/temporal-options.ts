import { KlausError } from '@klaus/core/protocol';

export interface TemporalOptions {
  /** Host and port of the engine's gRPC interface, such as `temporal.example.com:7233`. */
  address: string;
  /** Default `default`. It must exist. */
  namespace?: string;
  /** The queue that connects the callers with the workers. Default `klaus`. */
  taskQueue?: string;
  /** Begins the ids of the workflows. Default `session-`. */
  prefix?: string;
  /** `true`: TLS with the system's certificate authorities. Default: no TLS without an API key, TLS with one. */
  tls?: boolean | TemporalTls;
  /** The API key of the namespace. Only sent over TLS. */
  apiKey?: string;
  /** Folder in which the compiled workflow is cached when Klaus runs from its sources; created if missing. */
  cacheFolder: string;
  /**
   * The tenant of a session. Slots are shared between tenants in turns, so that many sessions of one do not delay the
   * others. A tenant that cannot be found counts as undefined. Default: all sessions have the same one.
   */
  shareOf?: (session: string) => Promise<TenantShare | undefined>;
  /** Milliseconds after which a call to the engine fails. Default 10,000. */
  timeoutMs?: number;
  /** Called with each error of a worker, which then connects again. Default: ignored. */
  onError?: (error: unknown) => void;
}

/** How the sessions of a tenant are ordered beside those of others. */
export interface TenantShare {
  /** At most 64 bytes. */
  tenant: string;
  /** Turns in relation to other tenants, 0.001 to 1,000. Default 1. */
  weight?: number;
  /** 1 to 5; sessions of a smaller number run first, of any tenant. Default 3. */
  priority?: number;
}

/** Certificates as PEM text. */
export interface TemporalTls {
  /** The certificate authorities of the server. Default: the system's. */
  ca?: string;
  /** The client's certificate and its key, for mutual TLS. */
  cert?: string;
  key?: string;
  /** The name in the server's certificate, if it is not that of the address. */
  serverName?: string;
}

/** What both kinds of connections take. */
export interface ConnectionOptions {
  address: string;
  tls?: boolean | { serverNameOverride?: string; serverRootCACertificate?: Buffer; clientCertPair?: CertPair };
  apiKey?: string;
}

interface CertPair {
  crt: Buffer;
  key: Buffer;
}

/** @throws KlausError `config` for an API key without TLS, or a client's certificate without its key. */
export function toConnectionOptions({ address, tls, apiKey }: TemporalOptions): ConnectionOptions {
  if (apiKey !== undefined && tls === false)
    throw new KlausError('config', 'An API key of Temporal is only sent over TLS.', { hint: 'Remove `tls: false`.' });
  if (typeof tls !== 'object')
    return { address, tls: tls ?? apiKey !== undefined, ...(apiKey !== undefined && { apiKey }) };
  const { ca, cert, key, serverName } = tls;
  if ((cert === undefined) !== (key === undefined))
    throw new KlausError('config', 'The client certificate for Temporal has no key, or the key no certificate.', {
      hint: 'Set both `cert` and `key`.',
    });
  return {
    address,
    tls: {
      ...(serverName !== undefined && { serverNameOverride: serverName }),
      ...(ca !== undefined && { serverRootCACertificate: Buffer.from(ca) }),
      ...(cert !== undefined && { clientCertPair: { crt: Buffer.from(cert), key: Buffer.from(key!) } }),
    },
    ...(apiKey !== undefined && { apiKey }),
  };
}
