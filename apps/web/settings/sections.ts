/** Sections whose values the server has. Only an administrator sees them. */
export const SERVER_SECTIONS = ['keys', 'mcp', 'model', 'budgets', 'sandbox', 'memory', 'all'] as const;
/** Sections whose values this browser has. */
export const OWN_SECTIONS = ['appearance', 'notifications', 'keyboard'] as const;

export const SECTIONS = ['keys', 'mcp', 'model', 'budgets', 'sandbox', 'memory', ...OWN_SECTIONS, 'all'] as const;
export type Section = (typeof SECTIONS)[number];
export type ServerSection = (typeof SERVER_SECTIONS)[number];

/** The settings of each section, in the order of the page. */
export const SECTION_KEYS: Readonly<Partial<Record<Section, readonly string[]>>> = {
  model: [
    ...[
      'model',
      'fallback',
      'tiers.anthropic.haiku',
      'tiers.openai.haiku',
      'tiers.openrouter.haiku',
      'effort',
      'temperature',
    ],
    ...['models.allow', 'approve', 'requirePatchApproval', 'isolate', 'checkpoint', 'undo.enabled', 'undo.keepDays'],
    ...['undo.cover', 'undo.maxBytes', 'undo.maxTotalBytes'],
  ],
  budgets: [
    ...['limits.usd', 'limits.tokens', 'limits.toolCalls', 'limits.turns', 'limits.minutes', 'usage.monthlyUsd'],
    ...['maxOutputTokens', 'verification.usd'],
  ],
  sandbox: [
    ...['sandbox.driver', 'sandbox.folders', 'sandbox.env', 'sandbox.repository', 'sandbox.fetch', 'secrets.files'],
    ...['git.protectedBranches', 'sandbox.timeoutMs', 'sandbox.memoryMb', 'sandbox.cpus', 'sandbox.processes'],
  ],
  memory: ['compactAt'],
};

export function isSection(word: string | undefined): word is Section {
  return (SECTIONS as readonly (string | undefined)[]).includes(word);
}

export function isServerSection(section: Section): section is ServerSection {
  return (SERVER_SECTIONS as readonly string[]).includes(section);
}

/** The section of a setting. Settings without a place of their own are in `all`. */
export function sectionOf(key: string): Section {
  return SECTIONS.find((section) => SECTION_KEYS[section]?.includes(key)) ?? 'all';
}
