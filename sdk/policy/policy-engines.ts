import type { Engine, SessionStore } from '@klaus/core/agent';
import { createPolicyRule, type Policy, toHiddenGlobs, withComparison } from '@klaus/core/policy';
import { type ConfigurationChange, type Setting, SETTING_KEYS, type SettingKey, SETTINGS } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import { toShown } from '../config/shown.ts';
import type { Projects } from '../engine/projects.ts';
import { loadPolicy, type PolicyInput } from './load-policy.ts';

export type PolicyEngines = ReturnType<typeof createPolicyEngines>;

interface PolicyEnginesOptions extends Omit<PolicyInput, 'workspace'> {
  projects: Projects;
  store: SessionStore;
  redact: (text: string) => string;
}

/** The policy and the settings of a workspace: loaded again before every advance of a session. */
export function createPolicyEngines(options: PolicyEnginesOptions) {
  const policy = (workspace: string): Promise<Policy> => loadPolicy({ ...options, workspace });
  return {
    /** The settings of a workspace without its policy. @throws KlausError `config` for an invalid project file. */
    project: options.projects,
    /** @throws KlausError `config` for an invalid policy file. */
    policy,
    /**
     * The engine with the settings and the rules of the policy. A change since the last run in the workspace is recorded first.
     *
     * @throws KlausError `config`; nothing may run then.
     */
    async engine(workspace: string): Promise<Engine> {
      const { engine, configuration } = await options.projects(workspace);
      const found = await policy(workspace);
      await recordConfiguration({ ...options, configuration }, workspace, found);
      return withRule(engine, found, workspace);
    },
    /** The same for an explanation of a decision: nothing is recorded. @throws KlausError `config`. */
    judging: async (workspace: string): Promise<Engine> =>
      withRule((await options.projects(workspace)).engine, await policy(workspace), workspace),
  };
}

function withRule(engine: Engine, policy: Policy, workspace: string): Engine {
  const names = engine.compareNames([workspace]);
  const own = engine.settings.secretPatterns.map((pattern) => withComparison(pattern, names));
  const secretPatterns = [...own, ...policy.secrets];
  return {
    ...engine,
    settings: { ...engine.settings, secretPatterns, hiddenPatterns: toHiddenGlobs(policy) },
    rules: [...engine.rules, createPolicyRule(policy)],
  };
}

/** Settings that affect safety, money or privacy: a project may not set them freely. */
const WATCHED: readonly SettingKey[] = SETTING_KEYS.filter(
  (key) => key !== 'workspace' && (SETTINGS[key] as Setting).project !== 'free',
);

/**
 * Appends to the host chain if the settings or the policy of a workspace differ from those of the last run
 * there. Nothing is written if they are the same.
 */
async function recordConfiguration(
  { store, configuration, digest, redact }: PolicyEnginesOptions & { configuration: Configuration },
  workspace: string,
  policy: Policy,
): Promise<void> {
  const show = (key: SettingKey, value: unknown): string | null => {
    const setting: Setting = SETTINGS[key];
    if (value === undefined) return null;
    if (setting.secret) return 'set';
    // Numbers, booleans and values of a fixed list hold no secret.
    const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === setting.default;
    const text = toShown(setting, value);
    return isPlain ? text : redact(text);
  };
  const now = new Map(WATCHED.map((key) => [key as string, show(key, configuration.get(key))]));
  const hash = digest(JSON.stringify([[...now], policy.sources]));
  const last = await store.lastHostEvent('configuration.changed', workspace);
  if (last?.hash === hash) return;
  const before = new Map(WATCHED.map((key) => [key as string, show(key, SETTINGS[key].default)]));
  for await (const event of store.hostEvents({ type: 'configuration.changed', subject: workspace })) {
    if (event.type !== 'configuration.changed') continue;
    for (const { key, after } of event.changes) before.set(key, after);
  }
  const changes: ConfigurationChange[] = [...now].flatMap(([key, after]) => {
    const was = before.get(key) ?? null;
    return was === after ? [] : [{ key, before: was, after }];
  });
  await store.appendHost({
    type: 'configuration.changed',
    workspace,
    hash,
    changes,
    policies: policy.sources.map((source) => ({ ...source })),
  });
}
