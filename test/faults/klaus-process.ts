// A Klaus in a process of its own that ends itself with SIGKILL at a chosen moment, or not at all.
// Told by one JSON object on the command line; prints one JSON object when it comes to an end by itself.
import { builtinTools } from '@klaus/adapters/tools';
import type { Tool } from '@klaus/core/agent';
import { createKlaus } from '@klaus/sdk';

export interface Order {
  home: string;
  workspace: string;
  /** Where the scripted model is served. */
  url: string;
  /** Sent as a prompt when given; otherwise the session only goes on. */
  prompt?: string;
  session?: string;
  onAsk?: 'deny' | 'wait';
  mode?: 'auto' | 'ask' | 'edits';
  /** Die as soon as the event of this seq is durable. */
  dieAfterSeq?: number;
  /** Die when this tool has done its work and before its result is known to anybody. */
  dieAfterEffect?: string;
}

const order = JSON.parse(process.argv[2]!) as Order;
const die = (): boolean => process.kill(process.pid, 'SIGKILL');

const tools = builtinTools.map((tool): Tool => {
  if (tool.name !== order.dieAfterEffect) return tool;
  return {
    ...tool,
    async run(input, context, intent) {
      const output = await tool.run(input, context, intent);
      die();
      return output;
    },
  };
});

await using klaus = await createKlaus({
  home: order.home,
  cwd: order.workspace,
  env: { PATH: process.env['PATH'] },
  builtinTools: false,
  tools,
  settings: { model: 'scripted/test', 'retry.baseMs': 5 },
  scripted: async () => ({ url: order.url }),
});
const session = order.session === undefined ? await klaus.open({ ...(order.mode ? { mode: order.mode } : {}) }) : klaus.session(order.session);
session.subscribe(0, (event) => {
  if (event.seq === order.dieAfterSeq) die();
});
process.stdout.write(`${JSON.stringify({ session: session.id })}\n`);
if (order.prompt !== undefined) await session.prompt(order.prompt, { onAsk: order.onAsk ?? 'deny' });
const result = await session.advance();
process.stdout.write(`${JSON.stringify({ result })}\n`);
