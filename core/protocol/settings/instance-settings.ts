import { z } from 'zod';
import { defineSetting } from './setting.ts';

/** Settings of instances: terminals and scripts with a current session. A project cannot set them. */
export const INSTANCE_SETTINGS = {
  claudeBinary: defineSetting({
    schema: z.string().min(1),
    env: 'KLAUS_CLAUDE_BINARY',
    unset: '`claude` in PATH',
    values: 'a name in PATH or an absolute path',
    description: 'Program of Claude Code, for sessions that it drives and for the guard.',
  }),
  socketDir: defineSetting({
    schema: z.string().regex(/^\/[^\0\n]*$/),
    env: 'KLAUS_SOCKET_DIR',
    unset: '`run` in the state folder',
    values: 'an absolute folder',
    description: 'Folder of the sockets of instances and of the runtime events of their sessions.',
  }),
  'switch.graceSeconds': defineSetting({
    schema: z.number().min(0).max(3_600),
    default: 5,
    env: 'KLAUS_SWITCH_GRACE_SECONDS',
    description:
      'Seconds between SIGTERM and SIGKILL for the command of an instance, or its Claude Code, that is ended.',
  }),
  'switch.linkSeconds': defineSetting({
    schema: z.number().min(0).max(3_600),
    default: 20,
    env: 'KLAUS_SWITCH_LINK_SECONDS',
    description: 'Seconds that Claude Code in a terminal has to report its session after a start.',
  }),
} as const;
