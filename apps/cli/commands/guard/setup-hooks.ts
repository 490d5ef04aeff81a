import type { LeafCommand } from '../../program/cli-command.ts';
import { install } from './install.ts';

export const command: LeafCommand = {
  ...install,
  name: 'setup-hooks',
  summary: 'the same as klaus guard install',
  examples: ['klaus setup-hooks'],
};
