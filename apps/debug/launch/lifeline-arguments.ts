/** Options of Node.js with which a program ends when the process that started it ends: its descriptor 4 is a pipe. */
export function lifelineArguments(): string[] {
  const name = import.meta.url.endsWith('.ts') ? './lifeline.ts' : './lifeline.js';
  return ['--import', new URL(name, import.meta.url).href];
}
