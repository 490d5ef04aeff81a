import type { Lease } from '@klaus/core/agent';
import type { Monitor } from '../monitor.ts';
import type { Host } from '../scheduler.ts';

/** Which process holds the session. Checks claims and appends. */
export interface Holders {
  readonly current: Host | undefined;
  /** True for a process that lost the session to another one, and may not know it. */
  isFormer(host: Host): boolean;
  /** After a claim that succeeded. */
  claimed(host: Host, lease: Lease, attempt: number | undefined): void;
  /** After an append that succeeded. */
  appended(host: Host, lease: Lease): void;
  released(host: Host, lease: Lease): void;
  died(host: Host): void;
}

/** A session that only one live process can hold. */
export class SingleHolder implements Holders {
  current: Host | undefined;
  readonly #monitor: Monitor;

  constructor(monitor: Monitor) {
    this.#monitor = monitor;
  }

  isFormer(): boolean {
    return false;
  }

  claimed(host: Host): void {
    const { current } = this;
    if (current?.isAlive && current !== host)
      this.#monitor.fail('one holder', `${host.name} and ${current.name} hold it`);
    this.current = host;
  }

  appended(host: Host): void {
    if (this.current !== host) this.#monitor.fail('one holder', `${host.name} appended without holding the session`);
  }

  released(host: Host): void {
    if (this.current === host) this.current = undefined;
  }

  died(host: Host): void {
    this.released(host);
  }
}
