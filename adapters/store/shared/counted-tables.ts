/** The tables that `stats` counts. */
export const COUNTED_TABLES = [
  'sessions',
  'events',
  'messages',
  'tool_calls',
  'token_usage',
  'approvals',
  'projects',
  'instances',
  'knowledge',
  'inbox',
  'heads',
  'blob_refs',
  'checkpoints',
  'host_events',
] as const;
