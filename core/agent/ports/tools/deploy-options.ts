import type { TerraformProgram } from '../../../protocol/index.ts';

/** The services of the deploy tools, as the user has configured them. */
export interface DeployOptions {
  /** Base of Netlify's API, without a final slash. */
  netlifyUrl: string;
  /** Base of Vercel's API, without a final slash. */
  vercelUrl: string;
  /** Base of an S3-compatible service, without a final slash. Absent: Amazon's address of the bucket. */
  s3Url?: string;
  /** Base of CloudFront's API, without a final slash. */
  cloudfrontUrl: string;
  /** Site of Netlify for calls that name none. */
  netlifySite?: string;
  /** Region of AWS for calls that name none. */
  awsRegion?: string;
  /** First wait before a request is repeated, in milliseconds. */
  retryMs: number;
  /** The program of the Terraform tools. Absent: the one on the PATH, Terraform before OpenTofu. */
  terraform?: TerraformProgram;
}
