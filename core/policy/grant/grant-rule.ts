import type { Rule } from '../rule.ts';
import { allowsAccess, allowsSpawn, allowsTool, describeAccess } from './access.ts';

/** Authority: a tool that the grant does not name is denied; what else it does not cover needs a human. */
export const grantRule: Rule = {
  name: 'grant',
  check(call, { grant, now }) {
    if (!allowsTool(grant, call.name, now)) return { verdict: 'deny', reason: `the grant has no tool ${call.name}` };
    const wider = call.access.filter((access) => !allowsAccess(grant, access, now)).map(describeAccess);
    if (call.effects.includes('spawn') && !allowsSpawn(grant, now)) wider.push('create an agent');
    if (wider.length > 0) return { verdict: 'ask', reason: `wider than the grant: ${wider.join(', ')}` };
    return { verdict: 'allow', reason: 'covered by the grant' };
  },
};
