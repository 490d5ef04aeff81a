import type { ModelFailureCode } from '@klaus/core/protocol';

const titles: Record<ModelFailureCode, string> = {
  auth: 'The provider rejected the API key',
  rate_limited: 'The provider limits the rate of requests',
  overloaded: 'The model is overloaded',
  server_error: 'The provider reported an error',
  connection: 'No connection to the provider',
  idle: 'The model stopped answering',
  malformed: 'The answer of the model was not readable',
  invalid_request: 'The provider refused the request',
  context_window: 'The conversation is too long for the model',
  budget: 'The budget of the project is used up',
  abandoned: 'The request was interrupted',
};

/** Failures of models and keys in English. */
export const enFailures = {
  titles,
  rejectedKey: (provider: string) =>
    `Set a valid key on the machine of the server with \`klaus login ${provider}\`, then try again.`,
  toSettings: 'Set the key in the settings',
  attempts: (n: number) => `${n} attempts`,
  noKey: 'No API key is set',
  noKeyHint: (provider: string) =>
    `Store one on the machine of the server with \`klaus login ${provider}\`. \`klaus demo\` shows a run without a key.`,
  sendFailed: 'The message was not sent.',
};
