import type { Runner, RunnerLimit } from '@klaus/core/agent';
import { KlausError, type RunnerName } from '@klaus/core/protocol';
import { ACP_LIMITS } from './acp/limits.ts';
import { CLAUDE_CODE_LIMITS } from './claude-code/limits.ts';
import { WRAP_LIMITS } from './wrap-limits.ts';

const LIMITS: Readonly<Record<RunnerName, readonly RunnerLimit[]>> = {
  acp: ACP_LIMITS,
  'claude-code': CLAUDE_CODE_LIMITS,
  wrap: WRAP_LIMITS,
};

/** The invariants that a runner cannot hold. Loads nothing. */
export function toRunnerLimits(name: RunnerName): readonly RunnerLimit[] {
  return LIMITS[name];
}

/** Loads a runner and the packages that it needs. */
export async function openRunner(name: RunnerName): Promise<Runner> {
  switch (name) {
    case 'acp': {
      const { createAcpRunner } = await import('./acp/acp-runner.ts');
      return createAcpRunner();
    }
    case 'claude-code': {
      const { createClaudeCodeRunner } = await import('./claude-code/claude-code-runner.ts');
      return createClaudeCodeRunner();
    }
    case 'wrap':
      // Its terminal has ended.
      throw new KlausError('runner.failed', 'A wrapped program is not continued.', {
        hint: 'Start it again with `klaus wrap`. `klaus undo` undoes what it changed.',
      });
  }
}
