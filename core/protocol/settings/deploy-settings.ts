import { z } from 'zod';
import { credential } from './credential.ts';
import { defineSetting } from './setting.ts';

/** Settings of the tools that push and deploy. */
export const DEPLOY_SETTINGS = {
  'keys.netlify': credential('NETLIFY_AUTH_TOKEN', 'Token of Netlify. Not used yet: reserved for a tool that deploys.'),
  'keys.git': credential(
    'GIT_CREDENTIALS',
    'Address with the name and password of a git server, such as `https://name:token@git.example.com`, for clones and pushes over HTTPS.',
  ),
  'deploy.netlifySite': defineSetting({
    schema: z.string().regex(/^[\w.-]+$/),
    env: 'NETLIFY_SITE_ID',
    unset: 'none',
    values: 'the id of a site',
    description: 'Site of Netlify. Not used yet: reserved for a tool that deploys.',
  }),
} as const;
