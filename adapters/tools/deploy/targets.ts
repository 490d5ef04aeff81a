import type { BuiltinTool } from '../builtin-tool.ts';
import { awsS3 } from './aws-s3.ts';
import { toDeployTool } from './deploy-tool.ts';
import { netlify } from './netlify.ts';
import { vercel } from './vercel.ts';

/** The tools of all services to which sites are deployed. */
export const deployTools: readonly BuiltinTool[] = [toDeployTool(netlify), toDeployTool(vercel), toDeployTool(awsS3)];
