/** A call that creates an agent, before the example of another tool. */
export const CREATE_POET = {
  name: 'create_agent',
  input: { name: 'poet', description: 'Writes poems.', system_prompt: 'You write poems.', reason: 'It only talks.' },
} as const;
