/** Programs whose faulting value the script does not reach, with the reason. */
export const UNREACHED: Readonly<Record<string, string>> = {
  'data/recursion-depth.mjs':
    'The stack is exhausted when the error is thrown: nothing is left to read variables with.',
};
