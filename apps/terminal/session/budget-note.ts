import type { Event } from '@klaus/sdk';
import type { App } from '../app/app.ts';

/** Says once on this machine that a session has no budget in dollars, where its model has a price. */
export function noteMissingBudget(app: App, event: Event): void {
  if (event.type !== 'turn.started' || app.preferences.knowsBudget || (app.link.limits.usd ?? 0) > 0) return;
  if (!event.modelInfo?.prices.some(({ price }) => price.output > 0)) return;
  app.note('No budget is set. `/budget 5` sets $5 for this session, `klaus init --budget-usd 5` for each session.');
  app.savePreferences({ knowsBudget: true });
}
