/** Names of settings in English, what they do, and what applies while they are unset. Others are shown with their key. */
export const enSettingNames = {
  model: {
    name: 'Default model',
    hint: 'For new sessions. A tier means the best model of the first provider with a key.',
  },
  fallback: {
    name: 'Fallback models',
    hint: 'At most three. They answer, in this order, while the model cannot. Their providers get the session too.',
    unset: 'none',
  },
  effort: {
    name: 'Reasoning effort',
    hint: 'How much the model reasons. A model without the level gets none.',
    unset: 'the default of the model',
  },
  temperature: {
    name: 'Temperature',
    hint: 'From 0 to 2. A model that does not accept it gets none.',
    unset: 'the default of the model',
  },
  'tiers.anthropic.haiku': {
    name: 'Cheap model of Anthropic',
    hint: 'For titles, summaries and reviewers.',
    unset: 'that of the catalogue',
  },
  'tiers.openai.haiku': {
    name: 'Cheap model of OpenAI',
    hint: 'For titles, summaries and reviewers.',
    unset: 'that of the catalogue',
  },
  'tiers.openrouter.haiku': {
    name: 'Cheap model of OpenRouter',
    hint: 'For titles, summaries and reviewers.',
    unset: 'that of the catalogue',
  },
  'models.allow': {
    name: 'Allowed models',
    hint: 'One full name per line, such as `anthropic/*`. Empty: every model.',
    unset: 'every model',
  },
  approve: { name: 'Default mode', hint: 'How much runs without an approval.' },
  requirePatchApproval: { name: 'Approve every file change', hint: 'In every mode.' },
  isolate: {
    name: 'Review what commands change',
    hint: 'Commands work on a layer. Their changes are reviewed before they are applied.',
  },
  checkpoint: { name: 'Git checkpoints', hint: 'Commits of the workspace on a private ref.' },
  'undo.enabled': { name: 'Undo', hint: 'Stores a snapshot before the first change of each turn.' },
  'undo.cover': {
    name: 'What undo restores',
    hint: '`sources`: everything except folders that a tool rebuilds, such as `node_modules`. `all`: also these.',
  },
  'undo.maxBytes': {
    name: 'Space for the snapshots of a folder',
    hint: 'Bytes. Beyond it, large files are not stored.',
  },
  'undo.maxTotalBytes': { name: 'Space for all snapshots', hint: 'Bytes. 0: no limit.' },
  'undo.keepDays': { name: 'Days to keep snapshots', hint: 'Older ones are deleted by `klaus db gc`.' },
  'limits.usd': {
    name: 'Cost of a session',
    hint: 'US dollars. 0: unlimited. The session asks before it exceeds a limit.',
  },
  'limits.tokens': { name: 'Tokens of a session', hint: 'Without those from the prompt cache. 0: unlimited.' },
  'limits.toolCalls': { name: 'Tool calls of a session', hint: '0: unlimited.' },
  'limits.turns': { name: 'Model turns of a session', hint: '0: unlimited.' },
  'limits.minutes': { name: 'Minutes of a session', hint: 'In which models work. 0: unlimited.' },
  'usage.monthlyUsd': {
    name: 'Planned cost of a month',
    hint: 'US dollars. The usage page compares its forecast with it. It stops no run. 0: no plan.',
  },
  maxOutputTokens: { name: 'Tokens of one answer', hint: 'The largest number.' },
  'verification.usd': { name: 'Cost of a verification', hint: 'US dollars.' },
  'sandbox.driver': {
    name: 'Sandbox',
    hint: 'Where commands run. `host` runs them without a sandbox, with all rights of the user of the server.',
    unset: 'the best one that works, never `host`',
  },
  'sandbox.folders': {
    name: 'Further folders',
    hint: 'Folders outside of the workspace that commands and tools see, as absolute paths. Secret files in them are hidden.',
  },
  'sandbox.env': {
    name: 'Environment variables',
    hint: 'Names that commands get, one per line. `*` at the end matches several. Credentials need their complete name.',
  },
  'sandbox.repository': { name: 'Read the repository around the workspace', hint: 'Secret files stay hidden.' },
  'sandbox.fetch': { name: 'Download bubblewrap', hint: 'Into the state folder, if it is not installed.' },
  'sandbox.timeoutMs': { name: 'Time of a command', hint: 'Milliseconds.' },
  'sandbox.memoryMb': { name: 'Memory of a command', hint: 'MiB.', unset: 'half of the memory of the machine' },
  'sandbox.cpus': { name: 'CPU cores of a command', hint: 'Also fractions.', unset: 'all cores but one' },
  'sandbox.processes': { name: 'Processes of a command', hint: 'The largest number.' },
  'secrets.files': { name: 'Further secret files', hint: 'Globs, one per line. No tool and no command reads them.' },
  'git.protectedBranches': { name: 'Protected branches', hint: 'Names or globs, one per line.' },
  compactAt: { name: 'Summarise at', hint: 'The part of the context window, from 0.1 to 0.95.' },
} satisfies Record<string, { name: string; hint: string; unset?: string }>;
