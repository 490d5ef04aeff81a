import type { Chain } from './chain.ts';
import { StageFailure } from './failure.ts';
import type { PushResult } from './result.ts';

export interface PushOptions {
  remote: string;
  branch?: string;
  force: boolean;
}

/** @throws StageFailure `push.protected`, `push.failed`. */
export async function push(chain: Chain, { remote, branch, force }: PushOptions): Promise<PushResult> {
  chain.report(`push: pushing to ${remote}`);
  const protectedBranches = chain.klaus.configuration.get('git.protectedBranches');
  const input = { remote, force, protected: [...protectedBranches], ...(branch === undefined ? {} : { branch }) };
  const { outcome, output, detail } = await chain.call('push', { name: 'push_branch', input });
  const { branch: name, commit } = (detail ?? {}) as { branch?: string; commit?: string };
  if (outcome !== 'ok' || name === undefined || commit === undefined) {
    throw new StageFailure(
      { stage: 'push', code: / is protected: /.test(output) ? 'push.protected' : 'push.failed' },
      output,
    );
  }
  return { ok: true, message: output, remote, branch: name, commit };
}
