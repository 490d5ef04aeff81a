import type { NetworkUse, RunnerHost } from '@klaus/sdk/wrap';

type Host = Pick<RunnerHost, 'allows' | 'notice'>;

const EVERYWHERE = { host: '*', port: 443 };
/** Uses of one request that are named. */
const MAX_NAMED = 3;

/**
 * Decides by the grant about requests with which a provider would use the network for the program. Each decision is in
 * the log once: requests repeat the history.
 */
export class ProviderNetwork {
  readonly #host: Host;
  readonly #recorded = new Set<string>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** @returns Why the request must not be sent, as a sentence. */
  admit(uses: readonly NetworkUse[]): string | undefined {
    const lacking = uses.filter((use) => !this.#host.allows({ kind: 'net', ...toAddress(use) }));
    const reason =
      lacking.length > 0
        ? toRefusal(lacking)
        : `With ${list(uses)}, the provider of the model may use the network for the program.`;
    if (!this.#recorded.has(reason)) this.#host.notice(reason);
    this.#recorded.add(reason);
    return lacking.length > 0 ? reason : undefined;
  }
}

/** The host of an address; every host for what is no address of the web. */
function toAddress({ url }: NetworkUse): { host: string; port: number } {
  if (url === undefined || !/^https?:\/\/(?!\/)/i.test(url) || !URL.canParse(url)) return EVERYWHERE;
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) };
}

function toRefusal(lacking: readonly NetworkUse[]): string {
  const hosts = [...new Set(lacking.map(toAddress).map(({ host, port }) => (port === 443 ? host : `${host}:${port}`)))];
  const allowed = hosts.includes('*') || hosts.length > MAX_NAMED ? '*' : hosts.join(',');
  return `Klaus did not send this request: with ${list(lacking)}, the provider of the model would use the network for the program. To allow it: klaus wrap --allow-net '${allowed}'`;
}

function list(uses: readonly NetworkUse[]): string {
  const named = uses.slice(0, MAX_NAMED).map(({ at, what }) => `${at} (${what})`);
  return [...named, ...(uses.length > MAX_NAMED ? [`${uses.length - MAX_NAMED} more`] : [])].join(', ');
}
