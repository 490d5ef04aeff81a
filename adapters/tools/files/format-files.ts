import { z } from 'zod';
import { describeFailure, FORMAT_FILES } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { applyEdits, toIntent, type FilePlan } from './file-plan.ts';
import { keepLinks } from './keep-links.ts';
import { formatPlans } from './format-plans.ts';
import { readTextFile } from './text-file.ts';

const MAX_PATHS = 20;

export const formatFiles = defineBuiltinTool({
  name: FORMAT_FILES,
  description: 'Format files that this session has edited, with the formatter that the project configures.',
  input: z.object({ paths: z.array(z.string()).min(1).max(MAX_PATHS) }),
  deferred: true,
  effects: ['write'],
  resume: 'probe',
  example: {
    files: { '.prettierrc': '{}\n' },
    packages: ['prettier'],
    before: [{ name: 'write_file', input: { path: 'a.js', content: 'let  a;\n' } }],
    input: { paths: ['a.js'] },
    output: 'Changed a.js (+1 −1)',
  },
  async prepare({ paths }, context) {
    const { formatter } = context;
    if (!formatter)
      throw toolFailed(
        'No formatter runs here: the session has no sandbox, may run no commands, or the user set none.',
      );
    const edited = await formatter.editedFiles();
    const plans: FilePlan[] = [];
    for (const given of paths) {
      const { path, ...file } = await readTextFile(context, given);
      if (!edited.has(path.relative)) throw toolFailed(`This session has not edited ${path.relative}.`);
      if (plans.some((plan) => plan.path.absolute === path.absolute)) continue;
      plans.push({ path, before: file, after: file.text });
    }
    const found = await formatPlans(context, plans);
    const [failure] = found.failed;
    if (failure) throw new KlausError('format.failed', `Nothing was changed. ${describeFailure(failure)}`);
    const without = plans.find(({ path }) => found.formatted.every((each) => each.path !== path.relative));
    if (without)
      throw toolFailed(
        `The project has no formatter for ${without.path.relative}, or it is not installed or cannot run.`,
      );
    return keepLinks(context, toIntent('format', found.plans));
  },
  run: (_input, context, intent) => applyEdits(context, intent),
});
