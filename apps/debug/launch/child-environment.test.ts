import { expect, test } from 'vitest';
import { toChildEnvironment } from './child-environment.ts';

test('the CLI gets keys of providers, proxies and its own variables, and no other secret of the program', () => {
  const kept = {
    PATH: '/bin',
    HOME: '/home/a',
    KLAUS_HOME: '/k',
    KLENDATHU_CLI: '/c',
    ANTHROPIC_API_KEY: '1',
    OPENAI_BASE_URL: 'http://o',
    https_proxy: 'http://p',
    LC_ALL: 'C',
  };
  const left = {
    STRIPE_API_KEY: 's',
    DATABASE_URL: 'd',
    AWS_SECRET_ACCESS_KEY: 'a',
    NODE_OPTIONS: '--import=x',
    MY_ANTHROPIC_API_KEY: 'm',
    ANTHROPIC_API_KEY_OLD: 'o',
  };
  expect(toChildEnvironment({ ...kept, ...left })).toEqual(kept);
});

test('given variables are added, and undefined ones are removed', () => {
  const env = { PATH: '/bin', ANTHROPIC_API_KEY: '1' };
  expect(toChildEnvironment(env, { EXTRA: 'e', ANTHROPIC_API_KEY: undefined })).toEqual({ PATH: '/bin', EXTRA: 'e' });
});
