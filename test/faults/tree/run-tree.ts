import { createModelServer } from '@klaus/adapters/models';
import type { Klaus } from '@klaus/sdk';
import { createTestHome, type TestHome } from '../../fixtures/test-home.ts';
import { createChance } from '../../undo/chance.ts';
import { findMismatches } from './books.ts';
import { describeKill, drawKill, isKilled, setTrap, type Kill } from './kill.ts';
import { openKlaus, openRoot, type TreeOrder } from './open-klaus.ts';
import { createPlan, type TreePlan } from './plan.ts';
import { runProcess } from './run-process.ts';

/** How a tree ended. */
export interface TreeResult {
  seed: number;
  /** The kills that took place. */
  kills: string[];
  sessions: number;
  /** Deepest child session. */
  depth: number;
  wrong: string[];
}

/** A tree that has not ended after so many calls of `advance` hangs. */
const MAX_ADVANCES = 24;
const MAX_KILLS = 5;

/**
 * Runs the tree of a seed until nothing is left to do, with kills in between, and checks its accounts.
 *
 * @param options.isReal True: each kill is a SIGKILL of a process that advances the tree. Default: it is simulated here.
 */
export async function runTree(seed: number, { isReal = false } = {}): Promise<TreeResult> {
  const chance = createChance(seed);
  const plan = createPlan(chance);
  const kills = Array.from({ length: isReal ? 1 + chance.number(3) : chance.number(MAX_KILLS + 1) }, () =>
    drawKill(chance),
  );
  using place = createTestHome();
  const server = await createModelServer({ script: plan.script });
  try {
    return await drive({ seed, plan, kills, place, url: server.url, isReal });
  } finally {
    await server.close();
  }
}

interface Drive {
  seed: number;
  plan: TreePlan;
  kills: Kill[];
  place: TestHome;
  url: string;
  isReal: boolean;
}

async function drive({ seed, plan, kills, place, url, isReal }: Drive): Promise<TreeResult> {
  const order: TreeOrder = { home: place.home, workspace: place.workspace, url, seed };
  const open = (): Promise<Klaus> => openKlaus(order, plan, place.env);
  let klaus = await open();
  try {
    const root = await openRoot(klaus, plan);
    const done: string[] = [];
    let isPromptLeft = plan.isPromptedAgain;
    let appends = 0;
    for (let advances = 1; ; advances++) {
      const end = async (wrong: string[]): Promise<TreeResult> => ({
        seed,
        kills: done,
        ...(await shapeOf(klaus, root)),
        wrong,
      });
      if (advances > MAX_ADVANCES) return await end(['it hangs']);
      const session = klaus.handle(root);
      const kill = kills.shift();
      if (isReal && kill) {
        await klaus.close();
        if (await runProcess({ ...order, session: root, kill })) done.push(describeKill(kill));
        klaus = await open();
        continue;
      }
      const trap = setTrap(klaus.store, {
        kill,
        onAppend: () => {
          if (++appends === plan.cancelAfter) session.send({ type: 'cancel' }).catch(() => {});
        },
      });
      const result = await session.advance({ signal: trap.signal }).catch((error: unknown) => {
        if (!isKilled(error) && !trap.isSprung()) throw error;
      });
      if (trap.isSprung()) {
        done.push(describeKill(kill!));
        await klaus.close();
        klaus = await open();
        continue;
      }
      trap.remove();
      if (result!.state === 'idle' && isPromptLeft) {
        isPromptLeft = false;
        await session.prompt('Lead again.', { onAsk: 'deny' });
        continue;
      }
      if (await session.isRunnable()) continue;
      if (result!.state !== 'idle') return await end([`it hangs: ${result!.state}`]);
      return await end(await findMismatches(klaus, root));
    }
  } finally {
    await klaus.close();
  }
}

async function shapeOf(klaus: Klaus, root: string): Promise<{ sessions: number; depth: number }> {
  const rows = await klaus.sessions({});
  const parents = new Map(rows.map(({ id, parent }) => [id, parent]));
  const depthOf = (id: string): number => (id === root ? 0 : 1 + depthOf(parents.get(id)!));
  return { sessions: rows.length, depth: Math.max(...rows.map(({ id }) => depthOf(id))) };
}
