import { isReadOnly, type Effect } from '../protocol/index.ts';
import { allowsAccess, allowsSpawn, allowsTool, describeAccess } from './grant/access.ts';
import { areCovered, delegableOf, heldBy, liveAt } from './grant/algebra.ts';
import { pathRule } from './path-rule.ts';
import type { Rule } from './rule.ts';
import { shellRule } from './shell/rules/shell-rule.ts';
import { taintRule } from './taint-rule.ts';

/** Authority: a tool that the grant does not name is denied; what else it does not cover needs a human. */
const grantRule: Rule = {
  name: 'grant',
  check(call, { grant, now }) {
    if (!allowsTool(grant, call.name, now)) return { verdict: 'deny', reason: `the grant has no tool ${call.name}` };
    const wider = call.access.filter((access) => !allowsAccess(grant, access, now)).map(describeAccess);
    if (call.effects.includes('spawn') && call.creates !== false && !allowsSpawn(grant, now))
      wider.push('create an agent');
    if (wider.length > 0) return { verdict: 'ask', reason: `wider than the grant: ${wider.join(', ')}` };
    return { verdict: 'allow', reason: 'covered by the grant' };
  },
};

/** An agent gets no more than the session may delegate: what goes beyond needs a human. */
const delegationRule: Rule = {
  name: 'delegation',
  check({ delegates }, { grant, now }) {
    if (!delegates) return undefined;
    const wanted = [...heldBy(delegates.grant), ...delegableOf(delegates.grant)];
    if (areCovered(liveAt(wanted, now), liveAt(delegableOf(grant), now))) return undefined;
    return {
      verdict: 'ask',
      reason: `the session may not delegate what ${delegates.agent} would have: ${delegates.text}`,
    };
  },
};

const EDITS: ReadonlySet<Effect> = new Set(['read', 'write']);

const modeRule: Rule = {
  name: 'mode',
  check(call, { mode }) {
    if (call.engine) return { verdict: 'allow', reason: 'asked for by a setting of the user' };
    if (call.byUser) return { verdict: 'allow', reason: 'the user entered it' };
    if (isReadOnly(call.effects)) return { verdict: 'allow', reason: 'it only reads' };
    // What those agents do is judged in their own sessions.
    if (call.creates === false) return { verdict: 'allow', reason: 'it only uses agents that exist' };
    switch (mode) {
      case 'plan':
        return { verdict: 'deny', reason: 'mode plan is read only' };
      case 'ask':
        return { verdict: 'ask', reason: 'mode ask asks before everything but reading' };
      case 'edits':
        return call.effects.every((effect) => EDITS.has(effect))
          ? { verdict: 'allow', reason: 'mode edits lets edits in the workspace pass' }
          : { verdict: 'ask', reason: `mode edits asks before ${call.effects.join(', ')}` };
      case 'auto':
        return { verdict: 'allow', reason: 'mode auto lets pass what grant and sandbox allow' };
    }
  },
};

/** Patch approval: file changes ask in every mode. */
const patchRule: Rule = {
  name: 'patch-approval',
  check(call, { patchApproval }) {
    if (!patchApproval || call.engine || !call.effects.includes('write')) return undefined;
    return { verdict: 'ask', reason: 'every file change needs an approval (AGENT_REQUIRE_PATCH_APPROVAL)' };
  },
};

/** In an isolated session every change of the workspace is reviewed first. */
const isolateRule: Rule = {
  name: 'isolate',
  check(call, { isolate }) {
    if (!isolate || !call.inPlace) return undefined;
    return { verdict: 'ask', reason: 'the session is isolated, and this works on the workspace itself' };
  },
};

/** Asks about a call whose text redaction changed: it is not the requested call any more. */
const alteredRule: Rule = {
  name: 'redaction',
  check(call) {
    if (!call.altered || isReadOnly(call.effects)) return undefined;
    return { verdict: 'ask', reason: 'the call held a secret that was redacted, and the original is gone' };
  },
};

/** A call of another program whose effects are not reported completely cannot be judged. */
const unclearRule: Rule = {
  name: 'unclear',
  check({ unclear }) {
    if (unclear === undefined) return undefined;
    return { verdict: 'ask', reason: 'the agent does not report what it would do' };
  },
};

/** What cannot be undone needs the user, in every mode. */
const confirmRule: Rule = {
  name: 'confirm',
  check: ({ confirm }) => (confirm === undefined ? undefined : { verdict: 'ask', reason: confirm }),
};

/** A plan always needs the user, in every mode. */
const planRule: Rule = {
  name: 'plan',
  check: ({ plan }) => (plan ? { verdict: 'ask', reason: 'the user decides about a plan' } : undefined),
};

export const RULES: readonly Rule[] = [
  grantRule,
  delegationRule,
  pathRule,
  shellRule,
  modeRule,
  patchRule,
  isolateRule,
  alteredRule,
  unclearRule,
  confirmRule,
  planRule,
  taintRule,
];
