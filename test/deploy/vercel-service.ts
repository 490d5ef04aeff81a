import { createHash } from 'node:crypto';
import { startService, type Service, type ServiceAnswer, type ServiceRequest } from './service.ts';

interface Deployment {
  id: string;
  readyState: string;
  target: string | null;
  meta: Record<string, string>;
  files: { file: string; sha: string; size: number }[];
  settings: unknown;
}

export interface VercelService extends Service {
  /** Content of the deployment in production by path. */
  site(): Record<string, string>;
  deployments(): readonly Deployment[];
}

export const VERCEL_TOKEN = 'vcp_0d5c1f7ae3';
export const VERCEL_PROJECT = 'my-project';

/**
 * The part of Vercel's API that deploys use: https://vercel.com/docs/rest-api/deployments/create-a-new-deployment,
 * https://vercel.com/docs/rest-api/deployments/upload-deployment-files, https://vercel.com/docs/rest-api/errors
 */
export async function startVercel(): Promise<VercelService> {
  const blobs = new Map<string, Buffer>();
  const deployments: Deployment[] = [];
  let production: Deployment | undefined;
  const show = ({ id, readyState, target }: Deployment) => ({
    id,
    readyState,
    target,
    url: `my-project-${id}.vercel.app`,
  });
  const create = (body: Buffer): ServiceAnswer => {
    const asked = JSON.parse(body.toString()) as Pick<Deployment, 'files' | 'meta'> & {
      target?: string;
      projectSettings: unknown;
    };
    const missing = asked.files.filter(({ sha }) => !blobs.has(sha)).map(({ sha }) => sha);
    if (missing.length > 0)
      return { status: 400, body: { error: { code: 'missing_files', message: 'Missing files', missing } } };
    const { files, meta, target = null, projectSettings: settings } = asked;
    const deployment = { id: `dpl_${deployments.length + 1}`, readyState: 'QUEUED', target, meta, files, settings };
    deployments.push(deployment);
    return { status: 200, body: show(deployment) };
  };
  const answer = ({ method, path, query, headers, body }: ServiceRequest): ServiceAnswer => {
    if (headers['authorization'] !== `Bearer ${VERCEL_TOKEN}`)
      return { status: 403, body: { error: { code: 'forbidden', message: 'Not authorized' } } };
    if (method === 'POST' && path === '/v2/files') {
      const sha = createHash('sha1').update(body).digest('hex');
      if (headers['x-vercel-digest'] !== sha) return { status: 400, body: { error: { code: 'invalid_sha' } } };
      blobs.set(sha, body);
      return { status: 200, body: {} };
    }
    if (method === 'POST' && path === '/v13/deployments') return create(body);
    if (path === '/v6/deployments') {
      const rows = query.get('app') === VERCEL_PROJECT ? deployments.toReversed() : [];
      return {
        status: 200,
        body: { deployments: rows.map(({ id: uid, readyState, target, meta }) => ({ uid, readyState, target, meta })) },
      };
    }
    if (path === `/v9/projects/${VERCEL_PROJECT}`)
      return { status: 200, body: { id: 'prj_1', targets: production ? { production: show(production) } : {} } };
    const [, id, isFiles] = /^\/v(?:13|6)\/deployments\/(\w+)(\/files)?$/.exec(path) ?? [];
    const deployment = deployments.find((each) => each.id === id);
    if (!deployment) return { status: 404, body: { error: { code: 'not_found', message: 'Not found' } } };
    if (isFiles) return { status: 200, body: toTree(deployment.files) };
    // Each request shows it one step further.
    deployment.readyState = deployment.readyState === 'QUEUED' ? 'BUILDING' : 'READY';
    if (deployment.readyState === 'READY' && deployment.target === 'production') production = deployment;
    return { status: 200, body: show(deployment) };
  };
  return Object.assign(await startService(answer), {
    site: () =>
      Object.fromEntries((production?.files ?? []).map(({ file, sha }) => [file, blobs.get(sha)!.toString()])),
    deployments: () => deployments,
  });
}

interface Node {
  name: string;
  type: string;
  uid?: string;
  children?: Node[];
}

function toTree(files: Deployment['files']): Node[] {
  const root: Node[] = [];
  for (const { file, sha } of files) {
    const parts = file.split('/');
    const name = parts.pop()!;
    let at = root;
    for (const part of parts) {
      let folder = at.find((each) => each.name === part);
      if (!folder) at.push((folder = { name: part, type: 'directory', children: [] }));
      at = folder.children!;
    }
    at.push({ name, type: 'file', uid: sha });
  }
  return root;
}
