import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import { toolFailed } from '../tool-failed.ts';
import { toJson, type DeployApi } from './deploy-api.ts';
import { defineDeployTarget, type DeployDifference, type DeployResult } from './deploy-target.ts';
import { countFiles, readSiteFile, toSiteDigest, type Site } from './site-files.ts';

const TOKEN = 'NETLIFY_AUTH_TOKEN';

const deploySchema = z.object({
  id: z.string().regex(/^[\w-]+$/),
  // The documented answer to a new deploy has none.
  state: z.string().default(''),
  title: z.string().nullish(),
  required: z.array(z.string()).nullish(),
  error_message: z.string().nullish(),
  ssl_url: z.string().nullish(),
  deploy_ssl_url: z.string().nullish(),
});
type Deploy = z.infer<typeof deploySchema>;

const siteSchema = z.object({ published_deploy: z.object({ id: z.string() }).nullish() });
const filesSchema = z.array(z.object({ path: z.string(), sha: z.string().nullish() }));

/** States from which a deploy gets no further. */
const ENDED = new Set(['ready', 'error', 'rejected', 'deleted', 'expired']);

/**
 * Deploys by digests: the deploy names the SHA-1 of every file, and Netlify answers with those that it does not have. The
 * title contains the digest of the site, so that an interrupted deploy is found again.
 *
 * Source: https://docs.netlify.com/api-and-cli-guides/api-guides/get-started-with-api, https://github.com/netlify/open-api
 */
export const netlify = defineDeployTarget({
  name: 'deploy_netlify',
  description: 'Deploy a folder of static files to a site of Netlify. Only changed files are uploaded.',
  fields: {
    site: z.string().optional().describe('id or domain; default: NETLIFY_SITE_ID'),
    draft: z.boolean().optional().describe('deploy to a preview address'),
  },
  example: { site: 'example.netlify.app' },
  locate({ site: given, draft = false }, options) {
    const site = given ?? options.netlifySite;
    if (site === undefined) {
      throw new KlausError('config', 'No site of Netlify is given.', {
        hint: 'Give `site`, or the user sets NETLIFY_SITE_ID.',
      });
    }
    if (!/^[a-zA-Z0-9][\w.-]*$/.test(site)) throw toolFailed(`${JSON.stringify(site)} is no id of a site.`);
    const url = options.netlifyUrl;
    const of: Place = { url, path: `${url}/sites/${site}`, draft };
    return {
      shown: `${draft ? 'a draft of ' : ''}the site ${site} of Netlify`,
      services: [url],
      credentials: [
        { name: TOKEN },
        ...(given === undefined ? [{ name: 'NETLIFY_SITE_ID', isOptional: true as const }] : []),
      ],
      compare: (api, files) => compare(api, of, files),
      publish: (api, files) => publish(api, of, files),
    };
  },
});

interface Place {
  /** Of the API. */
  url: string;
  /** Of the site. */
  path: string;
  draft: boolean;
}

async function compare(api: DeployApi, place: Place, site: Site): Promise<DeployDifference> {
  const present = await listPresent(api, place);
  return {
    upload: site.files.filter(({ path, sha1 }) => present.get(path) !== sha1).map(({ path }) => path),
    remove: [...present.keys()].filter((path) => !site.files.some((file) => file.path === path)),
  };
}

