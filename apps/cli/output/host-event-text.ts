import type { HostEvent } from '@klaus/sdk';
import { formatNumber } from '@klaus/sdk/transcript';

/** The details of an event of the host chain, in one line. */
export function describeHostEvent(event: HostEvent): string {
  switch (event.type) {
    case 'session.anchored':
      return `${formatNumber(event.records, 'record')} after ${event.after}, head ${event.head.slice(0, 12)}`;
    case 'session.deleted':
      return `${formatNumber(event.records, 'record')} by ${event.by}, last ${event.head.slice(0, 12)}`;
    case 'session.exported':
      return `${event.format} by ${event.by}`;
    case 'approval.answered':
      return `${event.approval} ${event.answer} by ${event.by}${event.scope === undefined ? '' : ` for the ${event.scope}`}`;
    case 'approval.forgotten':
      return `${event.approval} of ${event.agent} in ${event.workspace} by ${event.by}`;
    case 'grant.changed':
      return event.reason;
    case 'session.changed': {
      const { mode, model, limits } = event;
      const caps = Object.entries(limits ?? {}).map(([name, cap]) => `${name} ${cap === 0 ? 'unlimited' : cap}`);
      return [...(mode ? [`mode ${mode}`] : []), ...(model ? [`model ${model}`] : []), ...caps].join(', ');
    }
    case 'workspace.restored':
      return `${event.kind} of ${formatNumber(event.files, 'file')} by ${event.by}`;
    case 'configuration.changed': {
      const changes = event.changes.map(
        ({ key, before, after }) => `${key}: ${before ?? 'unset'} → ${after ?? 'unset'}`,
      );
      const policies = event.policies.map(({ path, hash }) => `${path} ${hash.slice(0, 12)}`);
      return [event.workspace, ...changes, ...policies].join('; ');
    }
    case 'database.recovered': {
      const lost = event.sessions.filter(({ lostFrom }) => lostFrom !== undefined).length;
      return `${formatNumber(event.sessions.length, 'session')} saved, ${lost} of them incomplete`;
    }
  }
}
