import type { Options } from '../../program/options.ts';
import { setUpIfNeeded } from '../../setup/set-up.ts';

/**
 * Sets up a model at a start in a terminal that has none.
 *
 * @param options.prompt Goes to Claude Code, if the user chooses that.
 * @returns The exit code of the program that worked in place of Klaus. Undefined: Klaus starts.
 */
export async function setUpOrLeave(options: Options): Promise<number | undefined> {
  const chosen = await setUpIfNeeded(options, async () => {
    const { showDemo } = await import('../system/demo.ts');
    return await showDemo({});
  });
  if (chosen !== 'claude') return undefined;
  const { runClaude } = await import('./claude.ts');
  const { cwd, prompt } = options;
  return await runClaude(prompt === undefined ? [] : [prompt], { ...(cwd !== undefined && { cwd }) });
}
