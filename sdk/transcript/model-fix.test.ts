import { expect, test } from 'vitest';
import { findModelFix } from './model-fix.ts';

const COMMANDS = {
  login: 'klaus login',
  doctor: 'klaus doctor',
  model: '--model',
  config: 'klaus config',
  retry: 'klaus resume',
};
const find = (code: 'auth' | 'overloaded' | 'invalid_request', status?: number) =>
  findModelFix({ code, status, cause: undefined }, COMMANDS);

test('a rejected key has the command that shows it, the one that replaces it, and another model', () => {
  for (const command of [COMMANDS.doctor, COMMANDS.login, COMMANDS.model])
    expect(find('auth', 401)).toContain(`\`${command}\``);
  // A key that is valid is not replaced.
  expect(find('auth', 403)).not.toContain(COMMANDS.login);
});

test('an outage has the command that continues the run, and a refused request has none', () => {
  expect(find('overloaded', 529)).toContain(COMMANDS.retry);
  expect(find('invalid_request', 400)).toBeUndefined();
});
