import { createKlaus, type Klaus } from '@klaus/sdk';
import type { TreePlan } from './plan.ts';

/** Where a tree is. The seed gives its plan. */
export interface TreeOrder {
  home: string;
  workspace: string;
  url: string;
  seed: number;
}

/** Opens Klaus on the home of a tree. */
export function openKlaus(
  { home, workspace, url }: TreeOrder,
  { script }: TreePlan,
  env: Record<string, string | undefined>,
): Promise<Klaus> {
  return createKlaus({
    home,
    cwd: workspace,
    env,
    settings: {
      model: 'scripted/test',
      'sandbox.driver': 'host',
      'undo.enabled': false,
      'retry.baseMs': 1,
      'retry.idleMs': 250,
      'retry.attempts': 2,
    },
    scripted: async () => ({ url, price: script.price!, maxOutputTokens: script.maxOutputTokens! }),
  });
}

/** Opens the first session with its prompt. */
export async function openRoot(klaus: Klaus, { definitions, root, limits }: TreePlan): Promise<string> {
  for (const definition of definitions) await klaus.agents().save(definition);
  const grant = `${definitions[0]!.grants!.join(' ')}`;
  const session = await klaus.open({ agent: root, grant, limits, checkpoint: 'manual' });
  await session.prompt('Lead.', { onAsk: 'deny' });
  return session.id;
}
