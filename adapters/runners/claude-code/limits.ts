import type { RunnerLimit } from '@klaus/core/agent';

/** What does not hold while Claude Code works. Everything else does. */
export const CLAUDE_CODE_LIMITS: readonly RunnerLimit[] = [
  {
    invariant: 'one gate',
    reason:
      'The gate judges every tool call before it runs. MCP servers of the definition are started without a decision, and hooks and plugins of `settingSources` run without one; all of them are in the sandbox of the program.',
  },
  {
    invariant: 'isolation and patch approval',
    reason:
      'In mode plan, with patch approval and with isolation, its process cannot write to the workspace at all. Changes of its commands are not reviewed before they are applied.',
  },
  {
    invariant: 'limited network',
    reason:
      'The process has the complete network as soon as the grant allows HTTPS to every host, and none otherwise. Its commands have the same network.',
  },
  {
    invariant: 'one sandbox for each command',
    reason:
      'Its commands run in the sandbox of the program, with its home folder and with the key of its model in their environment.',
  },
  {
    invariant: 'reserved budget',
    reason:
      'A limit in dollars ends the turn after the request that exceeds it (`--max-budget-usd`). Tokens and costs are counted after a turn, as the program reports them.',
  },
  {
    invariant: 'redaction',
    reason:
      'Secrets are removed from the log and from the results of tools that the program reports. What it reads by itself, such as CLAUDE.md, is not filtered.',
  },
  { invariant: 'receipts', reason: 'Commands that the program runs are no evidence.' },
  {
    invariant: 'resume without loss',
    reason:
      'After a crash, it continues its session, and entries of its transcript that the log does not contain are imported by their id. If the transcript is gone, it gets the conversation as text. The outcome of an open call is unknown.',
  },
  { invariant: 'replay', reason: 'The loop of another program cannot be repeated.' },
  { invariant: 'compaction and pins', reason: 'The program manages its own context.' },
];
