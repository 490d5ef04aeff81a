import type { Event } from '@klaus/sdk';
import { findModelFix, toFailedRequest, type FailedRequest } from '@klaus/sdk/transcript';
import type { App } from '../app/app.ts';

const COMMANDS = {
  login: '/login',
  doctor: '/doctor',
  model: '/model',
  config: 'klaus config',
  retry: '`/resume` tries again.',
};

/** The last failed request of a session. */
const failed = new Map<string, FailedRequest>();

/** Says what the user can do about a model that failed, when that has ended the run. */
export function noteFailedModel(app: App, event: Event): void {
  if (event.type === 'model.attempted' && event.purpose === 'turn') {
    const request = toFailedRequest(event);
    if (request === undefined) failed.delete(event.session);
    else failed.set(event.session, request);
  }
  if (event.type !== 'run.finished') return;
  const request = failed.get(event.session);
  failed.delete(event.session);
  if (request === undefined || event.outcome !== 'model_failed' || event.session !== app.link.id) return;
  const fix = findModelFix(request, COMMANDS);
  if (fix !== undefined) app.note(app.client.server === undefined ? fix : `On the server: ${fix}`);
}
