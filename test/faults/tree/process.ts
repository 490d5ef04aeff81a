// Advances a session of a tree in a process of its own, which ends with SIGKILL at a given moment, or by itself.
import { createChance } from '../../undo/chance.ts';
import { setTrap, type Kill } from './kill.ts';
import { createPlan } from './plan.ts';
import { openKlaus, type TreeOrder } from './open-klaus.ts';

export interface ProcessOrder extends TreeOrder {
  session: string;
  kill?: Kill;
}

const order = JSON.parse(process.argv[2]!) as ProcessOrder;
const klaus = await openKlaus(order, createPlan(createChance(order.seed)), { PATH: process.env['PATH'] });
setTrap(klaus.store, { kill: order.kill, die: () => void process.kill(process.pid, 'SIGKILL') });
await klaus.handle(order.session).advance();
await klaus.close();
