import type { Lease } from '@klaus/core/agent';
import type { Holders } from '../checks/holders.ts';
import type { Monitor } from '../monitor.ts';
import type { Host } from '../scheduler.ts';

/** A session that a newer attempt takes from a live holder, and any claim from one whose lease expired. */
export class ClusterHolders implements Holders {
  readonly #monitor: Monitor;
  #held: { host: Host; lease: Lease } | undefined;
  /** The fence of the last claim. */
  #fence = 0;
  /** The number of the newest attempt. */
  #attempt = 0;
  #isExpired = false;

  constructor(monitor: Monitor) {
    this.#monitor = monitor;
  }

  get current(): Host | undefined {
    return this.#held?.host;
  }

  isFormer(host: Host): boolean {
    return this.#held?.host !== host;
  }

  /** After the lease of the holder expired, which is stopped. */
  expired(): void {
    this.#isExpired = true;
  }

  claimed(host: Host, lease: Lease, attempt: number | undefined): void {
    const held = this.#isExpired ? undefined : this.#held;
    const isNewer = attempt !== undefined && attempt > this.#attempt;
    const who = `${host.name} with attempt ${attempt}`;
    if (held?.host.isAlive && !isNewer)
      this.#monitor.fail(
        'live holders keep the session',
        `${who} took it from ${held.host.name} with ${this.#attempt}`,
      );
    if (attempt !== undefined && attempt < this.#attempt)
      this.#monitor.fail('live holders keep the session', `${who} claimed after attempt ${this.#attempt}`);
    if (lease.fence <= this.#fence)
      this.#monitor.fail('live holders keep the session', `${who} has fence ${lease.fence} after ${this.#fence}`);
    this.#held = { host, lease };
    this.#fence = lease.fence;
    this.#attempt = Math.max(this.#attempt, attempt ?? 0);
    this.#isExpired = false;
  }

  appended(host: Host, lease: Lease): void {
    if (lease.fence !== this.#fence)
      this.#monitor.fail(
        'former holders append nothing',
        `${host.name} appended with fence ${lease.fence} of ${this.#fence}`,
      );
  }

  released(_host: Host, lease: Lease): void {
    if (this.#held?.lease === lease) this.#held = undefined;
  }

  died(host: Host): void {
    if (this.#held?.host === host) this.#held = undefined;
  }
}
