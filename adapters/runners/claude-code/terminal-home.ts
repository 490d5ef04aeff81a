import type { RunnerHost, RunnerRequest } from '@klaus/core/agent';
import { z } from 'zod';
import { startAgentProcess } from '../process/agent-process.ts';

/** Prints the configuration of the program and the end of its key, by which it knows a key that the user has approved. */
const READ = `cat "$HOME/.claude.json" 2>/dev/null; printf '\\0'; printf %s "$ANTHROPIC_API_KEY" | tail -c 20`;
const WRITE = 'cat > "$HOME/.claude.json.new" && mv "$HOME/.claude.json.new" "$HOME/.claude.json"';

const configSchema = z.looseObject({
  hasCompletedOnboarding: z.boolean().default(false),
  theme: z.string().optional(),
  customApiKeyResponses: z
    .looseObject({ approved: z.array(z.string()).default([]), rejected: z.array(z.string()).default([]) })
    .prefault({}),
  projects: z.record(z.string(), z.looseObject({ hasTrustDialogAccepted: z.boolean().default(false) })).default({}),
});

/**
 * Answers the questions of the first interactive start in the home folder of a sandboxed session, which the user has
 * answered by starting the session: its key, and trust in the folder.
 */
export async function prepareTerminalHome(host: Pick<RunnerHost, 'exec'>, request: RunnerRequest): Promise<void> {
  const [text = '', key = ''] = (await run(host, request, { script: READ })).split('\0');
  const config = readConfig(text);
  const { customApiKeyResponses: keys, projects } = config;
  const isApproved = key === '' || keys.approved.includes(key);
  const isTrusted = projects[request.workspace]?.hasTrustDialogAccepted === true;
  if (config.hasCompletedOnboarding && isApproved && isTrusted) return;
  const answered = {
    ...config,
    hasCompletedOnboarding: true,
    theme: config.theme ?? 'dark',
    customApiKeyResponses: { ...keys, approved: isApproved ? keys.approved : [...keys.approved, key] },
    projects: { ...projects, [request.workspace]: { ...projects[request.workspace], hasTrustDialogAccepted: true } },
  };
  await run(host, request, { script: WRITE, stdin: JSON.stringify(answered) });
}

function readConfig(text: string): z.infer<typeof configSchema> {
  try {
    return configSchema.parse(JSON.parse(text));
  } catch {
    return configSchema.parse({});
  }
}

async function run(
  host: Pick<RunnerHost, 'exec'>,
  request: RunnerRequest,
  { script, stdin = '' }: { script: string; stdin?: string },
): Promise<string> {
  const { output, input } = startAgentProcess(host, { ...request, command: ['/bin/sh', '-c', script] });
  const writer = input.getWriter();
  if (stdin !== '') await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  return await new Response(output).text();
}
