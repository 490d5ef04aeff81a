/**
 * Writes everything in docs/reference, the types and the secret rules of the Python package of the runtime debugger, `.env.example`, the settings in compose.yaml, the container's seccomp profile, the hooks of the plugin of Claude Code, the version of the fold, the capabilities in docs/agents.md, the limits in docs/guides/other-agents.md, the methods in docs/guides/editors.md and the example in the README from the code it describes.
 *
 *     node scripts/docs.ts           write
 *     node scripts/docs.ts --check   write nothing; exit 1 and name the files that are stale
 *
 * `--root FOLDER` writes to or checks another folder than the repository.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PLUGIN_SCRIPT, toPluginHooks } from '../apps/claude-code/hooks/install/plugin-hooks.ts';
import { createProgram } from '../apps/cli/program/program.ts';
import { toAgentsPage } from './docs/capabilities.ts';
import { toCliPage } from './docs/cli-page.ts';
import { toCompose } from './docs/compose.ts';
import { toConfigPage, toEnvExample } from './docs/config-page.ts';
import { toContainerProfile, toPodProfile } from './docs/container-profile.ts';
import { EDITORS, toEditorsPage } from './docs/editor-protocol.ts';
import { toErrorsPage } from './docs/errors-page.ts';
import { toEventsPage } from './docs/events-page.ts';
import { toFoldVersion } from './docs/fold-version.ts';
import { CLAUDE_CODE_GUIDE, OTHER_AGENTS, toRunnerPage } from './docs/runner-limits.ts';
import { toReadme } from './docs/readme.ts';
import { toToolsPage } from './docs/tools-page.ts';
import { PYTHON_SECRET_RULES, toPythonSecretRules } from './klendathu/python-secret-rules.ts';
import { PYTHON_TYPES, toPythonTypes } from './klendathu/python-types.ts';
import {
  toCommandsJsonSchema,
  toConfigJsonSchema,
  toEventsJsonSchema,
  toHostEventsJsonSchema,
  toPolicyJsonSchema,
} from '../core/protocol/json-schema.ts';

/** Every generated file by its path in the repository. */
async function generate(): Promise<ReadonlyMap<string, string>> {
  const toJson = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
  return new Map([
    ['.env.example', toEnvExample()],
    ['compose.yaml', toCompose(join(import.meta.dirname, '..'))],
    ['docs/agents.md', toAgentsPage(join(import.meta.dirname, '..'))],
    [OTHER_AGENTS, toRunnerPage(join(import.meta.dirname, '..'), OTHER_AGENTS)],
    [CLAUDE_CODE_GUIDE, toRunnerPage(join(import.meta.dirname, '..'), CLAUDE_CODE_GUIDE)],
    [EDITORS, toEditorsPage(join(import.meta.dirname, '..'))],
    ['README.md', toReadme(join(import.meta.dirname, '..'))],
    ['core/agent/state/fold-version.ts', toFoldVersion(join(import.meta.dirname, '..'))],
    ['apps/claude-code/plugin/hooks/hooks.json', toJson(toPluginHooks())],
    ['apps/claude-code/plugin/hooks/guard', PLUGIN_SCRIPT],
    ['docker/seccomp.json', toContainerProfile()],
    ['deploy/kubernetes-pods/seccomp-x64.json', toPodProfile('x64')],
    ['deploy/kubernetes-pods/seccomp-arm64.json', toPodProfile('arm64')],
    [PYTHON_SECRET_RULES, toPythonSecretRules()],
    [PYTHON_TYPES, toPythonTypes()],
    ['docs/reference/cli.md', toCliPage(await createProgram())],
    ['docs/reference/config.md', toConfigPage()],
    ['docs/reference/errors.md', toErrorsPage()],
    ['docs/reference/events.md', toEventsPage()],
    ['docs/reference/tools.md', toToolsPage()],
    ['docs/reference/commands.schema.json', toJson(toCommandsJsonSchema())],
    ['docs/reference/config.schema.json', toJson(toConfigJsonSchema())],
    ['docs/reference/events.schema.json', toJson(toEventsJsonSchema())],
    ['docs/reference/host-events.schema.json', toJson(toHostEventsJsonSchema())],
    ['docs/reference/policy.schema.json', toJson(toPolicyJsonSchema())],
  ]);
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, root: { type: 'string' } } });
const root = resolve(values.root ?? join(import.meta.dirname, '..'));
const stale: string[] = [];
for (const [path, text] of await generate()) {
  const file = join(root, path);
  const current = await readFile(file, 'utf8').catch(() => undefined);
  if (current === text) continue;
  stale.push(path);
  if (values.check) continue;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
if (!values.check) console.log(stale.length === 0 ? 'Nothing changed.' : `Written: ${stale.join(', ')}`);
else if (stale.length > 0) {
  console.error(`Stale: ${stale.join(', ')}. Run \`npm run docs\`.`);
  process.exitCode = 1;
}
