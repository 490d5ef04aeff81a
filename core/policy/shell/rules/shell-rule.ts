import type { Rule } from '../../rule.ts';
import { isLimitedAccess } from '../../network/command-network.ts';
import { judgeCommand } from '../judge-command.ts';

/** The gate's rule for command lines. It only narrows: other rules still judge what it allows. */
export const shellRule: Rule = {
  name: 'shell',
  check(call, { mode, workspace, secretPatterns = [], isOffline = false, names = 'exact', host }) {
    const asksForNetwork = call.access.some(({ kind }) => kind === 'net');
    let asked: { verdict: 'ask'; reason: string } | undefined;
    for (const access of call.access) {
      if (access.kind !== 'exec') continue;
      const { verdict, rule, reason, isForPerson } = judgeCommand(access.command, {
        workspace,
        secretPatterns,
        names,
        isOffline: isOffline && !asksForNetwork && !access.hasNetwork,
        isLimited: isOffline && isLimitedAccess(call.access) && !access.hasNetwork,
        cwd: access.cwd,
        ...(isOffline ? {} : { host }),
      });
      if (verdict === 'allow') continue;
      const isDenied = verdict === 'deny' && !(isForPerson && mode === 'ask');
      if (isDenied) return { verdict, reason: toReason(rule, reason) };
      asked ??= { verdict: 'ask', reason: toReason(rule, reason) };
    }
    return asked;
  },
};

/** The reason with the name of the rule, without the prefix that the gate adds. */
function toReason(rule: string, reason: string): string {
  return `${rule.replace(/^shell:/, '')}: ${reason}`;
}
