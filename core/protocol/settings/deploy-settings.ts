import { z } from 'zod';
import { credential } from './credential.ts';
import { defineSetting } from './setting.ts';

/** Credentials are sent to it: only over HTTPS, except on this machine. */
const serviceUrl = z
  .string()
  .regex(/^(?:https:\/\/[\w.-]+|https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?(?:\/[\w./~-]*)?$/i)
  .overwrite((text) => text.replace(/\/+$/, ''));

const URL_VALUES = 'a URL with `https:`; `http:` only on this machine';

/** Programs that can run a Terraform configuration. */
export const TERRAFORM_PROGRAMS = ['terraform', 'tofu'] as const;
export type TerraformProgram = (typeof TERRAFORM_PROGRAMS)[number];

/** Settings of the tools that push and deploy. */
export const DEPLOY_SETTINGS = {
  'keys.netlify': credential('NETLIFY_AUTH_TOKEN', 'Token of Netlify for `deploy_netlify`.'),
  'keys.vercel': credential('VERCEL_TOKEN', 'Token of Vercel for `deploy_vercel`.'),
  'keys.awsId': credential('AWS_ACCESS_KEY_ID', 'Id of the access key of AWS for `deploy_aws_s3`.'),
  'keys.awsSecret': credential('AWS_SECRET_ACCESS_KEY', 'Secret access key of AWS for `deploy_aws_s3`.'),
  'keys.awsSession': credential('AWS_SESSION_TOKEN', 'Session token of temporary credentials of AWS.'),
  'keys.git': credential(
    'GIT_CREDENTIALS',
    'Address with the name and password of a git server, such as `https://name:token@git.example.com`, for clones and pushes over HTTPS.',
  ),
  'deploy.netlifySite': defineSetting({
    schema: z.string().regex(/^[\w.-]+$/),
    env: 'NETLIFY_SITE_ID',
    unset: 'none',
    values: 'the id of a site',
    description: 'Site of Netlify to which `deploy_netlify` deploys if the call names none.',
  }),
  'deploy.awsRegion': defineSetting({
    schema: z.string().regex(/^[a-z0-9-]+$/),
    env: 'AWS_REGION',
    unset: 'none',
    values: 'lower-case letters, digits and hyphens, such as `eu-central-1`',
    description: 'Region of the bucket to which `deploy_aws_s3` deploys if the call names none.',
  }),
  'deploy.terraform': defineSetting({
    schema: z.enum(TERRAFORM_PROGRAMS),
    env: 'KLAUS_TERRAFORM',
    unset: 'the one on the PATH, Terraform before OpenTofu',
    description: 'Program of the Terraform tools: Terraform, or OpenTofu (`tofu`).',
  }),
  'deploy.netlifyUrl': defineSetting({
    schema: serviceUrl,
    default: 'https://api.netlify.com/api/v1',
    env: 'KLAUS_NETLIFY_URL',
    values: URL_VALUES,
    description: 'Base URL of the API of Netlify.',
  }),
  'deploy.vercelUrl': defineSetting({
    schema: serviceUrl,
    default: 'https://api.vercel.com',
    env: 'KLAUS_VERCEL_URL',
    values: URL_VALUES,
    description: 'Base URL of the API of Vercel.',
  }),
  'deploy.s3Url': defineSetting({
    schema: serviceUrl,
    env: 'KLAUS_S3_URL',
    unset: 'the address of the bucket at AWS',
    values: URL_VALUES,
    description: 'Base URL of an S3-compatible service. The bucket is the first part of its paths.',
  }),
  'deploy.cloudfrontUrl': defineSetting({
    schema: serviceUrl,
    default: 'https://cloudfront.amazonaws.com',
    env: 'KLAUS_CLOUDFRONT_URL',
    values: URL_VALUES,
    description: 'Base URL of the API of CloudFront.',
  }),
} as const;
