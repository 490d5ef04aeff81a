import type { RunnerLimit } from '@klaus/core/agent';

/** What does not hold while an ACP agent works. Everything else does. */
export const ACP_LIMITS: readonly RunnerLimit[] = [
  {
    invariant: 'one gate',
    reason:
      'The gate judges what the agent asks for: permissions, files and terminals. What it does by itself in its sandbox is recorded as observed, without a decision.',
  },
  {
    invariant: 'approval modes',
    reason:
      'In the modes ask and edits, only what the agent asks for needs an approval. In mode plan, with patch approval and with isolation, its process cannot write to the workspace at all.',
  },
  {
    invariant: 'limited network',
    reason:
      'The process of the agent has the complete network as soon as the grant allows HTTPS to every host, and none otherwise.',
  },
  {
    invariant: 'reserved budget',
    reason:
      'Tokens and costs are counted after a turn, if the agent reports them. A limit in dollars is refused. Turns and tool calls are limited while it works.',
  },
  {
    invariant: 'redaction',
    reason: 'Secrets are removed from the log. What the agent itself reads and sends to its model is not filtered.',
  },
  {
    invariant: 'receipts',
    reason: 'Commands that the agent runs by itself are no evidence. Those of its terminals are.',
  },
  {
    invariant: 'resume without loss',
    reason:
      'After a crash, the agent continues its session if it can load it, else with the conversation as text. What was open is reported as an unknown outcome.',
  },
  { invariant: 'replay', reason: 'The loop of another program cannot be repeated.' },
  { invariant: 'compaction and pins', reason: 'The agent manages its own context.' },
];
