import { z } from 'zod';
import { defineSetting } from './setting.ts';

/** Settings of the guard of Claude Code. A project cannot set them. */
export const GUARD_SETTINGS = {
  'guard.mode': defineSetting({
    schema: z.enum(['strict', 'lazy']),
    default: 'strict',
    env: 'KLAUS_GUARD_MODE',
    description:
      'When the reviewers that need a model answer. `strict`: before the call. `lazy`: in the background, and a denial meets the next call. The gate and the rules of the reviewers always answer before the call.',
  }),
  'guard.mcp': defineSetting({
    schema: z.enum(['judge', 'readonly', 'trust']),
    default: 'judge',
    env: 'KLAUS_GUARD_MCP',
    description:
      'Calls of MCP servers. `judge`: a reviewer decides, and without a model the user. `readonly`: tools that only read by their name pass. `trust`: all pass.',
  }),
  'guard.sandbox': defineSetting({
    schema: z.boolean(),
    default: false,
    env: 'KLAUS_GUARD_SANDBOX',
    description:
      'True: commands of Claude Code run in the sandbox, without a network. Commands that need a network, or that the gate asks about, run without it after an approval.',
  }),
  'guard.usdPerDay': defineSetting({
    schema: z.number().min(0),
    default: 1,
    env: 'KLAUS_GUARD_USD_PER_DAY',
    description:
      'US dollars that the reviewers of the guard may spend on models in a day (UTC), over all projects. When they are spent, and with 0, only the rules of the reviewers are applied.',
  }),
  'guard.deadlineMs': defineSetting({
    schema: z.int().min(1_000).max(55_000),
    default: 45_000,
    env: 'KLAUS_GUARD_DEADLINE_MS',
    description:
      'Milliseconds after which the guard denies a call that is not judged yet. It is less than the time-out of the hook.',
  }),
} as const;
