import { z } from 'zod';
import { toolFailed } from '../tool-failed.ts';
import { toFailedAnswer, toJson, type DeployApi } from './deploy-api.ts';
import { defineDeployTarget, type DeployDifference, type DeployResult } from './deploy-target.ts';
import { countFiles, readSiteFile, toSiteDigest, type Site } from './site-files.ts';

const TOKEN = 'VERCEL_TOKEN';
/** Name of the metadata by which an interrupted deployment is found again. */
const MARK = 'klausSite';

const deploymentSchema = z.object({
  id: z.string().regex(/^\w+$/),
  readyState: z.string(),
  url: z.string().nullish(),
  errorMessage: z.string().nullish(),
});
type Deployment = z.infer<typeof deploymentSchema>;

const listSchema = z.object({
  deployments: z.array(
    z.object({
      uid: z.string().regex(/^\w+$/),
      readyState: z.string().optional(),
      state: z.string().optional(),
      target: z.string().nullish(),
      meta: z.record(z.string(), z.unknown()).nullish(),
    }),
  ),
});
const projectSchema = z.object({
  targets: z.object({ production: z.object({ id: z.string().regex(/^\w+$/) }).nullish() }).nullish(),
});
const missingSchema = z.object({ error: z.object({ code: z.literal('missing_files'), missing: z.array(z.string()) }) });

interface FileTree {
  name: string;
  type: string;
  uid?: string;
  children?: FileTree[];
}
const treeSchema: z.ZodType<FileTree[]> = z.array(
  z.object({
    name: z.string(),
    type: z.string(),
    uid: z.string().optional(),
    get children() {
      return treeSchema.optional();
    },
  }),
);

/** States from which a deployment gets no further. */
const ENDED = new Set(['READY', 'ERROR', 'CANCELED', 'DELETED']);

/**
 * Deploys by SHA-1: a deployment names the digest of every file, and Vercel answers with those that it does not have.
 *
 * Source: https://vercel.com/docs/rest-api/deployments/create-a-new-deployment
 */
export const vercel = defineDeployTarget({
  name: 'deploy_vercel',
  description: 'Deploy a folder to a project of Vercel. Only missing files are uploaded.',
  fields: {
    project: z.string(),
    team: z.string().optional().describe('id of the team'),
    production: z.boolean().optional().describe('default false: a preview'),
    framework: z.string().optional().describe('Vercel builds the folder, such as nextjs; default: static files'),
  },
  example: { project: 'example' },
  locate({ project, team, production = false, framework }, { vercelUrl: url }) {
    if (!/^[a-zA-Z0-9_-]+$/.test(project)) throw toolFailed(`${JSON.stringify(project)} is no name of a project.`);
    if (team !== undefined && !/^\w+$/.test(team)) throw toolFailed(`${JSON.stringify(team)} is no id of a team.`);
    if (framework !== undefined && !/^[a-z0-9-]+$/.test(framework))
      throw toolFailed(`${JSON.stringify(framework)} is no name of a framework.`);
    const of: Place = { url, project, production, team, framework };
    return {
      shown: `${production ? 'production' : 'a preview'} of the project ${project} of Vercel`,
      services: [url],
      credentials: [{ name: TOKEN }],
      compare: (api, site) => compare(api, of, site),
      publish: (api, site) => publish(api, of, site),
    };
  },
});

interface Place {
  /** Of the API. */
  url: string;
  project: string;
  team?: string;
  production: boolean;
  framework?: string;
}

async function publish(api: DeployApi, place: Place, site: Site): Promise<DeployResult> {
  const mark = toSiteDigest(site, place.framework ?? '');
  let uploaded = 0;
  const upload = async (missing: readonly string[]): Promise<void> => {
    const files = missing.map((sha) => {
      const file = site.files.find(({ sha1 }) => sha1 === sha);
      if (file) return file;
      throw toolFailed('Vercel asks for a file that the site does not have.');
    });
    await api.each(files, async (file) => {
      const body = await readSiteFile(site, file);
      const headers = { 'content-type': 'application/octet-stream', 'x-vercel-digest': file.sha1 };
      await api.retry(() => call(api, place, { method: 'POST', path: '/v2/files', headers, body }));
      uploaded += 1;
      api.report(`${uploaded} of ${countFiles(files.length)} are uploaded. Nothing is deployed yet.`);
    });
  };
  // After a lost answer the deployment may exist.
  const begin = () =>
    api.retry(async () => (await findDeployment(api, place, mark)) ?? (await create(api, place, { site, mark })));
  let begun = await begin();
  if (Array.isArray(begun)) {
    await upload([...new Set(begun)]);
    begun = await begin();
    if (Array.isArray(begun)) throw toolFailed('Vercel still asks for files after they were uploaded.');
  }
  const { id } = begun;
  api.report(`Deployment ${id} exists. Vercel has not finished it.`);
  const ended = ENDED.has(begun.readyState)
    ? begun
    : await api.poll(async () => {
        const now = await api.retry(() => show(api, place, id));
        return ENDED.has(now.readyState) ? now : undefined;
      });
  if (ended.readyState !== 'READY')
    throw toolFailed(`Vercel ended the deployment: ${ended.errorMessage ?? ended.readyState}.`);
  return { id, uploaded, removed: 0, ...(ended.url ? { url: `https://${ended.url}` } : {}) };
}

