import type { Event } from '@klaus/sdk';
import { describeUninstalled, toFetch } from '@klaus/sdk/transcript';
import type { App } from '../app/app.ts';

/** Sessions whose user has read it. */
const noted = new Set<string>();

/** Says once in a session that dependencies are not installed, and how the user installs them. */
export function noteUninstalled(app: App, event: Event): void {
  if (event.type !== 'tool.finished' || toFetch(event) === undefined || noted.has(event.session)) return;
  noted.add(event.session);
  app.note(describeUninstalled(app.client.server === undefined ? '/fetch' : undefined), 'warn');
}
