import { Argument, type Command } from 'commander';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

type Shell = 'bash' | 'zsh' | 'fish';

export const command: LeafCommand = {
  name: 'completion',
  summary: 'print a completion script for a shell',
  examples: ['source <(klaus completion bash)', 'source <(klaus completion zsh)', 'klaus completion fish | source'],
  server: 'none',
  declare: (declared) =>
    declared.addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish'] satisfies Shell[])),
  async run(shell: Shell, _: unknown, declared: Command) {
    const { toCompletionScript } = await import('../../completion/completion-script.ts');
    out.write(toCompletionScript(declared.parent!, shell));
  },
};