/** The deployment, or the digests of missing files. */
async function create(
  api: DeployApi,
  place: Place,
  { site, mark }: { site: Site; mark: string },
): Promise<Deployment | string[]> {
  const { project, production, framework = null } = place;
  const body = JSON.stringify({
    name: project,
    project,
    files: site.files.map(({ path, sha1, size }) => ({ file: path, sha: sha1, size })),
    ...(production ? { target: 'production' } : {}),
    projectSettings: { framework },
    meta: { [MARK]: mark },
  });
  const query = { skipAutoDetectionConfirmation: '1' };
  const headers = { 'content-type': 'application/json' };
  try {
    const response = await call(api, place, { method: 'POST', path: '/v13/deployments', query, headers, body });
    return toJson(response, deploymentSchema);
  } catch (error) {
    const answer = toFailedAnswer(error);
    const missing = answer?.status === 400 ? missingSchema.safeParse(parse(answer.body)).data : undefined;
    if (!missing) throw error;
    return missing.error.missing;
  }
}

/** An unfinished deployment of this site, or a finished one that is current. */
async function findDeployment(api: DeployApi, place: Place, mark: string): Promise<Deployment | undefined> {
  const query = { app: place.project, limit: '100' };
  const { deployments } = toJson(await call(api, place, { path: '/v6/deployments', query }), listSchema);
  const target = place.production ? 'production' : undefined;
  const mine = deployments.filter((each) => each.meta?.[MARK] === mark && (each.target ?? undefined) === target);
  const stateOf = (each: (typeof mine)[number]): string => each.readyState ?? each.state ?? '';
  const unfinished = mine.find((each) => !ENDED.has(stateOf(each)));
  const ready = mine.filter((each) => stateOf(each) === 'READY');
  const current = place.production && ready.length > 0 ? await findCurrent(api, place) : ready[0]?.uid;
  const found = unfinished ?? ready.find(({ uid }) => uid === current);
  return found && show(api, place, found.uid);
}

/** The id of the deployment in production. */
async function findCurrent(api: DeployApi, place: Place): Promise<string | undefined> {
  const response = await call(api, place, { path: `/v9/projects/${place.project}` });
  return toJson(response, projectSchema).targets?.production?.id;
}

/** Compares with production. Without a deployment there, everything would be uploaded. */
async function compare(api: DeployApi, place: Place, site: Site): Promise<DeployDifference> {
  const present = new Map<string, string>();
  const id = await api
    .retry(() => findCurrent(api, place))
    .catch((error: unknown) => {
      if (toFailedAnswer(error)?.status === 404) return undefined;
      throw error;
    });
  if (id !== undefined) {
    const response = await api.retry(() => call(api, place, { path: `/v6/deployments/${id}/files` }));
    addFiles(toJson(response, treeSchema), '', present);
  }
  return {
    upload: site.files.filter(({ path, sha1 }) => present.get(path) !== sha1).map(({ path }) => path),
    remove: [...present.keys()].filter((path) => !site.files.some((file) => file.path === path)),
  };
}

function addFiles(tree: readonly FileTree[], folder: string, found: Map<string, string>): void {
  for (const { name, type, uid = '', children = [] } of tree) {
    if (type === 'directory') addFiles(children, `${folder}${name}/`, found);
    else found.set(`${folder}${name}`, uid);
  }
}

async function show(api: DeployApi, place: Place, id: string): Promise<Deployment> {
  return toJson(await call(api, place, { path: `/v13/deployments/${id}` }), deploymentSchema);
}

interface VercelRequest {
  method?: string;
  path: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: Uint8Array | string;
}

function call(api: DeployApi, { url, team }: Place, { path, query = {}, headers = {}, ...rest }: VercelRequest) {
  const search = new URLSearchParams({ ...query, ...(team === undefined ? {} : { teamId: team }) }).toString();
  return api.send({
    ...rest,
    url: `${url}${path}${search === '' ? '' : `?${search}`}`,
    headers: { ...headers, authorization: `Bearer ${api.secret(TOKEN, url)}` },
  });
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}
