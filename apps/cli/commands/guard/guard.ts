import type { CommandGroup } from '../../program/cli-command.ts';
import { allow } from './allow.ts';
import { dismiss } from './dismiss.ts';
import { doctor } from './doctor.ts';
import { hook } from './hook.ts';
import { install } from './install.ts';
import { explain, log } from './log.ts';
import { testEvent } from './test-event.ts';

export const command: CommandGroup = {
  name: 'guard',
  summary: 'judge the calls of Claude Code by the gate of Klaus',
  examples: ['klaus guard install', "klaus guard test-event 'git push --force'", 'klaus guard log'],
  commands: [install, allow, doctor, dismiss, log, explain, testEvent, hook],
};
