// A Klaus process that deploys, or resumes a session. Gets its orders as a JSON object on the command line.
import { createKlaus } from '@klaus/sdk';

export interface DeployOrder {
  home: string;
  workspace: string;
  /** URL of the scripted model. */
  url: string;
  env: Record<string, string>;
  /** Authority of a new session. */
  grant: string;
  /** Default: a new session. */
  session?: string;
}

const order = JSON.parse(process.argv[2]!) as DeployOrder;
await using klaus = await createKlaus({
  home: order.home,
  cwd: order.workspace,
  env: { PATH: process.env['PATH'], ...order.env },
  settings: {
    model: 'scripted/test',
    'sandbox.driver': 'host',
    approve: 'auto',
    checkpoint: 'manual',
    'retry.baseMs': 1,
  },
  scripted: async () => ({ url: order.url }),
});
const session =
  order.session === undefined ? await klaus.open({ grant: order.grant }) : await klaus.session(order.session);
process.stdout.write(`${session.id}\n`);
if (order.session === undefined) await session.prompt('Deploy.', { onAsk: 'deny' });
await session.advance();
