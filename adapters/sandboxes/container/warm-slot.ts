import type { Protection } from '../protection/protected-folders.ts';
import { closeReusable, type ReusableStores } from '../protection/reusable-stores.ts';
import { isInvisible } from '../protection/invisible.ts';

/** A container, or a pod with one, in which commands run one after the other. */
export interface SlotContainer {
  /** What determines it. Two commands with the same key can use the same one. */
  readonly key: string;
  /** True if the next command finds it as the first one did. Never rejects. */
  isFresh(): Promise<boolean>;
  /** Kills all of its processes and removes it. Idempotent; never rejects. */
  end(): Promise<void>;
  /** Starts in advance what the next command needs. Never rejects. */
  prepare?(): Promise<void>;
}

/** A container without a command, with what the protection of its last command left open. */
interface Idle<C> {
  container: C;
  reusable: ReusableStores;
}

/** Slots with an idle container, whose placeholders have to be removed when this process exits. */
const occupied = new Set<Pick<WarmSlot<SlotContainer>, 'close' | 'abandon'>>();
let isListening = false;

/** The slots of the sessions of one driver, which outlive the runs of the session. */
export class WarmSlots<C extends SlotContainer> {
  readonly #idleMs: number;
  readonly #slots = new Map<string, WarmSlot<C>>();

  /** @param idleMs How long a container waits for the next command. Placeholders exist in the workspace during this time. */
  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** The slot of a session in a workspace. Without a session it is a new one. */
  open(workspace: string, session: string | undefined): WarmSlot<C> {
    if (session === undefined) return new WarmSlot(this.#idleMs);
    const key = `${session} ${workspace}`;
    const slot = this.#slots.get(key) ?? new WarmSlot<C>(this.#idleMs, () => this.#slots.delete(key));
    this.#slots.set(key, slot);
    return slot;
  }
}

/** Ends the idle containers of this process. The next command of a session starts a new one. Never rejects. */
export async function closeIdleContainers(): Promise<void> {
  await Promise.all([...occupied].map((slot) => slot.close()));
}

export interface SlotRequest<C extends SlotContainer, P extends { key: string }> {
  protect: (stores: ReusableStores['stores']) => Protection;
  plan: (protection: Protection) => P;
  /** @throws KlausError `sandbox.failed` when the engine cannot start it. */
  start: (plan: P) => Promise<C>;
}

/** A container in use, and the protection of its command. */
export interface TakenContainer<C> {
  container: C;
  protection: Protection;
  /** True if it has run a command before. */
  isWarm: boolean;
}

/** Holds at most one idle container. A command that finds none, or one with other mounts or limits, gets a new one. */
export class WarmSlot<C extends SlotContainer> {
  readonly #idleMs: number;
  readonly #onClose: () => void;
  #idle: Idle<C> | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onClose Called when the idle container is ended without a command. */
  constructor(idleMs: number, onClose: () => void = () => {}) {
    this.#idleMs = idleMs;
    this.#onClose = onClose;
  }

  /** @throws KlausError `sandbox.failed` when the engine cannot start a container. */
  async take<P extends { key: string }>(request: SlotRequest<C, P>): Promise<TakenContainer<C>> {
    const { protect, plan, start } = request;
    const idle = this.#empty();
    let protection: Protection | undefined;
    let isWarm = false;
    try {
      protection = protect(idle?.reusable.stores ?? []);
      const planned = plan(protection);
      isWarm = idle?.container.key === planned.key && (await idle.container.isFresh());
      if (isWarm) return { container: idle!.container, protection, isWarm };
      await idle?.container.end();
      return { container: await start(planned), protection, isWarm };
    } catch (error) {
      await idle?.container.end();
      protection?.close();
      throw error;
    } finally {
      if (idle) closeReusable(idle.reusable, protection?.stores);
    }
  }

  /**
   * Returns a container whose command has ended, and closes the protection.
   *
   * @param canStay False to remove the container.
   * @returns The repairs that were made, as sentences.
   */
  async release({ container, protection }: TakenContainer<C>, canStay: boolean): Promise<string[]> {
    const stays = canStay && !this.#idle && isInvisible(protection) && (await container.isFresh());
    if (!stays || this.#idle) {
      await container.end();
      return protection.close();
    }
    const { warnings, reusable } = protection.closeForReuse();
    this.#keep({ container, reusable });
    void container.prepare?.();
    return warnings;
  }

  /** Ends the idle container. */
  async close(): Promise<void> {
    const idle = this.#empty();
    if (!idle) return;
    this.#onClose();
    await idle.container.end();
    closeReusable(idle.reusable);
  }

  /** Synchronous part of {@link close} when this process exits: the container ends with it. */
  abandon(): void {
    const idle = this.#empty();
    if (idle) closeReusable(idle.reusable);
  }

  #keep(idle: Idle<C>): void {
    this.#idle = idle;
    occupied.add(this);
    this.#timer = setTimeout(() => void this.close(), this.#idleMs).unref();
    if (isListening) return;
    isListening = true;
    process.once('exit', () => occupied.forEach((slot) => slot.abandon()));
  }

  #empty(): Idle<C> | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    occupied.delete(this);
    clearTimeout(this.#timer);
    return idle;
  }
}
