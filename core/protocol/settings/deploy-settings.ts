import { z } from 'zod';
import { credential } from './credential.ts';
import { defineSetting } from './setting.ts';

/** Settings of the tools that push and deploy. */
export const DEPLOY_SETTINGS = {
  'keys.netlify': credential(
    'NETLIFY_AUTH_TOKEN',
    'Token of Netlify. It waits for the tool that deploys: nothing reads it yet.',
  ),
  'keys.git': credential(
    'GIT_CREDENTIALS',
    'Address with the name and password of a git server. It waits for the tool that pushes: nothing reads it yet.',
  ),
  'deploy.netlifySite': defineSetting({
    schema: z.string().regex(/^[\w.-]+$/),
    env: 'NETLIFY_SITE_ID',
    unset: 'none',
    values: 'the id of a site',
    description: 'Site of Netlify. It waits for the tool that deploys: nothing reads it yet.',
    project: 'never',
  }),
} as const;
