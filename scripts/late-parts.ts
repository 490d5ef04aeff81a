/**
 * What a run comes to only behind its first request to the model, if at all. In the bundle each is a file of its own,
 * which is loaded then. Beginnings of paths, by the name of the file.
 */
const LATE_PARTS: Readonly<Record<string, readonly string[]>> = {
  shell: ['core/policy/shell/', 'core/policy/checks/', 'node_modules/unbash/'],
  calls: [
    'core/agent/explain-call',
    'core/agent/finish',
    'core/agent/git/',
    'core/agent/guard-',
    'core/agent/places/',
    'core/agent/judge-call',
    'core/agent/question',
    'core/agent/recover',
    'core/agent/run-calls',
    'core/agent/take-',
    'core/agent/tool-context',
    'core/agent/tool-processes',
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
    'adapters/sandboxes/background/settle',
    'adapters/sandboxes/background/stop',
    'adapters/sandboxes/background/supervisor',
    'adapters/sandboxes/background/watch',
    'adapters/sandboxes/cgroup/',
    'adapters/sandboxes/docker/',
    'adapters/sandboxes/host/',
    'adapters/sandboxes/process/',
    'adapters/sandboxes/protection/',
  ],
  afterwards: [
    'core/agent/change-parts',
    'core/agent/close-evidence',
    'core/agent/compact',
    'core/agent/fork',
    'core/agent/replay/',
    'core/agent/restore',
    'core/agent/review-changes',
    'core/agent/search-tools',
    'core/agent/settle-changes',
    'core/agent/verify-evidence',
    'sdk/config/yaml-values',
    'sdk/diagnose',
    'sdk/export/',
    'sdk/fork-session',
    'sdk/grants/call-text',
    'sdk/grants/explain',
    'sdk/grants/session-grants',
    'sdk/judge-command-line',
    'sdk/policy/read-policy-file',
    'sdk/question',
    'sdk/recover-database',
    'sdk/session-pins',
    'sdk/usage',
  ],
  repair: [
    'adapters/store/sqlite/audit',
    'adapters/store/sqlite/chain',
    'adapters/store/sqlite/clear-sessions',
    'adapters/store/sqlite/damaged-pages',
    'adapters/store/sqlite/nearest',
    'adapters/store/sqlite/recall/build',
    'adapters/store/sqlite/recall/document',
    'adapters/store/sqlite/recall/excerpt',
    'adapters/store/sqlite/recall/query',
    'adapters/store/sqlite/recover',
    'adapters/store/sqlite/stats',
    'adapters/store/sqlite/usage',
  ],
  openai: ['adapters/models/openai/'],
};

/** Names of the files. */
export const LATE_NAMES: readonly string[] = Object.keys(LATE_PARTS);

/** The file that a module belongs to; null for one that a run may need at once. `path` is relative to the repository. */
export function toLatePart(path: string): string | null {
  return LATE_NAMES.find((name) => LATE_PARTS[name]!.some((begin) => path.startsWith(begin))) ?? null;
}
