/**
 * Modules that a run needs only after its first request to the model, if at all. Each part is a separate file of the
 * bundle, which is loaded then. Prefixes of paths, by the name of the file.
 */
export const LATE_PARTS: Readonly<Record<string, readonly string[]>> = {
  shell: ['core/policy/shell/', 'core/policy/checks/', 'node_modules/unbash/'],
  calls: [
    'core/agent/calls/explain-call',
    'core/agent/loop/finish',
    'core/agent/git/',
    'core/agent/workspace/guard-',
    'core/agent/places/',
    'core/agent/calls/judge-call',
    'core/agent/calls/question',
    'core/agent/loop/recover',
    'core/agent/calls/run-calls',
    'core/agent/calls/accept-hunks',
    'core/agent/evidence/check-receipt',
    'core/agent/calls/tool-context',
    'core/policy/gate',
    'core/policy/path-rule',
    'core/policy/rules',
  ],
  changes: [
    'adapters/workspace/apply',
    'adapters/workspace/layer/',
    'adapters/workspace/snapshots/',
    'core/policy/hunks',
    'node_modules/diff/',
  ],
  execution: [
    'adapters/sandboxes/background/launch',
    'adapters/sandboxes/background/listening',
    'adapters/sandboxes/background/close-process',
    'adapters/sandboxes/background/stop',
    'adapters/sandboxes/background/supervisor',
    'adapters/sandboxes/background/watch',
    'adapters/sandboxes/cgroup/',
    'adapters/sandboxes/docker/',
    'adapters/sandboxes/host/',
    'adapters/sandboxes/process/',
    'adapters/sandboxes/protection/',
  ],
  followUp: [
    'core/agent/workspace/change-parts',
    'core/agent/evidence/close-evidence',
    'core/agent/context/compact',
    'core/agent/loop/fork',
    'core/agent/replay/',
    'core/agent/workspace/restore',
    'core/agent/workspace/review-changes',
    'core/agent/calls/search-tools',
    'core/agent/workspace/apply-',
    'core/agent/evidence/verify-evidence',
    'sdk/config/yaml-values',
    'sdk/diagnose',
    'sdk/export/',
    'sdk/sessions/fork-session',
    'sdk/grants/call-text',
    'sdk/grants/explain',
    'sdk/grants/session-grants',
    'sdk/judge-command-line',
    'sdk/policy/read-policy-file',
    'sdk/sessions/question',
    'sdk/recover-database',
    'sdk/sessions/session-pins',
    'sdk/sessions/usage',
  ],
  repair: [
    'adapters/store/sqlite/log/audit',
    'adapters/store/sqlite/log/chain',
    'adapters/store/sqlite/log/clear-sessions',
    'adapters/store/sqlite/recall/build',
    'adapters/store/sqlite/recall/document',
    'adapters/store/sqlite/recall/excerpt',
    'adapters/store/sqlite/recall/query',
    'adapters/store/sqlite/recovery/',
    'adapters/store/sqlite/queries/stats',
    'adapters/store/sqlite/queries/read-usage',
  ],
  openai: [
    'adapters/models/openai/answer-stream',
    'adapters/models/openai/headers',
    'adapters/models/openai/openai-model',
    'adapters/models/openai/request-body',
    'adapters/models/openai/responses-',
  ],
};

/** Names of the files. */
export const LATE_NAMES: readonly string[] = Object.keys(LATE_PARTS);

/** The file that a module belongs to; null for one that a run may need at once. `path` is relative to the repository. */
export function toLatePart(path: string): string | null {
  return LATE_NAMES.find((name) => LATE_PARTS[name]!.some((begin) => path.startsWith(begin))) ?? null;
}
