/** Tables that are derived from the events alone, children first. */
export const PROJECTION_TABLES = [
  'approvals',
  'token_usage',
  'tool_calls',
  'messages',
  'sessions',
  'projects',
] as const;
