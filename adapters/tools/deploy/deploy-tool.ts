import { z } from 'zod';
import { isKlausError, KlausError, type Access } from '@klaus/core/protocol';
import type { Intent, ToolContext, ToolOutput } from '@klaus/core/agent';
import { defineBuiltinTool, type BuiltinTool } from '../builtin-tool.ts';
import { describeSecrets } from '../git/describe-secrets.ts';
import { createDeployApi, toHost, type DeployApi } from './deploy-api.ts';
import type { DeployDestination, DeployTarget } from './deploy-target.ts';
import { collectSite, countFiles, findSiteSecrets, toSiteDigest, type Site } from './site-files.ts';

interface DeployInput {
  folder: string;
  dryRun?: boolean;
}

interface Plan {
  destination: DeployDestination;
  site: Site;
  /** Binds the approval to the files and the destination. */
  content: string;
}

/**
 * The tool of a target. It can be repeated after a crash, because `publish` can.
 */
export function toDeployTool<Shape extends z.ZodRawShape>(target: DeployTarget<Shape>): BuiltinTool {
  const plan = async (input: DeployInput, context: ToolContext): Promise<Plan> => {
    const destination = target.locate(input as never, context.deploy);
    const site = await collectSite(context, input.folder);
    const content = toSiteDigest(site, destination.shown, ...destination.services);
    return { destination, site, content };
  };
  return defineBuiltinTool({
    name: target.name,
    description: target.description,
    input: z.object({
      folder: z.string().describe('the built site, such as dist'),
      dryRun: z.boolean().optional().describe('only compare'),
      ...target.fields,
    }) as unknown as z.ZodType<DeployInput>,
    deferred: true,
    effects: ['network', 'deploy'],
    // Names, numbers and addresses of the user's own site.
    origin: 'local',
    resume: 'repeat',
    example: {
      files: { 'dist/index.html': '<h1>Hello</h1>\n' },
      input: { folder: 'dist', dryRun: true, ...target.example } as DeployInput,
      output: 'dist/index.html'.slice(5),
      freeText: target.freeText,
    },
    async prepare(input, context) {
      const { destination, site, content } = await plan(input, context);
      const isOnline = checkCredentials(destination, context, input);
      const verb = input.dryRun ? 'compare' : 'deploy';
      const shown = site.folder.shown || '.';
      return {
        title: `${verb} ${shown} ${input.dryRun ? 'with' : 'to'} ${destination.shown} (${describeSize(site)})`,
        access: [...toFileAccess(site), ...(isOnline ? toServiceAccess(destination, context) : [])],
        content,
      };
    },
    async run(input, context, intent) {
      const { destination, site, content } = await plan(input, context);
      if (content !== intent.content) {
        throw new KlausError('workspace.conflict', 'The files changed after the call was decided. Nothing was sent.', {
          retryable: true,
        });
      }
      const secrets = await findSiteSecrets(context, site);
      if (secrets.length > 0) return describeSecrets('Not deployed: it contains what looks like secrets.', secrets);
      const api = createDeployApi(context, intent);
      if (input.dryRun) return compare(destination, { site, api, intent });
      return publish(destination, site, api);
    },
  }) as BuiltinTool;
}

/**
 * True if requests can be sent. A dry run without credentials only lists the files.
 *
 * @throws KlausError `auth` for another call without them.
 */
function checkCredentials(destination: DeployDestination, context: ToolContext, { dryRun }: DeployInput): boolean {
  const missing = destination.credentials.find(({ name, isOptional }) => !isOptional && !context.hasSecret(name));
  if (missing && !dryRun) {
    throw new KlausError('auth', `${missing.name} is not set.`, {
      hint: `The user sets the variable ${missing.name}, or its setting in ~/.klaus/config.yaml.`,
    });
  }
  return missing === undefined;
}

/** The gate checks every file: a policy or the form of a secret applies to it. */
function toFileAccess({ folder, files }: Site): Access[] {
  return [
    { kind: 'fs', right: 'r', path: folder.absolute },
    ...files.map(({ path }): Access => ({ kind: 'fs', right: 'r', path: `${folder.absolute}/${path}` })),
  ];
}

function toServiceAccess({ services, credentials }: DeployDestination, context: ToolContext): Access[] {
  return services.flatMap((service): Access[] => {
    const url = new URL(service);
    const host = toHost(service);
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    const sent = credentials.filter(({ name, isOptional }) => !isOptional || context.hasSecret(name));
    return [{ kind: 'net', host, port }, ...sent.map(({ name }): Access => ({ kind: 'secret', name, host }))];
  });
}

const MAX_LISTED = 50;

async function compare(
  destination: DeployDestination,
  { site, api, intent }: { site: Site; api: DeployApi; intent: Intent },
): Promise<ToolOutput> {
  const isOnline = intent.access.some(({ kind }) => kind === 'net');
  const all = site.files.map(({ path }) => path);
  const { upload, remove } = isOnline ? await destination.compare(api, site) : { upload: all, remove: [] };
  const head = isOnline
    ? `Dry run: ${destination.shown} would get ${countFiles(upload.length)} and lose ${remove.length}; ${all.length - upload.length} are there.`
    : `Dry run: ${countFiles(upload.length)} for ${destination.shown}. Not compared with the present site, because the credentials are not set.`;
  const lines = [...upload.map((path) => `+ ${path}`), ...remove.map((path) => `- ${path}`)];
  return {
    text: [head, ...cutList(lines), ...describeLeftOut(site)].join('\n'),
    detail: { dryRun: true, compared: isOnline, upload: upload.length, remove: remove.length },
  };
}

async function publish(destination: DeployDestination, site: Site, api: DeployApi): Promise<ToolOutput> {
  try {
    const { url, id, uploaded, removed, notes = [] } = await destination.publish(api, site);
    const kept = site.files.length - uploaded;
    return {
      text: [
        `Deployed to ${destination.shown}${url === undefined ? '' : `: ${url}`}`,
        `${countFiles(site.files.length)}: ${uploaded} uploaded, ${kept} unchanged, ${removed} removed.`,
        ...notes,
        ...describeLeftOut(site),
      ].join('\n'),
      detail: { files: site.files.length, uploaded, removed, url, id },
    };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    const hint = [error.hint, api.state, 'The same call continues where it ended.'].filter(Boolean).join(' ');
    throw new KlausError(error.code, error.message, { hint, retryable: error.retryable, cause: error });
  }
}

function describeLeftOut({ leftOut }: Site): string[] {
  if (leftOut.length === 0) return [];
  return ['Left out:', ...cutList(leftOut.map(({ path, why }) => `  ${path} (${why})`))];
}

function cutList(lines: readonly string[]): string[] {
  if (lines.length <= MAX_LISTED) return [...lines];
  return [...lines.slice(0, MAX_LISTED), `[… ${lines.length - MAX_LISTED} more …]`];
}

function describeSize({ files, size }: Site): string {
  const kb = Math.ceil(size / 1024);
  return `${countFiles(files.length)}, ${kb < 10_000 ? `${kb} KB` : `${Math.ceil(kb / 1024)} MB`}`;
}
