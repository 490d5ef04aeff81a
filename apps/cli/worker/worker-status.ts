import { setTimeout as delay } from 'node:timers/promises';

/** What a worker needs to run a session: services, and a sandbox for commands. */
export const SERVICE_NAMES = ['postgres', 'temporal', 'objects', 'sandbox'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

export interface WorkerHealth {
  /** `unreachable`: a service does not answer. Only a ready worker takes sessions. */
  state: 'ready' | 'draining' | 'unreachable';
  /** The services that do not answer. */
  unreachable: ServiceName[];
  slots: number;
  /** Sessions that run here now. */
  running: number;
  draining: boolean;
}

/** Milliseconds that a service may take to answer. */
const PING_MS = 2_000;
/** Milliseconds for which an answer counts, so that requests cannot flood the services. */
const KNOWN_MS = 1_000;
/** Milliseconds between two checks that are logged. */
const WATCH_MS = 5_000;

/** What a worker reports of itself. */
export interface WorkerStatus {
  /** Sessions that run here now. */
  running(): number;
  read(): Promise<WorkerHealth>;
  /** Counts the sessions of this worker from now on. */
  follow(worker: { readonly running: number }): void;
  /** It takes no more sessions. */
  drain(): void;
  /** 1 for each service that answers, else 0. */
  readServices(): Promise<Readonly<Record<ServiceName, 0 | 1>>>;
  /** Reports each service that stops answering, or answers again. Returns a function that stops it. */
  watch(onChange: (service: ServiceName, isReachable: boolean) => void): () => void;
}

/** @param options.services Each asks its service for anything; rejects when it cannot be reached. */
export function createWorkerStatus({
  slots,
  services,
}: {
  slots: number;
  services: Readonly<Record<ServiceName, () => Promise<unknown>>>;
}): WorkerStatus {
  let worker: { readonly running: number } | undefined;
  let draining = false;
  let last: { at: number; unreachable: Promise<ServiceName[]> } | undefined;
  const findUnreachable = async (): Promise<ServiceName[]> => {
    const answers = await Promise.all(SERVICE_NAMES.map((name) => answersInTime(services[name])));
    return SERVICE_NAMES.filter((_, at) => !answers[at]);
  };
  const readUnreachable = (): Promise<ServiceName[]> => {
    if (!last || Date.now() - last.at >= KNOWN_MS) last = { at: Date.now(), unreachable: findUnreachable() };
    return last.unreachable;
  };
  const running = (): number => worker?.running ?? 0;
  return {
    running,
    follow: (followed) => void (worker = followed),
    async read() {
      const unreachable = await readUnreachable();
      const state = draining ? 'draining' : unreachable.length === 0 ? 'ready' : 'unreachable';
      return { state, unreachable, slots, running: running(), draining };
    },
    async readServices() {
      const unreachable = await readUnreachable();
      const rows = SERVICE_NAMES.map((name) => [name, unreachable.includes(name) ? 0 : 1] as const);
      return Object.fromEntries(rows) as Record<ServiceName, 0 | 1>;
    },
    drain() {
      draining = true;
    },
    watch(onChange) {
      let before: ServiceName[] = [];
      const check = async (): Promise<void> => {
        const now = await readUnreachable();
        for (const name of now) if (!before.includes(name)) onChange(name, false);
        for (const name of before) if (!now.includes(name)) onChange(name, true);
        before = now;
      };
      const timer = setInterval(() => void check(), WATCH_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

async function answersInTime(ping: () => Promise<unknown>): Promise<boolean> {
  const answer = ping().then(
    () => true,
    () => false,
  );
  return await Promise.race([answer, delay(PING_MS, false, { ref: false })]);
}
