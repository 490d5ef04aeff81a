/** Programs whose faulting value the script does not reach, with the reason. */
export const UNREACHED: Readonly<Record<string, string>> = {};
