import { createHash } from 'node:crypto';
import { startService, type Service, type ServiceAnswer, type ServiceRequest } from './service.ts';

interface Deploy {
  id: string;
  state: string;
  title: string | null;
  draft: boolean;
  files: Record<string, string>;
}

export interface NetlifyService extends Service {
  /** Content of the published site by path. */
  site(): Record<string, string>;
  deploys(): readonly Deploy[];
}

export const NETLIFY_TOKEN = 'nfp_0d5c1f7ae3';
export const NETLIFY_SITE = '3970e0fe-8564-4903-9a55-c5f8de49fb8b';

const toSha1 = (body: Buffer): string => createHash('sha1').update(body).digest('hex');

/** The part of Netlify's API that deploys use: https://docs.netlify.com/api-and-cli-guides/api-guides/get-started-with-api#file-digest-method */
export async function startNetlify(): Promise<NetlifyService> {
  const deploys: Deploy[] = [];
  const blobs = new Map<string, Buffer>();
  let published: Deploy | undefined;
  const requiredOf = ({ files }: Deploy): string[] =>
    [...new Set(Object.values(files))].filter((sha) => !blobs.has(sha));
  const show = (deploy: Deploy) => ({
    ...{ id: deploy.id, site_id: NETLIFY_SITE, state: deploy.state, title: deploy.title, required: requiredOf(deploy) },
    ssl_url: 'https://example.netlify.app',
    deploy_ssl_url: `https://${deploy.id}--example.netlify.app`,
  });
  const settle = (deploy: Deploy): void => {
    if (deploy.state !== 'uploading' || requiredOf(deploy).length > 0) return;
    deploy.state = 'ready';
    if (!deploy.draft) published = deploy;
  };
  const answer = ({ method, path, query, headers, body }: ServiceRequest): ServiceAnswer => {
    if (headers['authorization'] !== `Bearer ${NETLIFY_TOKEN}`)
      return { status: 401, body: { code: 401, message: 'Access Denied' } };
    const site = `/sites/${NETLIFY_SITE}`;
    if (method === 'GET' && path === site)
      return { status: 200, body: { id: NETLIFY_SITE, published_deploy: published && show(published) } };
    if (method === 'GET' && path === `${site}/deploys`)
      return {
        status: 200,
        body: deploys
          .map(show)
          .map(({ required: _, ...rest }) => rest)
          .toReversed(),
      };
    if (method === 'POST' && path === `${site}/deploys`) {
      const { files, draft = false } = JSON.parse(body.toString()) as {
        files: Record<string, string>;
        draft?: boolean;
      };
      const deploy: Deploy = {
        id: `d${deploys.length + 1}`,
        state: 'uploading',
        title: query.get('title'),
        draft,
        files: Object.fromEntries(Object.entries(files).map(([name, sha]) => [name.replace(/^\//, ''), sha])),
      };
      deploys.push(deploy);
      // The documented answer has only these fields.
      const shown = { id: deploy.id, required: requiredOf(deploy), required_functions: [] };
      settle(deploy);
      return { status: 200, body: shown };
    }
    if (method === 'GET' && path === `${site}/files`) {
      const files = Object.entries(published?.files ?? {});
      return {
        status: 200,
        body: files.map(([name, sha]) => ({ id: `/${name}`, path: `/${name}`, sha, size: blobs.get(sha)?.length })),
      };
    }
    const [, id, file] = /^\/deploys\/(\w+)(?:\/files\/(.+))?$/.exec(path) ?? [];
    const deploy = deploys.find((each) => each.id === id);
    if (!deploy) return { status: 404, body: { code: 404, message: 'Not Found' } };
    if (method === 'GET') return { status: 200, body: show(deploy) };
    const name = decodeURIComponent(file ?? '');
    if (deploy.files[name] !== toSha1(body)) return { status: 422, body: { code: 422, message: 'digest mismatch' } };
    blobs.set(toSha1(body), body);
    settle(deploy);
    return { status: 200, body: { id: `/${name}`, path: `/${name}`, sha: toSha1(body) } };
  };
  return Object.assign(await startService(answer), {
    site: () =>
      Object.fromEntries(
        Object.entries(published?.files ?? {}).map(([name, sha]) => [name, blobs.get(sha)!.toString()]),
      ),
    deploys: () => deploys,
  });
}
