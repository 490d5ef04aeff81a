/** What Node.js does with an unhandled rejection: the option `--unhandled-rejections`. Default `throw`. */
export function readRejectionMode(execArgv: readonly string[], nodeOptions: string | undefined): string {
  const words = [...(nodeOptions ?? '').split(/\s+/u), ...execArgv];
  let mode = 'throw';
  for (const [at, word] of words.entries()) {
    const [name, value = words[at + 1]] = word.split('=', 2);
    if (name === '--unhandled-rejections' && value !== undefined) mode = value;
  }
  return mode;
}
