import { spawnSync } from 'node:child_process';
import { startProxy } from '../../fixtures/proxy.ts';

/** Links of a worker: one for each service that it can lose, and one for the others. */
export const LINKS = ['postgres', 'engine', 'others'] as const;
export type Link = (typeof LINKS)[number];

/** A network namespace whose only ways out are links to this machine, each of which can lose all packets. */
export interface WorkerNetwork extends AsyncDisposable {
  /** Begins the command of a process in the namespace. */
  readonly prefix: readonly string[];
  /** Makes a port of loopback reachable over a link. Resolves with host and port for the namespace. */
  forward(link: Link, port: number): Promise<string>;
  /** Drops all packets of a link, in both directions. Resolves with what ends it. */
  drop(link: Link): () => void;
}

let created = 0;

/** Why no namespace can be created here; undefined if it can. */
export const WITHOUT_NAMESPACES = findReason();

function findReason(): string | undefined {
  const name = `klaus-${process.pid}-probe`;
  try {
    run(['ip', 'netns', 'add', name]);
    run(['ip', 'netns', 'exec', name, 'iptables', '-A', 'INPUT', '-i', 'none', '-j', 'DROP']);
    return undefined;
  } catch (error) {
    return `no network namespace can be created: ${String(error)}`;
  } finally {
    spawnSync('ip', ['netns', 'del', name]);
  }
}

/** Creates the namespace with its links. */
export function createWorkerNetwork(): WorkerNetwork {
  const stack = new AsyncDisposableStack();
  const index = created++;
  const name = `klaus-${process.pid}-${index}`;
  // Addresses of two runs at the same time differ.
  const [net, subnet] = [100 + (process.pid % 100), index % 250];
  const inside = ['ip', 'netns', 'exec', name];
  const deviceOf = (link: Link): string => `in${LINKS.indexOf(link)}`;
  const addressOf = (link: Link, host: 1 | 2): string => `10.${net}.${subnet}.${4 * LINKS.indexOf(link) + host}`;
  run(['ip', 'netns', 'add', name]);
  // Its links end with it.
  stack.defer(() => void spawnSync('ip', ['netns', 'del', name]));
  run([...inside, 'ip', 'link', 'set', 'lo', 'up']);
  for (const link of LINKS) {
    const outer = `k${process.pid % 100_000}x${index}x${LINKS.indexOf(link)}`;
    run(['ip', 'link', 'add', outer, 'type', 'veth', 'peer', 'name', deviceOf(link), 'netns', name]);
    run(['ip', 'address', 'add', `${addressOf(link, 1)}/30`, 'dev', outer]);
    run(['ip', 'link', 'set', outer, 'up']);
    run([...inside, 'ip', 'address', 'add', `${addressOf(link, 2)}/30`, 'dev', deviceOf(link)]);
    run([...inside, 'ip', 'link', 'set', deviceOf(link), 'up']);
  }
  return {
    prefix: inside,
    async forward(link, port) {
      const host = addressOf(link, 1);
      const proxy = stack.use(await startProxy(port, host));
      return `${host}:${proxy.port}`;
    },
    drop(link) {
      const rules = [
        ['INPUT', '-i', deviceOf(link), '-j', 'DROP'],
        ['OUTPUT', '-o', deviceOf(link), '-j', 'DROP'],
      ];
      const change = (flag: '-A' | '-D'): void => rules.forEach((rule) => run([...inside, 'iptables', flag, ...rule]));
      change('-A');
      return () => change('-D');
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function run([program, ...words]: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program!, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
