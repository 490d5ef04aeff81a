import { out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import { canType, chooseProvider } from '../../setup/key-prompt.ts';
import { openQuestions } from '../../prompt/open-questions.ts';

export const command: LeafCommand = {
  name: 'logout',
  summary: 'delete a key that klaus login stored',
  examples: ['klaus logout anthropic'],
  server: 'none',
  declare: (declared) =>
    declared.addArgument(
      new IdArgument('[provider]', 'providers', 'whose key is deleted (default: the only one with a stored key)'),
    ),
  async run(given: string | undefined) {
    const { openKeyStore } = await import('@klaus/sdk');
    const keys = openKeyStore();
    const stored = (await keys.list()).filter((each) => each.stored !== undefined);
    let name = given ?? (stored.length === 1 ? stored[0]!.provider : undefined);
    if (name === undefined) {
      if (stored.length === 0) throw new UsageError('No key is stored.', '`klaus login` stores one.');
      if (!canType()) {
        const names = stored.map(({ provider }) => provider).join(', ');
        throw new UsageError('Several keys are stored.', `Name a provider: ${names}.`);
      }
      using questions = await openQuestions('Logout');
      name = (await chooseProvider(questions, 'Whose key is deleted?', stored))?.provider;
      if (name === undefined) {
        questions.cancel('No key was deleted.');
        return EXIT.interrupted;
      }
    }
    if (!(await keys.remove(name))) {
      throw new UsageError(`No key of ${name} is stored.`, '`klaus login --list` shows where a key comes from.');
    }
    out.write(`The stored key of ${name} is deleted.\n`);
    return EXIT.done;
  },
};
