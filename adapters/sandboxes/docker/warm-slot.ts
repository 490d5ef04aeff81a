import type { Protection } from '../protection/protected-folders.ts';
import { closeReusable, type ReusableStores } from '../protection/reusable-stores.ts';
import { isInvisible } from '../protection/invisible.ts';
import type { ContainerPlan } from './arguments.ts';
import { Container } from './container.ts';

/** How long a container waits for the next command. Placeholders exist in the workspace during this time. */
const IDLE_MS = 60_000;

/** A container without a command, with what the protection of its last command left open. */
interface Idle {
  container: Container;
  reusable: ReusableStores;
}

/** Slots with an idle container, whose placeholders have to be removed when this process exits. */
const occupied = new Set<WarmSlot>();
let isListening = false;
/** The slots of sessions, which outlive the runs of the session. Sandboxes without a session have a slot each. */
const slots = new Map<string, WarmSlot>();

/** The slot of a session in a workspace. */
export function openSlot(workspace: string, session: string | undefined): WarmSlot {
  if (session === undefined) return new WarmSlot();
  const key = `${session} ${workspace}`;
  const slot = slots.get(key) ?? new WarmSlot(() => slots.delete(key));
  slots.set(key, slot);
  return slot;
}

/** Ends the idle containers of this process. The next command of a session starts a new one. Never rejects. */
export async function closeIdleContainers(): Promise<void> {
  await Promise.all([...occupied].map((slot) => slot.close()));
}

export interface SlotRequest {
  protect: (stores: ReusableStores['stores']) => Protection;
  plan: (protection: Protection) => ContainerPlan;
  labels: Readonly<Record<string, string>>;
}

/** A container in use, and the protection of its command. */
export interface TakenContainer {
  container: Container;
  protection: Protection;
  /** True if it has run a command before. */
  isWarm: boolean;
}

/** Holds at most one idle container. A command that finds none, or one with other mounts or limits, gets a new one. */
export class WarmSlot {
  readonly #onClose: () => void;
  #idle: Idle | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onClose Called when the idle container is ended without a command. */
  constructor(onClose: () => void = () => {}) {
    this.#onClose = onClose;
  }

  /** @throws KlausError `sandbox.failed` when the engine cannot start a container. */
  async take({ protect, plan, labels }: SlotRequest): Promise<TakenContainer> {
    const idle = this.#empty();
    let protection: Protection | undefined;
    let isWarm = false;
    try {
      protection = protect(idle?.reusable.stores ?? []);
      const planned = plan(protection);
      isWarm = idle?.container.key === planned.key && (await idle.container.isFresh());
      if (isWarm) return { container: idle!.container, protection, isWarm };
      await idle?.container.end();
      return { container: await Container.start(planned, labels), protection, isWarm };
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
  async release({ container, protection }: TakenContainer, canStay: boolean): Promise<string[]> {
    const stays = canStay && !this.#idle && isInvisible(protection) && (await container.isFresh());
    if (!stays || this.#idle) {
      await container.end();
      return protection.close();
    }
    const { warnings, reusable } = protection.closeForReuse();
    this.#keep({ container, reusable });
    void container.prepare();
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

  #keep(idle: Idle): void {
    this.#idle = idle;
    occupied.add(this);
    this.#timer = setTimeout(() => void this.close(), IDLE_MS).unref();
    if (isListening) return;
    isListening = true;
    process.once('exit', () => occupied.forEach((slot) => slot.abandon()));
  }

  #empty(): Idle | undefined {
    const idle = this.#idle;
    this.#idle = undefined;
    occupied.delete(this);
    clearTimeout(this.#timer);
    return idle;
  }
}
