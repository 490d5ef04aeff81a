import { isReadOnly, type Effect } from '../protocol/index.ts';
import { allowsAccess, allowsTool, describeAccess } from './grant.ts';
import { isBelow } from './path.ts';
import type { Rule } from './rule.ts';

/** Authority: what the grant does not cover needs a human. */
const grantRule: Rule = {
  name: 'grant',
  check(call, { grant }) {
    if (!allowsTool(grant, call.name)) return { verdict: 'deny', reason: `the grant has no tool ${call.name}` };
    const wider = call.access.filter((access) => !allowsAccess(grant, access));
    if (wider.length > 0) {
      return { verdict: 'ask', reason: `wider than the grant: ${wider.map(describeAccess).join(', ')}` };
    }
    return { verdict: 'allow', reason: 'covered by the grant' };
  },
};

/** Places: outside the workspace and in Klaus's state nothing is touched; git's and Klaus's own files are protected. */
const pathRule: Rule = {
  name: 'path',
  check(call, { workspace, home }) {
    let protectedPath: string | undefined;
    for (const access of call.access) {
      if (access.kind !== 'fs') continue;
      if (isBelow(access.path, home)) return { verdict: 'deny', reason: `${access.path} is Klaus's own state` };
      if (!isBelow(access.path, workspace))
        return { verdict: 'deny', reason: `${access.path} is outside the workspace` };
      if (access.right !== 'w') continue;
      const parts = access.path.slice(workspace.length + 1).split('/');
      if (parts.includes('.git')) return { verdict: 'deny', reason: `${access.path} is git's own; use the git tools` };
      if (parts.includes('.klaus')) protectedPath ??= access.path;
    }
    if (protectedPath !== undefined) return { verdict: 'ask', reason: `${protectedPath} configures Klaus itself` };
    return undefined;
  },
};

const EDITS: ReadonlySet<Effect> = new Set(['read', 'write']);

/** The approval mode of the session. */
const modeRule: Rule = {
  name: 'mode',
  check(call, { mode }) {
    if (call.engine) return { verdict: 'allow', reason: 'asked for by a setting of the user' };
    if (isReadOnly(call.effects)) return { verdict: 'allow', reason: 'it only reads' };
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

/** A call whose text redaction changed is not what the model asked for any more. */
const alteredRule: Rule = {
  name: 'redaction',
  check(call) {
    if (!call.altered || isReadOnly(call.effects)) return undefined;
    return { verdict: 'ask', reason: 'the call held a secret that was redacted, and the original is gone' };
  },
};

export const RULES: readonly Rule[] = [grantRule, pathRule, modeRule, patchRule, alteredRule];