async function publish(api: DeployApi, place: Place, site: Site): Promise<DeployResult> {
  const strange = site.files.find(({ path }) => /[#?]/.test(path));
  if (strange) throw toolFailed(`Netlify accepts no # and ? in names: ${strange.path}.`);
  const title = `Klaus ${toSiteDigest(site).slice(0, 32)}`;
  let deploy = await api.retry(
    async () => (await findDeploy(api, place, title)) ?? (await create(api, place, { site, title })),
  );
  const shown = `Deploy ${deploy.id}`;
  // Netlify prepares the list of required files in the background.
  deploy = await waitFor(api, place, {
    first: deploy,
    isReached: ({ state, required }) => ENDED.has(state) || Array.isArray(required),
  });
  const required = deploy.state === 'ready' ? [] : toRequired(site, deploy);
  let uploaded = 0;
  api.report(`${shown}: ${countFiles(required.length)} to upload. Nothing is published yet.`);
  await api.each(required, async (file) => {
    const body = await readSiteFile(site, file);
    const path = file.path.split('/').map(encodeURIComponent).join('/');
    await api.retry(() =>
      api.send({
        method: 'PUT',
        url: `${place.url}/deploys/${deploy.id}/files/${path}`,
        headers: { ...authorize(api, place), 'content-type': 'application/octet-stream' },
        body,
      }),
    );
    uploaded += 1;
    api.report(`${shown}: ${uploaded} of ${countFiles(required.length)} uploaded. Nothing is published yet.`);
  });
  deploy = await waitFor(api, place, { first: deploy, isReached: ({ state }) => ENDED.has(state) });
  if (deploy.state !== 'ready') throw toolFailed(`Netlify ended the deploy: ${deploy.error_message ?? deploy.state}.`);
  api.report(place.draft ? `${shown} is a draft.` : `${shown} is published.`);
  if (!place.draft) await verify(api, place, site);
  const url = (place.draft ? deploy.deploy_ssl_url : deploy.ssl_url) ?? undefined;
  return { id: deploy.id, uploaded, removed: 0, url };
}

/**
 * The unfinished deploy of this site, or a finished one that is published. Others are older deploys of the same files:
 * only a new deploy publishes them.
 */
async function findDeploy(api: DeployApi, place: Place, title: string): Promise<Deploy | undefined> {
  const list = toJson(await get(api, place, `${place.path}/deploys?per_page=100`), z.array(deploySchema));
  const mine = list.filter((deploy) => deploy.title === title && deploy.state !== 'error');
  const unfinished = mine.find(({ state }) => !ENDED.has(state));
  // A list can leave out the required files.
  if (unfinished) return toJson(await get(api, place, `${place.url}/deploys/${unfinished.id}`), deploySchema);
  const { published_deploy: published } = toJson(await get(api, place, place.path), siteSchema);
  return mine.find(({ id, state }) => state === 'ready' && (place.draft ? id !== published?.id : id === published?.id));
}

async function create(api: DeployApi, place: Place, of: { site: Site; title: string }): Promise<Deploy> {
  const files = Object.fromEntries(of.site.files.map(({ path, sha1 }) => [`/${path}`, sha1]));
  const response = await api.send({
    method: 'POST',
    url: `${place.path}/deploys?title=${encodeURIComponent(of.title)}`,
    headers: { ...authorize(api, place), 'content-type': 'application/json' },
    body: JSON.stringify({ files, ...(place.draft ? { draft: true } : {}) }),
  });
  return toJson(response, deploySchema);
}

/** One file for each required digest. @throws KlausError `tool.failed` for a digest of no file. */
function toRequired(site: Site, { required }: Deploy) {
  return [...new Set(required ?? [])].map((sha) => {
    const file = site.files.find(({ sha1 }) => sha1 === sha);
    if (file) return file;
    throw toolFailed('Netlify asks for a file that the site does not have.');
  });
}

async function waitFor(
  api: DeployApi,
  { url }: Place,
  { first, isReached }: { first: Deploy; isReached: (deploy: Deploy) => boolean },
): Promise<Deploy> {
  if (isReached(first)) return first;
  return api.poll(async () => {
    const deploy = toJson(
      await api.retry(() => api.send({ url: `${url}/deploys/${first.id}`, headers: authorize(api, { url }) })),
      deploySchema,
    );
    return isReached(deploy) ? deploy : undefined;
  });
}

/** @throws KlausError `tool.failed` if the published site has other files. */
async function verify(api: DeployApi, place: Place, site: Site): Promise<void> {
  const { upload, remove } = await compare(api, place, site);
  const different = [...upload, ...remove];
  if (different.length > 0)
    throw toolFailed(`The published site differs from the folder: ${different.slice(0, 10).join(', ')}.`);
}

/** SHA-1 by path of the published site. */
async function listPresent(api: DeployApi, place: Place): Promise<Map<string, string>> {
  const files = toJson(await api.retry(() => get(api, place, `${place.path}/files`)), filesSchema);
  return new Map(files.map(({ path, sha }) => [path.replace(/^\//, ''), sha ?? '']));
}

function get(api: DeployApi, place: Place, url: string) {
  return api.send({ url, headers: authorize(api, place) });
}

function authorize(api: DeployApi, { url }: Pick<Place, 'url'>): Record<string, string> {
  return { authorization: `Bearer ${api.secret(TOKEN, url)}` };
}
