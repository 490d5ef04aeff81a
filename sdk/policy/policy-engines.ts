import type { Engine } from '@klaus/core/agent';
import { createPolicyRule, toHiddenGlobs, type Policy } from '@klaus/core/policy';
import { loadPolicy, type PolicyInput } from './load-policy.ts';
import { recordConfiguration, type ConfigurationRecord } from './record-configuration.ts';

/** The policy of a workspace: loaded again before every advance of a session. */
export interface PolicyEngines {
  /** @throws KlausError `config` for an invalid policy file. */
  policy(workspace: string): Promise<Policy>;
  /**
   * The engine with the rules of the policy. A change since the last run in the workspace is recorded first.
   *
   * @throws KlausError `config`; nothing may run then.
   */
  engine(workspace: string): Promise<Engine>;
  /** The same for an explanation of a decision: nothing is recorded. @throws KlausError `config`. */
  judging: (workspace: string) => Promise<Engine>;
}

export interface PolicyEnginesOptions
  extends Omit<PolicyInput, 'workspace'>, Omit<ConfigurationRecord, 'workspace' | 'policy'> {
  engine: Engine;
}

export function createPolicyEngines(options: PolicyEnginesOptions): PolicyEngines {
  const policy = (workspace: string): Promise<Policy> => loadPolicy({ ...options, workspace });
  return {
    policy,
    judging: async (workspace) => withRule(options.engine, await policy(workspace)),
    async engine(workspace) {
      const { engine } = options;
      const found = await policy(workspace);
      await recordConfiguration({ ...options, workspace, policy: found });
      return withRule(engine, found);
    },
  };
}

function withRule(engine: Engine, policy: Policy): Engine {
  const secretPatterns = [...engine.settings.secretPatterns, ...policy.secrets];
  return {
    ...engine,
    settings: { ...engine.settings, secretPatterns, hiddenPatterns: toHiddenGlobs(policy) },
    rules: [...engine.rules, createPolicyRule(policy)],
  };
}
